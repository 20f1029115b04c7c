//! What must hold of a hook's duration whatever its text.

use drain_check::shutdown::hook::duration;
use proptest::prelude::*;

use crate::shutdown::hook::{env, exactly, hook, sh, words};

#[test]
fn deep_and_long_scripts_end() {
    for (part, end) in [
        ("(", ")"),
        ("$(", ")"),
        ("{ ", "; }"),
        ("`", "`"),
        ("if ", " "),
        ("env ", ""),
    ] {
        let script = format!("{}true{}", part.repeat(9_000), end.repeat(9_000));
        let _ = sh(&script);
    }
    let _ = hook(&vec!["env"; 50_000]);
    let _ = sh(&"if [ a ]; then sleep 1; el".repeat(2_000));
    let _ = sh(&format!(
        "if a; then b; {} fi",
        "elif a; then b; ".repeat(4_000)
    ));
    let _ = sh(&format!("sleep $(({}1))", "-".repeat(30_000)));
    let _ = sh(&format!("a=x{}; sleep $a", "; a=$a$a".repeat(5_000)));
    let _ = sh(&format!(
        "a='{}'; {}",
        "1 ".repeat(20_000),
        "echo $a$a; ".repeat(2_000)
    ));
    let _ = hook(&vec!["$(DELAY)$(A)"; 50_000]);
    let _ = sh(&format!(
        "{}sleep 1{}",
        "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(30),
        "; done".repeat(30)
    ));
}

/// Commands, the shell's own signs, and anything.
fn scripts() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "sleep",
        "5",
        "0.5",
        " ",
        " ",
        ";",
        "&",
        "&&",
        "||",
        "|",
        "\n",
        "(",
        ")",
        "{ ",
        " }",
        "if ",
        "then ",
        "else ",
        "fi",
        "while ",
        "do ",
        "done",
        "for i in ",
        "case x in ",
        "esac",
        "$(",
        "`",
        "$((",
        "${X:-",
        "}",
        "'",
        "\"",
        "\\",
        "$DELAY",
        ">",
        "<<E",
        "2>&1",
        "!",
        "kill 1",
        "wait",
        "exit",
        "break",
        "set -e",
        "sh -c ",
        "timeout 3 ",
        "#",
        "é",
        "[[ ",
        "trap ",
        "=",
        "1",
    ]);
    prop_oneof![
        prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat()),
        any::<String>(),
    ]
}

fn commands() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(vec![
        "sleep 3",
        "sleep $X",
        "sleep 1 &",
        "curl x",
        "curl x && sleep 2",
        "[ a ] || sleep 4",
        "sleep 5 | cat",
        "wait",
        "if a; then sleep 1; fi",
        "while a; do sleep 1; done",
        "for i in 1 2; do sleep 1; done",
        "kill 1",
        "sleep x",
        "(sleep 2; exit)",
        "exit",
        "set -e",
        "false",
        "trap 'x' EXIT",
        "timeout 2 sleep 9",
        "sleep infinity",
        "X=4",
        "X=$X$X",
        "for i in $(seq 3); do sleep 1; done",
    ]);
    prop::collection::vec(simple, 0..8).prop_map(|list| list.join("\n"))
}

proptest! {
    #[test]
    fn any_text_is_read(script in scripts(), first in any::<String>()) {
        let _ = sh(&script);
        let _ = hook(&[&first, &script]);
        let _ = hook(&["sleep", &first]);
        let _ = hook(&["sleep", &script]);
        let _ = hook(&["timeout", &first, "sh", "-c", &script]);
    }

    #[test]
    fn sleeps_in_a_row_add_up(times in prop::collection::vec(0_u64..100_000, 1..12)) {
        let script: Vec<_> = times.iter().map(|s| format!("sleep {s}")).collect();
        let sum = exactly(times.iter().sum::<u64>() * 1_000);
        prop_assert_eq!(sh(&script.join("; ")).duration, sum);
        prop_assert_eq!(sh(&script.join(" && ")).duration, sum);
    }

    #[test]
    fn one_more_command_never_shortens(before in commands(), last in commands()) {
        let short = sh(&before).duration;
        let long = sh(&format!("{before}\n{last}")).duration;
        prop_assert!(long.at_least_ms() >= short.at_least_ms(), "{:?} {:?}", short, long);
    }

    #[test]
    fn one_more_second_of_sleep_anywhere_never_shortens(before in commands(), after in commands()) {
        let short = sh(&format!("{before}\n{after}")).duration;
        let long = sh(&format!("{before}\nsleep 1\n{after}")).duration;
        prop_assert!(long.at_least_ms() >= short.at_least_ms(), "{:?} {:?}", short, long);
    }

    #[test]
    fn bounds_are_in_order(script in scripts(), sure in commands()) {
        for text in [script, sure] {
            let took = duration(&words(&["sh", "-c", &text]), &env());
            prop_assert!(took.at_most_ms().is_none_or(|most| most >= took.at_least_ms()));
        }
    }
}
