//! How long an exec hook takes, spelling by spelling.
//!
//! What is expected follows from POSIX.1-2024 (XCU chapter 2 "Shell Command Language", and `sh`, `sleep`, `env`, `nice`,
//! `kill`, `wait`), the coreutils manual ("sleep invocation", "timeout invocation", "env invocation"), BusyBox's help texts,
//! and, for what the kubelet and containerd do with a hook, kubernetes/kubernetes#129502 and containerd/containerd#7832.

use std::collections::BTreeMap;

use drain_check::shutdown::hook::{Duration, Hook, Mistake, Target, read};

pub(crate) fn words(command: &[&str]) -> Vec<String> {
    command.iter().map(|&word| word.to_owned()).collect()
}

pub(crate) fn env() -> BTreeMap<String, String> {
    [("DELAY", "7"), ("TWO", "1m 30s"), ("EMPTY", "")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
}

pub(crate) fn hook(command: &[&str]) -> Hook {
    read(&words(command), &env())
}

pub(crate) fn sh(script: &str) -> Hook {
    hook(&["sh", "-c", script])
}

pub(crate) const fn exactly(ms: u64) -> Duration {
    between(ms, ms)
}

const fn between(min_ms: u64, max_ms: u64) -> Duration {
    Duration::Known { min_ms, max_ms }
}

const fn least(at_least_ms: u64) -> Duration {
    Duration::Unknown { at_least_ms }
}

#[test]
fn a_program_without_a_shell() {
    let table: [(&[&str], Duration); 45] = [
        // POSIX sleep, and GNU's and BusyBox's suffixes, fractions and several operands.
        (&["sleep", "5"], exactly(5_000)),
        (&["/bin/sleep", "1m"], exactly(60_000)),
        (&["/usr/bin/sleep", "0"], exactly(0)),
        (&["sleep", "0.5"], exactly(500)),
        (&["sleep", ".25"], exactly(250)),
        (&["sleep", "5."], exactly(5_000)),
        (&["sleep", "1.5h"], exactly(5_400_000)),
        (&["sleep", "010"], exactly(10_000)),
        (&["sleep", "1m", "30s"], exactly(90_000)),
        (&["sleep", "1d", "2h", "3m", "15s"], exactly(93_795_000)),
        (&["sleep", "infinity"], Duration::Endless),
        (&["sleep", "inf"], Duration::Endless),
        // GNU only: BusyBox fails at once.
        (&["sleep", "+5"], least(0)),
        (&["sleep", " 5"], least(0)),
        (&["sleep", "1e1"], least(0)),
        (&["sleep", "0x10"], least(0)),
        // Fails at once.
        (&["sleep"], exactly(0)),
        (&["sleep", ""], exactly(0)),
        (&["sleep", "five"], exactly(0)),
        (&["sleep", "5S"], exactly(0)),
        (&["sleep", "500ms"], exactly(0)),
        (&["sleep", "5 "], exactly(0)),
        (&["sleep", "-5"], exactly(0)),
        (&["sleep", "10", "x"], exactly(0)),
        (&["sleep", "1,5"], exactly(0)),
        (&["sleep 5"], exactly(0)),
        (&["/bin/sleep 5"], exactly(0)),
        (&["sleep", "$DELAY"], exactly(0)),
        (&["sleep", "$(DELAY)"], exactly(0)),
        (&["exec", "sleep", "5"], exactly(0)),
        (&[], exactly(0)),
        // Programs that start programs.
        (&["env", "A=b", "sleep", "5"], exactly(5_000)),
        (&["busybox", "sleep", "5"], exactly(5_000)),
        (&["timeout", "20", "sleep", "60"], exactly(20_000)),
        (&["timeout", "1m", "sleep", "inf"], exactly(60_000)),
        (&["timeout", "0", "sleep", "60"], exactly(60_000)),
        (&["timeout", "20", "/drain"], least(0)),
        // No published hook was seen with these.
        (&["sleep", "--", "5"], least(0)),
        (&["nice", "sleep", "5"], least(0)),
        (&["nice", "-n", "10", "sleep", "5"], least(0)),
        (&["timeout", "-s", "KILL", "1m", "sleep", "inf"], least(0)),
        (&["env", "-i", "sleep", "5"], least(0)),
        // Nobody knows.
        (&["python", "-c", "import time; time.sleep(5)"], least(0)),
        (&["/wait-shutdown"], least(0)),
        (&["/opt/my app/stop"], least(0)),
    ];
    for (command, expected) in table {
        assert_eq!(hook(command).duration, expected, "{command:?}");
    }
}

#[test]
fn a_script() {
    let table = [
        ("sleep 5", exactly(5_000)),
        ("sleep 10; nginx -s quit", exactly(10_000)),
        ("sleep 5 && kill -QUIT 1", exactly(5_000)),
        ("exec sleep 5", exactly(5_000)),
        ("exec sleep 5; sleep 10", exactly(5_000)),
        ("sleep 5; exit 0; sleep 10", exactly(5_000)),
        ("sleep 2\nsleep 3\n", exactly(5_000)),
        ("sleep 2; # sleep 100\nsleep 3", exactly(5_000)),
        ("sleep 2\\\n0", exactly(20_000)),
        ("sl'ee'p \"5\"", exactly(5_000)),
        ("echo 'sleep 100; sleep 5'; sleep 5", exactly(5_000)),
        ("echo \"; sleep 9\" \\; sleep 8; sleep 1", exactly(1_000)),
        ("true; :; touch /tmp/x; sleep 1m", exactly(60_000)),
        ("A=b sleep 5", exactly(5_000)),
        ("sh -c 'sleep 5; sleep 1'; sleep 1", exactly(7_000)),
        ("timeout 3 sh -c 'sleep 5'", exactly(3_000)),
        ("(sleep 2; sleep 3)", exactly(5_000)),
        ("{ sleep 2; sleep 3; }", exactly(5_000)),
        ("sleep 5 >/dev/null 2>&1", exactly(5_000)),
        // 2.9.2: a pipeline takes as long as its longest command.
        ("sleep 5 | sleep 3", exactly(5_000)),
        // 2.9.3: `&&` and `||`.
        ("true || sleep 5", exactly(0)),
        ("false || sleep 5", exactly(5_000)),
        ("false && sleep 5", exactly(0)),
        ("sleep 5 || true", exactly(5_000)),
        ("! true || sleep 5", exactly(5_000)),
        ("[ -f /x ] && sleep 5", between(0, 5_000)),
        ("[ -f /x ] || sleep 5; sleep 1", between(1_000, 6_000)),
        ("curl -s localhost/drain && sleep 5", least(5_000)),
        ("curl -s localhost/drain; sleep 5", least(5_000)),
        ("curl -s localhost/drain || sleep 5", least(0)),
        ("set -e; false; sleep 5", exactly(0)),
        // 2.9.4: branches and loops.
        (
            "if [ -f /x ]; then sleep 5; else sleep 9; fi",
            between(5_000, 9_000),
        ),
        (
            "if [ -f /x ]; then sleep 5; fi; sleep 1",
            between(1_000, 6_000),
        ),
        ("while pgrep nginx; do sleep 1; done", least(0)),
        ("sleep 5; until test -f /x; do sleep 1; done", least(5_000)),
        ("while true; do sleep 5; done", least(5_000)),
        (
            "for i in $(seq 1 15); do sleep 1; done; sleep 2",
            least(2_000),
        ),
        ("for i in `seq 1 15`; do sleep 1; done", least(0)),
        ("if [[ \"$(curl -s a)\" == b ]]; then sleep 5; fi", least(0)),
        // 2.6: expansions; the shell has the container's environment, and the kubelet expands nothing.
        ("sleep $DELAY", exactly(7_000)),
        ("sleep \"${DELAY}\"", exactly(7_000)),
        ("sleep ${EMPTY:-4}", exactly(4_000)),
        ("sleep $TWO", exactly(90_000)),
        ("sleep \"$TWO\"", exactly(0)),
        ("sleep '$DELAY'", exactly(0)),
        ("sleep $EMPTY", exactly(0)),
        ("sleep $OTHER", least(0)),
        ("sleep ${OTHER:-5}", least(0)),
        ("sleep 3; sleep $OTHER", least(3_000)),
        ("D=5; sleep $D", exactly(5_000)),
        ("D=5; sh -c 'sleep $D'", least(0)),
        ("[ -f /x ] && D=5; sleep $D", least(0)),
        ("[ -f /x ] && DELAY=5; sleep $DELAY", least(0)),
        ("sleep $(cat /etc/delay)", least(0)),
        ("sleep $(DELAY)", least(0)),
        ("X=$(sleep 3); sleep 2", exactly(5_000)),
        ("export D=5; sleep $D", exactly(5_000)),
        ("D=5 env; sleep $D", least(0)),
        // A script that cannot be read: the lines before count.
        ("sleep 5\necho 'x", least(5_000)),
        ("sleep 5; echo 'x", least(0)),
        ("sleep 5\ncat <(sleep 3)", least(5_000)),
        ("", exactly(0)),
    ];
    for (script, expected) in table {
        assert_eq!(sh(script).duration, expected, "{script}");
    }
}

/// What no published hook was seen with, or next to none, is not followed: the hook is unknown from there on, and what follows does
/// not count, because it may not happen.
#[test]
fn a_script_with_what_hooks_do_not_use() {
    for rest in [
        "sleep 5 & wait",
        "sleep 5 & sleep 3; wait",
        "sleep 5 >/dev/null 2>&1 &",
        "sleep 5 &",
        "sleep 1 & sleep 5",
        "case $X in a) sleep 5;; *) sleep 9;; esac",
        "f() { sleep 5; }; f",
        "trap 'exit 0' TERM; sleep 5",
        "eval 'sleep 5'",
        "command sleep 5",
        "time sleep 5",
        ". /lib.sh; sleep 5",
        "read D; sleep 5",
        "unset DELAY; sleep 5",
        "while true; do while true; do break 2; done; sleep 5; done",
        "cat <<E\nsleep 100\nE\nsleep 5",
        "sleep 5 &>/dev/null",
        "echo > $(mktemp); sleep 5",
        "echo ${D:=5}; sleep 5",
        "echo ${D:-$(id)}; sleep 5",
        "echo $((D++)); sleep 5",
    ] {
        assert_eq!(sh(rest).duration, least(0), "{rest}");
        let after = format!("sleep 7\n{rest}\nsleep 9");
        assert_eq!(sh(&after).duration, least(7_000), "{rest}");
    }
    // Only how long they take themselves is unknown.
    for alone in [
        "for i in 1 2 3; do sleep 2; done",
        "sleep $((5+5))",
        "sleep $((DELAY * (2 + 1) - 1))",
        "sleep ${DELAY#x}",
        "sleep ${OTHER:-$DELAY}",
        "nice sleep 5",
        "env A=b nice sleep 5",
        "nohup sleep 5",
    ] {
        let after = format!("sleep 7\n{alone}\nsleep 9");
        assert_eq!(sh(&after).duration, least(16_000), "{alone}");
    }
}

#[test]
fn a_script_that_makes_much_of_little_is_unknown() {
    let doubled = ";a=$a$a".repeat(40);
    let table = [
        (format!("sleep 3; a=x{doubled}; sleep $a; sleep 4"), 7_000),
        (format!("sleep 3; a=x{doubled}; $a"), 3_000),
        (
            format!("sleep 3; a=x{doubled}; for i in $a; do sleep 1; done"),
            3_000,
        ),
        (format!("sleep 3; a=x{doubled}; sh -c \"sleep $a\""), 3_000),
        (format!("sleep 3\n{}", "echo \"$a\" ".repeat(70_000)), 0),
    ];
    for (script, at_least_ms) in table {
        let start: String = script.chars().take(60).collect();
        assert_eq!(sh(&script).duration, least(at_least_ms), "{start}");
    }
    // Each value is within the bound, and there are many.
    let long = format!("sleep 3; a={}", "x".repeat(60_000));
    let often = format!("{long}; {}", "echo $a; ".repeat(400));
    assert_eq!(sh(&often).duration, least(3_000));
    let kills = format!("{long}; {}", "kill -$a 1; ".repeat(300));
    let sent = sh(&kills).signals;
    assert!(sent.iter().map(|sent| sent.signal.len()).sum::<usize>() <= 1024 * 1024);
}

#[test]
fn a_shell_and_its_options() {
    let table: [(&[&str], Duration); 13] = [
        (&["/bin/sh", "-c", "sleep 5"], exactly(5_000)),
        (&["bash", "-ec", "sleep 5"], exactly(5_000)),
        (&["/bin/sh", "-xc", "sleep 5"], exactly(5_000)),
        (&["sh", "-e", "-c", "false; sleep 5"], exactly(0)),
        (
            &["bash", "-euo", "pipefail", "-c", "sleep 5"],
            exactly(5_000),
        ),
        (
            &[
                "bash",
                "-euExo",
                "pipefail",
                "-O",
                "inherit_errexit",
                "-c",
                "sleep 5",
            ],
            exactly(5_000),
        ),
        (&["busybox", "sh", "-c", "sleep 5"], exactly(5_000)),
        // No published hook was seen with these.
        (&["bash", "--norc", "-c", "sleep 5"], least(0)),
        (&["bash", "-lc", "sleep 5"], least(0)),
        (&["sh", "-c", "sleep $1", "x", "5"], least(0)),
        // The script is `sleep`; 5 is `$0`.
        (&["sh", "-c", "sleep", "5"], exactly(0)),
        // A file of that name.
        (&["sh", "sleep 5"], exactly(0)),
        (&["sh", "/stop.sh"], least(0)),
    ];
    for (command, expected) in table {
        assert_eq!(hook(command).duration, expected, "{command:?}");
    }
}

#[test]
fn what_the_image_must_have() {
    let needs = |hook: Hook| (hook.needs.shell, hook.needs.sleep);
    assert_eq!(needs(hook(&["sleep", "5"])), (false, true));
    assert_eq!(needs(sh("sleep 5")), (true, true));
    assert_eq!(needs(sh("nginx -s quit")), (true, false));
    assert_eq!(needs(hook(&["/wait-shutdown"])), (false, false));
}

#[test]
fn a_signal_begins_the_stop_at_its_moment() {
    let sent = |hook: Hook| {
        let mut all = hook.signals.into_iter();
        let first = all
            .next()
            .map(|s| (s.target, s.signal, s.after, s.conditional));
        assert!(all.next().is_none());
        first
    };
    let one = |name: &str, ms| Some((Target::ProcessOne, name.to_owned(), exactly(ms), false));
    assert_eq!(sent(sh("sleep 5; kill 1")), one("TERM", 5_000));
    assert_eq!(sent(sh("sleep 5 && kill -QUIT 1")), one("QUIT", 5_000));
    assert_eq!(sent(sh("kill -s SIGINT 1")), one("INT", 0));
    assert_eq!(sent(hook(&["kill", "-15", "--", "1"])), one("TERM", 0));
    let nginx = Some((Target::Server, "QUIT".to_owned(), exactly(10_000), false));
    assert_eq!(sent(sh("sleep 10; /usr/sbin/nginx -s quit")), nginx);
    let named = Some((Target::Perhaps, "TERM".to_owned(), exactly(0), false));
    assert_eq!(sent(sh("kill $(cat /run/app.pid)")), named);
    assert_eq!(sent(sh("pkill app")), named);
    let perhaps = Some((Target::ProcessOne, "TERM".to_owned(), exactly(0), true));
    assert_eq!(sent(sh("[ -f /x ] && kill 1")), perhaps);
    for silent in [
        "kill -0 1",
        "kill -9 1",
        "nginx -s reload",
        "sleep inf; kill 1",
        "echo kill 1",
    ] {
        assert_eq!(sent(sh(silent)), None, "{silent}");
    }
    let nats = Some((Target::Server, "TERM".to_owned(), exactly(0), false));
    assert_eq!(sent(hook(&["nats-server", "--signal", "quit"])), nats);
    // A server in lame duck mode ends by itself, and nobody knows when; with it ends the hook.
    for lame_duck in [
        "nats-server -sl=ldm=/var/run/nats/nats.pid && sleep 60",
        "/nats-server --signal ldm && /bin/sleep 60",
    ] {
        assert_eq!(sent(sh(lame_duck)), None, "{lame_duck}");
        assert_eq!(sh(lame_duck).duration, between(0, 60_000), "{lame_duck}");
    }
    assert_eq!(
        sh("nats-server --signal reload; sleep 9").duration,
        exactly(9_000)
    );
    // The end of the main process ends the hook.
    assert_eq!(sh("kill 1; sleep 9").duration, between(0, 9_000));
}

#[test]
fn a_mistake_is_named() {
    let text = str::to_owned;
    let table: [(&[&str], &[Mistake]); 8] = [
        (&["sleep", "5"], &[]),
        (&[], &[Mistake::Empty]),
        (&["sleep 5"], &[Mistake::NotAProgram(text("sleep 5"))]),
        (&["sh", "sleep 5"], &[Mistake::NotAProgram(text("sleep 5"))]),
        (&["sleep"], &[Mistake::SleepsForNothing]),
        (&["sh", "-c", "sleep 5x"], &[Mistake::NotATime(text("5x"))]),
        (
            &["sleep", "$(DELAY)"],
            &[
                Mistake::NotExpanded(text("DELAY")),
                Mistake::NotATime(text("$(DELAY)")),
            ],
        ),
        (
            &["sh", "-c", "sleep $(DELAY)"],
            &[Mistake::NotExpanded(text("DELAY"))],
        ),
    ];
    for (command, expected) in table {
        assert_eq!(hook(command).mistakes, expected, "{command:?}");
    }
}

#[test]
fn a_bound_that_rests_on_success_says_so() {
    assert!(sh("curl -s localhost/drain && sleep 5").assumes_success);
    assert!(!sh("curl -s localhost/drain; sleep 5").assumes_success);
    assert!(!sh("sleep 5 && sleep 6").assumes_success);
    assert!(hook(&["sh", "-ec", "curl -s localhost/drain; sleep 5"]).assumes_success);
}
