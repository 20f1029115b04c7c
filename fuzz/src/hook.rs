//! A preStop hook of any text has a duration, whose bounds are in order, and the same one every time.

use std::collections::BTreeMap;

use drain_check::shutdown::hook::{Duration, Hook, read};

fn in_order(duration: Duration) {
    if let Duration::Known { min_ms, max_ms } = duration {
        assert!(min_ms <= max_ms, "{duration:?}");
    }
}

fn holds(command: &[String], env: &BTreeMap<String, String>) -> Hook {
    let hook = read(command, env);
    assert_eq!(hook, read(command, env), "read twice, two answers");
    in_order(hook.duration);
    for signal in &hook.signals {
        in_order(signal.after);
    }
    hook
}

/// The command of an exec hook: a shell's script, or a program and its arguments with NUL between.
pub fn hook(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let env = [("DELAY", "15"), ("WORDS", "a b"), ("EMPTY", "")];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let env = BTreeMap::from(env);
    let program: Vec<_> = text.split('\0').map(str::to_owned).collect();
    let shell = |text: &str| ["sh", "-c", text].map(str::to_owned);
    holds(&program, &env);
    let script = holds(&shell(text), &env);
    // In a shell of its own it takes as long.
    if !text.contains(['\'', '\0']) {
        let nested = holds(&shell(&format!("sh -c '{text}'")), &env);
        if let (Some(alone), Some(nested)) =
            (script.duration.at_most_ms(), nested.duration.at_most_ms())
        {
            assert_eq!(alone, nested);
        }
    }
}
