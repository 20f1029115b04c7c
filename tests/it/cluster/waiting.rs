//! While somebody waits: one line on a terminal, nothing elsewhere, and Ctrl-C leaves at once.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use drain_check::app::{self, Io};
use drain_check::cli::Cli;

use super::harness::Setup;
use crate::fake_api::{FakeApi, Fault};

const ERASE: &str = "\r\x1b[K";

fn cluster() -> (FakeApi, Setup) {
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    (api, setup)
}

/// What a run writes beside the report.
fn beside(setup: &Setup, terminal: bool, width: u16) -> String {
    let file = setup.kubeconfig.to_str().expect("UTF-8");
    let cli = ["kubectl-drain_check", "svc/web", "--kubeconfig", file];
    let cli = Cli::try_parse_from(cli).expect("flags");
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let io = Io {
        width,
        ascii: false,
        stdin: &mut &b""[..],
        out: &mut out,
        err: &mut err,
        terminal,
        screen: None,
    };
    app::run(&cli, io).expect("an answer");
    let out = String::from_utf8(out).expect("UTF-8");
    assert!(out.contains("svc/web") && !out.contains(ERASE), "{out}");
    String::from_utf8(err).expect("UTF-8")
}

#[test]
fn whoever_waits_at_a_terminal_sees_for_what_in_one_line_that_goes_away() {
    let (api, setup) = cluster();
    api.fault("/api/v1/nodes", Fault::Late(Duration::from_millis(1500)));
    let written = beside(&setup, true, 200);
    let lines: Vec<&str> = written.split(ERASE).collect();
    assert_eq!((lines.first(), lines.last()), (Some(&""), Some(&"")));
    let shown = &lines[1..lines.len() - 1];
    assert!(shown.len() > 1, "{written:?}");
    for line in shown {
        assert!(line.starts_with("waiting for "), "{line:?}");
        assert!(line.contains("nodes"), "{line:?}");
        assert!(line.ends_with(" objects so far"), "{line:?}");
        assert!(!line.contains('\n'), "{line:?}");
    }
    for line in beside(&setup, true, 12).split(ERASE) {
        assert!(line.len() < 12, "{line:?}");
    }
}

#[test]
fn nothing_is_shown_of_a_quick_answer_or_where_nobody_looks() {
    let (api, setup) = cluster();
    // A busy machine may take longer once or twice.
    assert!((0..20).any(|_| beside(&setup, true, 80).is_empty()));
    api.fault("/api/v1/nodes", Fault::Late(Duration::from_secs(1)));
    assert_eq!(beside(&setup, false, 80), "");
}

/// The program, which waits for nodes for a minute.
#[cfg(unix)]
fn waiting(api: &FakeApi, setup: &Setup) -> Child {
    api.fault("/api/v1/nodes", Fault::Late(Duration::from_secs(60)));
    let child = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(["svc/web", "--kubeconfig"])
        .arg(&setup.kubeconfig)
        .env_clear()
        .env("HOME", setup.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let asked = (0..1000).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        api.paths()
            .iter()
            .any(|path| path.starts_with("/api/v1/nodes"))
    });
    assert!(asked);
    child
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_at_once_without_a_word() {
    let (api, setup) = cluster();
    let mut child = waiting(&api, &setup);
    let started = Instant::now();
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -INT {}", child.id())])
        .status();
    assert!(sent.expect("a shell").success());
    let mut words = String::new();
    for pipe in [
        child
            .stdout
            .take()
            .map(|pipe| Box::new(pipe) as Box<dyn Read>),
        child
            .stderr
            .take()
            .map(|pipe| Box::new(pipe) as Box<dyn Read>),
    ] {
        let mut pipe = pipe.expect("a pipe");
        pipe.read_to_string(&mut words).expect("UTF-8");
    }
    let ended = child.wait().expect("an end");
    assert!(started.elapsed() < Duration::from_secs(5));
    assert_eq!(ended.code(), Some(130), "{words}");
    assert_eq!(words, "");
}

/// `script` of util-linux gives a program a terminal.
#[cfg(target_os = "linux")]
#[test]
fn a_real_terminal_is_one() {
    let Some(programs) = crate::programs::Programs::with("script") else {
        return;
    };
    let which = programs.command("script", &[]).arg("--version").output();
    let which = which.expect("script");
    if !String::from_utf8_lossy(&which.stdout).contains("util-linux") {
        return;
    }
    let (api, setup) = cluster();
    api.fault("/api/v1/nodes", Fault::Late(Duration::from_millis(1500)));
    let command = format!(
        "{} svc/web --kubeconfig {} > {}",
        env!("CARGO_BIN_EXE_kubectl-drain_check"),
        setup.kubeconfig.display(),
        setup.folder.path().join("out").display()
    );
    let ran = programs
        .command("script", &[])
        .args(["-qec", &command, "/dev/null"])
        .stdin(Stdio::null())
        .output()
        .expect("script");
    let seen = String::from_utf8_lossy(&ran.stdout);
    assert!(seen.contains("waiting for "), "{seen:?}");
    assert!(seen.trim_end_matches("\r\n").ends_with(ERASE), "{seen:?}");
}
