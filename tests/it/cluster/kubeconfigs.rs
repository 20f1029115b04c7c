//! Which server is asked, as whom, and what is shown to it: kubeconfig files and kubectl's flags.

use std::path::Path;

use serde_json::{Value, json};

use super::harness::{Ran, Setup, run};
use crate::fake_api::{BELOW, FakeApi, Fault, recording};

fn web() -> Vec<Value> {
    recording("rollout-midway")
}

fn write(folder: &Path, name: &str, config: &Value) -> String {
    let path = folder.join(name);
    std::fs::write(&path, config.to_string()).expect("a file");
    path.to_str().expect("UTF-8").to_owned()
}

/// Asks for the recording's Service with these variables set.
fn run_with(home: &Path, arguments: &[&str], variables: &[(&str, &str)]) -> Ran {
    let all = [&["svc/web", "-o", "json"], arguments].concat();
    run(home, &all, variables)
}

#[test]
fn several_kubeconfigs_are_merged_and_the_first_wins() {
    let (api, other) = (FakeApi::serving(web()), FakeApi::serving(web()));
    let home = tempfile::tempdir().expect("a folder");
    let contexts = json!({"apiVersion": "v1", "kind": "Config", "current-context": "here",
        "contexts": [{"name": "here",
            "context": {"cluster": "fake", "user": "me", "namespace": "rollout"}}]});
    let cluster = |api: &FakeApi, current: &str| {
        json!({"apiVersion": "v1", "kind": "Config", "current-context": current,
            "clusters": [{"name": "fake", "cluster": api.cluster()}],
            "users": [{"name": "me", "user": {"as": "bob"}}]})
    };
    let list = [
        home.path().join("missing").display().to_string(),
        write(home.path(), "contexts", &contexts),
        // kubectl writes an empty name where none is chosen.
        write(home.path(), "clusters", &cluster(&api, "")),
        write(home.path(), "late", &cluster(&other, "other")),
    ];
    let joined = std::env::join_paths(&list).expect("paths");
    let joined = joined.to_str().expect("UTF-8");
    run_with(home.path(), &[], &[("KUBECONFIG", joined)]).report();
    assert_eq!(other.paths(), [""; 0]);
    assert_ne!(api.paths(), [""; 0]);
    for asked in api.asked() {
        assert_eq!(asked.header("impersonate-user"), Some("bob"));
    }
    let swapped = [&list[1], &list[3], &list[2]];
    let joined = std::env::join_paths(swapped).expect("paths");
    let joined = joined.to_str().expect("UTF-8");
    run_with(home.path(), &[], &[("KUBECONFIG", joined)]).report();
    assert_ne!(other.paths(), [""; 0]);

    // --kubeconfig is that file only, and it must be there.
    let ran = run_with(
        home.path(),
        &["--kubeconfig", &list[0]],
        &[("KUBECONFIG", joined)],
    );
    ran.refused(&["cannot read the kubeconfig", &list[0]]);
}

/// Two contexts of two servers, in `~/.kube/config`.
fn two(current: &str, first: &FakeApi, second: &FakeApi) -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("a folder");
    std::fs::create_dir(home.path().join(".kube")).expect("a folder");
    let config = json!({"apiVersion": "v1", "kind": "Config", "current-context": current,
        "contexts": [
            {"name": "blue", "context": {"cluster": "one", "user": "me", "namespace": "rollout"}},
            {"name": "green", "context": {"cluster": "two", "user": "me"}}],
        "clusters": [
            {"name": "one", "cluster": first.cluster()},
            {"name": "two", "cluster": second.cluster()}],
        "users": [{"name": "me", "user": {}}, {"name": "admin", "user": {"as": "root"}}]});
    write(&home.path().join(".kube"), "config", &config);
    home
}

#[test]
fn a_context_a_cluster_and_a_user_can_be_chosen() {
    let (one, other) = (FakeApi::serving(web()), FakeApi::serving(web()));
    let home = two("blue", &one, &other);
    run_with(home.path(), &[], &[]).report();
    assert!(!one.paths().is_empty() && other.paths().is_empty());

    // The other context has no namespace.
    let ran = run_with(home.path(), &["--context", "green"], &[]);
    ran.refused(&["\"web\"", "\"default\"", "-n rollout"]);
    let arguments = ["--context", "green", "-n", "rollout", "--user", "admin"];
    run_with(home.path(), &arguments, &[]).report();
    let last = other.asked().pop().expect("a request");
    assert_eq!(last.header("impersonate-user"), Some("root"));

    let before = one.paths().len();
    let arguments = ["--cluster", "two"];
    run_with(home.path(), &arguments, &[]).report();
    assert_eq!(one.paths().len(), before);
}

#[test]
fn what_the_kubeconfig_does_not_have_is_an_error_that_says_what_it_has() {
    let (one, other) = (FakeApi::serving(web()), FakeApi::serving(web()));
    let home = two("", &one, &other);
    let refused = |arguments: &[&str], facts: &[&str]| {
        run_with(home.path(), arguments, &[]).refused(facts);
    };
    refused(&[], &["current-context", "--context", "blue, green"]);
    refused(&["--context", "red"], &["context \"red\"", "blue, green"]);
    refused(
        &["--context", "blue", "--cluster", "x"],
        &["cluster \"x\"", "one, two"],
    );
    refused(
        &["--context", "blue", "--user", "x"],
        &["user \"x\"", "admin, me"],
    );
    assert!(one.paths().is_empty() && other.paths().is_empty());
}

#[test]
fn a_kubeconfig_that_is_none_is_an_error_that_says_where_and_not_what() {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("config");
    let file = path.to_str().expect("UTF-8");
    let token = "users:\n- name: me\n  user:\n    token: ";
    for (text, place) in [
        (format!("{token}[s3cr3t\n"), ":4:12 "),
        (format!("{token}{{s3cr3t: s3cr3t}}\n"), ":4:12 "),
        (
            "clusters:\n- name: s3cr3t\n  cluster: 3\n".to_owned(),
            ":3:12 ",
        ),
        (format!("kind: Config\n---\n{token}[s3cr3t]\n"), ":6:12 "),
        ("kind: Config\n---\nkind: Other\n".to_owned(), " "),
    ] {
        std::fs::write(&path, text).expect("a file");
        let ran = run_with(home.path(), &["--kubeconfig", file], &[]);
        ran.refused(&[&format!("{file}{place}")]);
        ran.hides("s3cr3t");
    }
}

#[test]
fn no_kubeconfig_is_an_error_that_says_where_it_was_looked_for() {
    let home = tempfile::tempdir().expect("a folder");
    let ran = run_with(home.path(), &[], &[]);
    let place = home.path().join(".kube").join("config");
    let place = place.display().to_string();
    ran.refused(&["no kubeconfig", &place, "--kubeconfig", "KUBECONFIG", "-f"]);
    let list = std::env::join_paths(["/nowhere/a", "/nowhere/b"]).expect("paths");
    let list = list.to_str().expect("UTF-8");
    let ran = run_with(home.path(), &[], &[("KUBECONFIG", list)]);
    ran.refused(&["/nowhere/a", "/nowhere/b"]);
}

#[test]
fn a_server_can_be_named_without_a_kubeconfig() {
    let api = FakeApi::serving(web());
    let home = tempfile::tempdir().expect("a folder");
    let url = api.url();
    run_with(home.path(), &["-s", &url, "-n", "rollout"], &[]).report();
    let wrong = ["--server", "https://me:s3cr3t@no url", "-n", "rollout"];
    let ran = run_with(home.path(), &wrong, &[]);
    ran.refused(&["server address", "no url"]);
    ran.hides("s3cr3t");

    // A password in an address is no part of the cure.
    api.fault("/", Fault::Status(401, "Unauthorized"));
    let known = url.replace("://", "://me:s3cr3t@");
    let ran = run_with(home.path(), &["-s", &known, "-n", "rollout"], &[]);
    ran.refused(&["kubectl auth whoami", &url]);
    ran.hides("s3cr3t");
}

#[test]
fn whom_to_act_as_reaches_the_server_from_flags_and_from_the_kubeconfig() {
    let api = FakeApi::serving(web());
    let user =
        json!({"as": "file", "as-groups": ["one", "two"], "as-user-extra": {"Reason": ["why"]}});
    let setup = Setup::with_user(&api, "rollout", &user);
    let acting = |arguments: &[&str]| {
        setup
            .run(&[&["svc/web", "-o", "json"], arguments].concat())
            .report();
        let last = api.asked().pop().expect("a request");
        let groups = last.headers.get_all("impersonate-group").iter();
        let groups: Vec<String> = groups
            .map(|group| group.to_str().expect("text").to_owned())
            .collect();
        let one = |name: &str| last.header(name).unwrap_or("-").to_owned();
        format!(
            "{} {} {} {}",
            one("impersonate-user"),
            one("impersonate-uid"),
            groups.join("+"),
            one("impersonate-extra-reason")
        )
    };
    assert_eq!(acting(&[]), "file - one+two why");
    let flags = [
        "--as",
        "flag",
        "--as-uid",
        "7",
        "--as-group",
        "a,b",
        "--as-group",
        "c",
    ];
    assert_eq!(acting(&flags), "flag 7 a,b+c why");
    assert_eq!(acting(&["--as-group", "c"]), "file - c why");
    // The key of a header is in any case; the flag's values take the place of the kubeconfig's.
    let extra = ["--as-user-extra", "Reason=a=b"];
    assert_eq!(acting(&extra), "file - one+two a=b");
    let other = ["--as-user-extra", "Ticket=7"];
    assert_eq!(acting(&other), "file - one+two why");
    assert_eq!(
        api.asked()
            .pop()
            .expect("a request")
            .header("impersonate-extra-ticket"),
        Some("7")
    );
    setup
        .run(&["svc/web", "--as-user-extra", "Reason"])
        .refused(&["\"Reason\" is not KEY=VALUE"]);

    // Nobody to act as: kubectl leaves out what the kubeconfig says of him; flags were meant.
    let setup = Setup::with_user(&api, "rollout", &json!({"as": "", "as-groups": ["one"]}));
    setup.run(&["svc/web", "-o", "json"]).report();
    let last = api.asked().pop().expect("a request");
    assert_eq!(last.header("impersonate-group"), None);
    setup
        .run(&["svc/web", "--as-group", "c"])
        .refused(&["--as-group", "name the user with --as"]);
    setup
        .run(&["svc/web", "--as-user-extra", "a=b"])
        .refused(&["--as-user-extra", "name the user with --as"]);
}

#[test]
fn answers_come_compressed_unless_that_is_switched_off() {
    // That compressed ones are read shows where long lists are.
    let api = FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    let coding = |arguments: &[&str]| {
        setup
            .run(&[&["svc/web", "-o", "json"], arguments].concat())
            .report();
        let last = api.asked().pop().expect("a request");
        last.header("accept-encoding").map(str::to_owned)
    };
    assert_eq!(coding(&[]).as_deref(), Some("gzip"));
    assert_eq!(coding(&["--disable-compression"]), None);
    assert_eq!(
        coding(&["--disable-compression=false"]).as_deref(),
        Some("gzip")
    );
}

#[test]
fn a_server_below_a_path_is_asked_below_it() {
    let api = FakeApi::serving(web());
    let home = tempfile::tempdir().expect("a folder");
    for url in [
        format!("{}{BELOW}", api.url()),
        format!("{}{BELOW}/", api.url()),
    ] {
        run_with(home.path(), &["-s", &url, "-n", "rollout"], &[]).report();
    }
    for path in api.paths() {
        assert!(path.starts_with(BELOW) && !path.contains("//"), "{path}");
    }
}
