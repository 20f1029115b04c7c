//! API servers, kubeconfigs and plugins that nobody should trust: none takes more memory or time than was allowed, and none gets a
//! secret onto the screen.

use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use drain_check::client::Connection;
use serde_json::{Value, json};

use crate::cluster::harness::{Setup, ask, named, run};
use crate::fake_api::{FakeApi, Fault, kube_proxy, recording};

const MB: usize = 1024 * 1024;

/// What a run may take beside what it reads.
pub(super) const BESIDE: usize = 64 * MB;

/// Long enough on a busy machine; a run that takes longer hangs.
const HANGS: Duration = Duration::from_secs(60);

fn api() -> FakeApi {
    FakeApi::serving([recording("rollout-midway"), kube_proxy()].concat())
}

/// The binary, with nothing in its environment but a home.
fn start(setup: &Setup, arguments: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(arguments)
        .arg("--kubeconfig")
        .arg(&setup.kubeconfig)
        .env_clear()
        .env("HOME", setup.folder.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary")
}

/// Waits for the end, but not for ever: how it ended, and the most memory that it had resident, in bytes, as the system counts it.
pub(super) fn ended(mut child: Child) -> (Option<i32>, String, usize) {
    let status = format!("/proc/{}/status", child.id());
    let (began, mut peak) = (Instant::now(), 0);
    let code = loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        if let Some(status) = child.try_wait().expect("a child") {
            break status.code();
        }
        if began.elapsed() > HANGS {
            child.kill().expect("a child");
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let output = child.wait_with_output().expect("a child");
    (code, String::from_utf8(output.stderr).expect("UTF-8"), peak)
}

/// The beginning of so many megabytes of nothing in gzip: a head (RFC 1952, 2.3), and blocks that end at a byte, one like the other
/// (RFC 1951, 3.2.3). No end: nobody comes so far.
fn bomb(megabytes: usize) -> Vec<u8> {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b' '; MB]).expect("memory");
    packer.flush().expect("memory");
    let head = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    [&head[..], &packer.get_ref().repeat(megabytes)].concat()
}

#[test]
fn an_answer_is_read_as_far_as_its_limit_and_the_error_names_the_flag_that_raises_it() {
    let unpacked = "the answer is too large: it has more than 4 MB";
    for (fault, said) in [
        (
            Fault::Endless(Some(10 * 1024 * MB as u64)),
            "the answer is too large: the server announces more than 4 MB",
        ),
        (Fault::Endless(None), unpacked),
        // 1 MB that unpacks to 1 GB.
        (Fault::Gzip(bomb(1024)), unpacked),
    ] {
        let api = api();
        api.fault("/api/v1/namespaces/rollout/services", fault);
        let setup = Setup::new(&api, "rollout");
        let child = start(&setup, &["svc/web", "--max-answer-size", "4"]);
        let (code, err, peak) = ended(child);
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(said), "{err}");
        assert!(err.contains("--max-answer-size 8 "), "{err}");
        assert!(peak < BESIDE + 30 * 4 * MB, "{} MB", peak / MB);
    }
}

#[test]
fn what_cannot_be_unpacked_is_said_to_be_that_and_no_broken_connection() {
    let packed = |text: &[u8]| {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(text).expect("memory");
        packer.finish().expect("memory")
    };
    let list = br#"{"kind":"ServiceList","apiVersion":"v1","metadata":{},"items":[]}"#;
    let whole = packed(list);
    let long = packed(&vec![b' '; 300_000]);
    for (what, body) in [
        (
            "bytes after its end",
            [&whole[..], &vec![b'x'; 200_000]].concat(),
        ),
        ("no end", whole[..whole.len() - 9].to_vec()),
        ("a wrong sum", [&whole[..whole.len() - 8], &[0; 8]].concat()),
        ("something else", b"{}".to_vec()),
        ("the middle broken", [&long[..40], &[0xff; 40]].concat()),
    ] {
        let api = api();
        api.fault("/api/v1/namespaces/rollout/services", Fault::Gzip(body));
        let ran = Setup::new(&api, "rollout").run(&["svc/web"]);
        assert_eq!(ran.code, Some(2), "{what}: {}", ran.err);
        assert!(
            ran.err.contains("cannot be unpacked"),
            "{what}: {}",
            ran.err
        );
        assert!(!ran.err.contains("cannot talk to"), "{what}: {}", ran.err);
    }
}

#[test]
fn answers_that_come_side_by_side_share_one_limit() {
    let api = api();
    api.fault("/", Fault::Gzip(bomb(256)));
    let setup = Setup::new(&api, "rollout");
    let child = start(&setup, &["-A", "--max-answer-size", "8"]);
    let (code, err, peak) = ended(child);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("too large"), "{err}");
    assert!(peak < BESIDE + 4 * 8 * MB + 64 * MB, "{} MB", peak / MB);
}

#[test]
fn what_is_no_more_than_a_hole_says_which_limit_was_reached() {
    let api = api();
    api.fault("/api/v1/nodes", Fault::Gzip(bomb(8)));
    let page = |count: usize| {
        let one = r#"{"metadata":{"name":"a"}}"#;
        let items = vec![one; count].join(",");
        format!(r#"{{"kind":"EventList","apiVersion":"v1","metadata":{{}},"items":[{items}]}}"#)
    };
    // 16384 objects to a megabyte.
    api.fault(
        "/api/v1/namespaces/rollout/events",
        Fault::Body("application/json", page(17_000)),
    );
    let ran = Setup::new(&api, "rollout").run(&["svc/web", "-o", "json", "--max-answer-size", "1"]);
    let gaps = serde_json::from_str::<Value>(&ran.out).expect("JSON")["gaps"].to_string();
    for said in [
        "it has more than 1 MB; --max-answer-size 2 allows twice that",
        "all lists together have more than 16384 objects; --max-answer-size 2",
    ] {
        assert!(gaps.contains(said), "{gaps}");
    }
}

#[test]
fn of_many_objects_that_cannot_be_read_the_first_is_named_and_the_others_are_counted() {
    let api = api();
    let items = vec!["7"; 16_000].join(",");
    let list =
        format!(r#"{{"kind":"NodeList","apiVersion":"v1","metadata":{{}},"items":[{items}]}}"#);
    api.fault("/api/v1/nodes", Fault::Body("application/json", list));
    let ran = Setup::new(&api, "rollout").run(&["svc/web", "-o", "json"]);
    let gaps = serde_json::from_str::<Value>(&ran.out).expect("JSON")["gaps"].to_string();
    assert!(
        gaps.contains("16000 could not be read, the first of them: one without a name"),
        "{gaps}"
    );
    assert!(gaps.len() < 10_000, "{}", gaps.len());
}

#[test]
fn what_does_not_fit_is_named_by_its_field_and_never_quoted() {
    let mut objects = [recording("rollout-midway"), kube_proxy()].concat();
    let pod = objects
        .iter_mut()
        .find(|object| object["kind"] == "Pod")
        .expect("a pod");
    pod["spec"]["containers"][0]["env"] = json!(["PASSWORD=hunter2"]);
    let setup = Setup::new(&FakeApi::serving(objects.clone()), "rollout");
    let file = setup.folder.path().join("list.json");
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects});
    std::fs::write(&file, list.to_string()).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let api = FakeApi::serving(objects);
    let live = Setup::new(&api, "rollout");
    // A table has no room for it.
    live.run(&["svc/web"]).hides("hunter2");
    for ran in [
        live.run(&["svc/web", "-o", "json"]),
        live.run(&["snapshot"]),
        run(setup.folder.path(), &["-f", file], &[]),
        run(setup.folder.path(), &["-f", file, "-o", "json"], &[]),
        run(
            setup.folder.path(),
            &["lint", "-f", file, "-o", "json"],
            &[],
        ),
    ] {
        ran.hides("hunter2");
        let said = ran.out + &ran.err;
        assert!(
            said.contains("spec.containers[0].env[0]: invalid type: string, "),
            "{said}"
        );
    }
}

/// Runs a shell's script as a plugin.
fn plugin(script: &str) -> Value {
    json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never",
        "command": "/bin/sh", "args": ["-c", script]}})
}

#[test]
fn a_plugin_that_never_stops_printing_is_killed() {
    let api = FakeApi::serving_tls(recording("rollout-midway"));
    let setup = Setup::with_user(&api, "rollout", &plugin("exec yes hunter2"));
    let (code, err, peak) = ended(start(&setup, &["svc/web"]));
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("it printed more than 1 MB"), "{err}");
    assert!(!err.contains("hunter2"), "{err}");
    assert!(peak < BESIDE, "{} MB", peak / MB);
}

#[test]
fn a_plugin_that_never_ends_is_ended_with_the_time_for_all_of_it() {
    let api = FakeApi::serving_tls(recording("rollout-midway"));
    let setup = Setup::with_user(&api, "rollout", &plugin("exec sleep 600"));
    let connection = Connection {
        deadline: Some(Duration::from_millis(200)),
        ..setup.connection()
    };
    let error = ask(&connection, &named(&["svc/web"])).expect_err("no credentials");
    assert!(
        error.to_string().contains("it did not end within 200ms"),
        "{error}"
    );
    assert!(
        error.help().starts_with("--request-timeout 0 "),
        "{}",
        error.help()
    );
}

#[test]
fn what_a_kubeconfig_says_of_a_plugin_cannot_steer_the_terminal() {
    let api = FakeApi::serving_tls(recording("rollout-midway"));
    let mut user = plugin("");
    user["exec"]["command"] = json!("no-such\u{1b}[2J\u{202e}plugin");
    user["exec"]["installHint"] = json!("get it\u{1b}]0;x\u{7} \u{61c}\u{2066}here\nand there");
    let ran = Setup::with_user(&api, "rollout", &user).run(&["svc/web"]);
    ran.refused(&["no-such", "get it", "here", "and there"]);
    assert!(!ran.err.contains(super::steers), "{:?}", ran.err);
}

#[test]
fn a_plugin_speaks_the_version_that_the_kubeconfig_says() {
    let api = FakeApi::serving_tls(recording("rollout-midway"));
    let answer = |version: &str, kind: &str| {
        format!(
            r#"echo '{{"apiVersion":"{version}","kind":"{kind}","status":{{"token":"hunter2"}}}}'"#
        )
    };
    let v1 = "client.authentication.k8s.io/v1";
    let beta = "client.authentication.k8s.io/v1beta1";
    for (script, said) in [
        (
            answer(beta, "ExecCredential"),
            "answers in client.authentication.k8s.io/v1beta1",
        ),
        (
            answer(v1, "Secret"),
            "no ExecCredential, but something else",
        ),
    ] {
        let ran = Setup::with_user(&api, "rollout", &plugin(&script)).run(&["svc/web"]);
        ran.refused(&[said]);
        ran.hides("hunter2");
    }
    for version in ["client.authentication.k8s.io/v1alpha1", "", "v1"] {
        let mut user = plugin(&answer(version, "ExecCredential"));
        user["exec"]["apiVersion"] = json!(version);
        let ran = Setup::with_user(&api, "rollout", &user).run(&["svc/web"]);
        ran.refused(&["are known", "apiVersion in the kubeconfig's exec"]);
    }
    let mut user = plugin(&answer(beta, "ExecCredential"));
    user["exec"]["apiVersion"] = json!(beta);
    Setup::with_user(&api, "rollout", &user)
        .run(&["svc/web", "-o", "json"])
        .report();
}

/// Presses Ctrl-C once something has begun, and says how long the end took.
fn interrupted(child: Child) -> Duration {
    std::thread::sleep(Duration::from_millis(700));
    let pid = child.id().to_string();
    let began = Instant::now();
    let status = Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .expect("kill");
    assert!(status.success());
    let (code, err, _) = ended(child);
    assert_eq!(code, Some(130), "{err}");
    began.elapsed()
}

#[test]
fn ctrl_c_ends_a_run_whatever_a_server_or_a_plugin_is_at() {
    // A second, and some more where many tests run side by side.
    let soon = Duration::from_secs(4);
    let folder = tempfile::tempdir().expect("a folder");
    let note = folder.path().join("pid");
    let tls = FakeApi::serving_tls(recording("rollout-midway"));
    let script = format!("echo $$ > '{}'; exec sleep 600", note.display());
    let setup = Setup::with_user(&tls, "rollout", &plugin(&script));
    assert!(interrupted(start(&setup, &["svc/web"])) < soon);
    let pid = std::fs::read_to_string(&note).expect("a plugin that began");
    let running = Path::new("/proc").join(pid.trim()).join("cmdline");
    let left = std::fs::read(running).unwrap_or_default();
    assert!(!left.starts_with(b"sleep"), "the plugin goes on");

    let api = api();
    // As much as one answer may have, again and again: it is always at work.
    api.fault("/", Fault::Gzip(bomb(2000)));
    let setup = Setup::new(&api, "rollout");
    let arguments = ["-A", "--max-answer-size", "4000"];
    assert!(interrupted(start(&setup, &arguments)) < soon);
}

fn config(cluster: &Value, users: &Value) -> Value {
    json!({"apiVersion": "v1", "kind": "Config", "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": cluster}], "users": users})
}

/// Runs a check with this kubeconfig.
fn with(
    text: &str,
    arguments: &[&str],
    variables: &[(&str, &str)],
) -> crate::cluster::harness::Ran {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("config");
    std::fs::write(&file, text).expect("a file");
    let file = file.to_str().expect("UTF-8");
    let all = [
        &["svc/web", "--request-timeout", "2s", "--kubeconfig", file],
        arguments,
    ]
    .concat();
    run(folder.path(), &all, variables)
}

#[test]
fn no_error_about_a_proxy_or_a_server_shows_the_password_in_its_address() {
    let server = "https://127.9.9.9:1";
    for url in [
        "http://me:hunter2@127.0.0.1:1",
        "https://me:hunter2@127.0.0.1:1",
        "socks5://me:hunter2@127.0.0.1:1",
        "me:hunter2@127.0.0.1:1",
        "http://me:hunter2@",
        "http://me:hunter2@[::1",
        "http://me:hunter2@a b",
        "http://me:hun%ter2@x:99999",
        "ftp://me:hunter2@x",
        "http://me:hunter2 @127.0.0.1:1",
        "http://hunter2",
        "hunter2://x",
    ] {
        let proxied = config(&json!({"server": server, "proxy-url": url}), &json!([])).to_string();
        let direct = config(&json!({"server": server}), &json!([])).to_string();
        let asked = config(
            &json!({"server": url, "insecure-skip-tls-verify": true}),
            &json!([]),
        )
        .to_string();
        for ran in [
            with(&proxied, &[], &[]),
            with(&proxied, &["-v=9"], &[]),
            with(&direct, &[], &[("HTTPS_PROXY", url)]),
        ] {
            assert_eq!(ran.code, Some(2), "{}", ran.out);
            ran.hides("hunter2");
        }
        // What is no password is a host, which is told.
        if url.contains('@') {
            with(&asked, &[], &[]).hides("hunter2");
            with(&direct, &["--server", url], &[]).hides("hunter2");
        }
    }
}

#[test]
fn an_authority_and_no_verification_contradict_each_other_as_in_kubectl() {
    let api = FakeApi::serving_tls([recording("rollout-midway"), kube_proxy()].concat());
    let mut cluster = api.cluster();
    let authority = cluster["certificate-authority"].clone();
    let authority = authority.as_str().expect("a file");
    cluster["insecure-skip-tls-verify"] = json!(true);
    let both = config(&cluster, &json!([])).to_string();
    let facts = [
        "certificate authority",
        "not verified",
        "kubectl refuses both",
    ];
    let tail = ["-n", "rollout", "-o", "json"];
    let ran = |more: &[&str]| with(&both, &[&tail[..], more].concat(), &[]);
    ran(&[]).refused(&facts);
    // Flags win, and take away what would contradict them (client-go, `getCluster`).
    ran(&["--insecure-skip-tls-verify"]).report();
    ran(&["--certificate-authority", authority]).report();
    ran(&[
        "--certificate-authority",
        authority,
        "--insecure-skip-tls-verify",
    ])
    .refused(&facts);
    assert!(!api.asked().is_empty());
    // kubectl looks at the two before it reads the file: one that is not there hides nothing.
    cluster["certificate-authority"] = json!("not-there.crt");
    let absent = config(&cluster, &json!([])).to_string();
    with(&absent, &tail, &[]).refused(&facts);
}

#[test]
fn a_kubeconfig_has_a_limit_and_costs_what_it_holds_below_it() {
    let names =
        (0..20_000).map(|at| format!("- {{name: context-number-{at}, context: {{cluster: c}}}}\n"));
    let many = format!(
        "apiVersion: v1\nkind: Config\ncontexts:\n{}",
        names.collect::<String>()
    );
    let token = "A".repeat(8 * MB);
    let long = config(
        &json!({"server": "https://127.9.9.9:1"}),
        &json!([{"name": "u", "user": {"token": token}}]),
    );
    let large = format!(
        "# {}\n{}",
        "x".repeat(17 * MB),
        config(&json!({}), &json!([]))
    );
    for (text, said) in [
        (many, "and 19980 more"),
        (long.to_string(), "cannot talk to https://127.9.9.9:1"),
        (
            large,
            "it has more than 16 MB\n  help: kubectl config view --minify",
        ),
        ("[".repeat(MB), "cannot be read as one"),
        (
            "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\n".to_owned()
                + &"c: [*b,*b,*b,*b,*b,*b,*b,*b]\n".repeat(1000),
            "cannot be read as one",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let kubeconfig = folder.path().join("config");
        std::fs::write(&kubeconfig, &text).expect("a file");
        let (code, err, peak) = ended(start(&Setup { folder, kubeconfig }, &["svc/web"]));
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(said), "{err}");
        assert!(err.len() < 10_000, "{}", err.len());
        assert!(peak < BESIDE + 30 * text.len(), "{} MB", peak / MB);
    }
}
