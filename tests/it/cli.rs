//! The binary itself: exit codes, streams and errors.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use clap::{CommandFactory, Parser};
use drain_check::cli::Cli;
use serde_json::Value;

use crate::recording;

fn run(arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary");
    let mut pipe = child.stdin.take().expect("a pipe");
    // A run that fails before it reads closes the pipe.
    let _ = pipe.write_all(stdin.as_bytes());
    drop(pipe);
    child.wait_with_output().expect("an exit")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[test]
fn a_wrong_name_names_the_near_one_and_exits_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recording::file(folder.path(), "all-terminating-serving");
    let output = run(&["svc/the-ap", "-f", file.to_str().expect("UTF-8")], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    let said = text(&output.stderr);
    assert!(
        said.starts_with("error: ") && said.contains("the-app"),
        "{said}"
    );
}

#[test]
fn a_broken_document_is_reported_with_its_line_and_the_rest_is_answered() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n---\nkind: [\n---\n\
                 apiVersion: v1\nkind: Service\nmetadata: {name: ten, namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.2, ports: [{port: eighty}]}\n";
    let output = run(&["-f", "-", "-o", "json"], input);
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["services"][0]["name"], "web");
    assert_eq!(report["services"].as_array().map(Vec::len), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains(":6:") || said.contains(":7:"), "{said}");
    assert!(said.contains("spec.ports[0].port"), "{said}");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: \"a\\e[2Jb\", namespace: shop}\n\
                 spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n---\n\
                 apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\naddressType: IPv4\n\
                 metadata: {name: x, namespace: shop, labels: {kubernetes.io/service-name: \"a\\e[2Jb\"}}\n\
                 endpoints: [{addresses: [10.1.0.1], nodeName: \"n\\u202ed\"}]\n\
                 ports: [{name: \"\", port: 80}]\n";
    let output = run(&["-f", "-"], input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(!output.stdout.contains(&0x1b));
    assert!(text(&output.stdout).contains("\\u{1b}"));
}

#[test]
fn errors_about_hostile_names_cannot_steer_the_terminal_either() {
    let twice = "\"a\\e[2J\": 1\n\"a\\e[2J\": 2\n---\n";
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: \"web\\e[2J\"}\n";
    let output = run(&["-f", "-", "svc/web"], &format!("{twice}{service}"));
    let said = text(&output.stderr);
    assert!(said.contains("there is web\\u{1b}[2J"), "{said}");
    assert!(
        said.contains("the key `a\\u{1b}[2J` occurs twice"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn the_lines_that_lint_shows_cannot_steer_the_terminal_either() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: \"a\\e[2Jb\"}\n\
                 spec: {selector: {app: a}, ports: [{port: 80}]}\n---\n\
                 apiVersion: v1\nkind: Pod\nmetadata: {name: \"a\\e[2Jb\", labels: {app: a}}\n\
                 spec:\n  terminationGracePeriodSeconds: 0 # \u{202e}\n  containers: [{name: \"a\\e[2Jb\", image: \"web:1\"}]\n---\nx: \u{9b}2J\n";
    let output = run(&["lint", "-f", "-", "--color", "always"], input);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let out = text(&output.stdout);
    assert!(out.contains("DC208") && out.contains("\u{1b}["), "{out}");
    for hostile in ["\u{1b}[2J", "\u{9b}", "\u{202e}"] {
        assert!(!out.contains(hostile), "{hostile:?} in {out}");
    }
}

#[test]
fn a_gate_that_kube_proxy_would_refuse_is_an_error_that_says_since_when() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recording::file(folder.path(), "all-terminating-serving");
    let gate = ["--feature-gates", "ProxyTerminatingEndpoints=false"];
    let output = run(&["-f", file.to_str().expect("UTF-8"), gate[0], gate[1]], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stderr).contains("removed in 1.30"),
        "{}",
        text(&output.stderr)
    );
}

/// Runs the program with these variables.
fn run_with(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(arguments)
        .env_clear()
        .envs(variables.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the binary")
}

/// Every command, the check itself first.
fn commands() -> Vec<String> {
    let command = Cli::command();
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    let names = shown.map(|one| one.get_name().to_owned());
    std::iter::once(String::new()).chain(names).collect()
}

#[test]
fn short_help_fits_a_screen_and_long_help_has_every_flag() {
    for command in commands() {
        let words: Vec<_> = command.split_whitespace().collect();
        let help = |flag: &str| {
            let output = run_with(&[&words[..], &[flag]].concat(), &[("COLUMNS", "80")]);
            assert_eq!(output.status.code(), Some(0), "{command}");
            text(&output.stdout)
        };
        let short = help("-h");
        assert!(short.lines().count() <= 40, "{command}: {short}");
        for line in short.lines() {
            assert!(line.chars().count() <= 80, "{command}: {line}");
        }
        assert!(!short.contains("--kubeconfig"), "{command}: {short}");
        let long = help("--help");
        let all = Cli::command();
        let of = all.find_subcommand(&command).unwrap_or(&all);
        for flag in of.get_arguments().filter(|flag| !flag.is_hide_set()) {
            if let Some(name) = flag.get_long() {
                assert!(long.contains(&format!("--{name}")), "{command}: {name}");
            }
            if !flag.get_action().takes_values() {
                continue;
            }
            for value in flag.get_possible_values() {
                assert!(long.contains(value.get_name()), "{command}: {value:?}");
            }
        }
    }
    let long = text(&run_with(&["--help"], &[("COLUMNS", "80")]).stdout);
    let (own, connection) = long
        .split_once("Connection (as in kubectl):")
        .expect("their heading");
    assert!(
        connection.contains("--as-user-extra <KEY=VALUE>"),
        "{connection}"
    );
    assert!(own.contains("--color"), "no flag for the connection");
}

#[test]
fn what_columns_says_is_the_width_of_everything() {
    for arguments in [
        &["explain"][..],
        &["explain", "serving"],
        &["explain", "1.26"],
        &["explain", "faq"],
        &["rules"],
        &["versions"],
        &["lint", "--help"],
    ] {
        for width in [50, 90] {
            let columns = width.to_string();
            let out = text(&run_with(arguments, &[("COLUMNS", &columns)]).stdout);
            let longest = out
                .lines()
                // Names, addresses and examples are never broken.
                .filter(|line| line.trim().contains(' '))
                .filter(|line| !line.contains("kubectl drain-check") && !line.contains("http"))
                .map(|line| line.chars().count())
                .max()
                .unwrap_or(0);
            assert!(
                longest <= width,
                "{arguments:?} at {width}: {longest}\n{out}"
            );
            assert!(
                longest > width - 30,
                "{arguments:?} at {width}: {longest}\n{out}"
            );
        }
    }
    // Neither a number nor a terminal.
    let wide = run_with(&["explain", "serving"], &[("COLUMNS", "wide")]);
    assert_eq!(wide.stdout, run_with(&["explain", "serving"], &[]).stdout);
}

#[test]
fn one_target_that_fails_does_not_silence_the_others() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = recording::file(folder.path(), "policies-node-a-terminating");
    let file = file.to_str().expect("UTF-8");
    let words = [
        "svc",
        "api-zone",
        "api-typo",
        "nothing-like-it",
        "-f",
        file,
        "-o",
        "json",
    ];
    let output = run(&words, "");
    assert_eq!(output.status.code(), Some(2));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(report["services"].as_array().map(Vec::len), Some(1));
    assert_eq!(report["services"][0]["name"], "api-zone");
    let said = text(&output.stderr);
    assert_eq!(said.matches("error: ").count(), 2, "{said}");
    assert!(
        said.contains("service/api-typo is not in the input"),
        "{said}"
    );
    assert!(said.contains("service/nothing-like-it is not"), "{said}");
    // Nothing is left of what was named: no answer at all.
    let output = run(&["svc", "x-1", "x-2", "-f", file], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(text(&output.stderr).matches("error: ").count(), 2);
}

const TWO_NAMESPACES: &str = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
                              spec: {clusterIP: 10.0.0.1, ports: [{port: 80}]}\n---\n\
                              apiVersion: v1\nkind: Service\nmetadata: {name: svc, namespace: bank}\n\
                              spec: {clusterIP: 10.0.0.2, ports: [{port: 80}]}\n";

#[test]
fn a_name_in_the_wrong_namespace_of_files_says_where_it_is() {
    let output = run(&["svc/web", "-n", "bank", "-f", "-"], TWO_NAMESPACES);
    assert_eq!(output.status.code(), Some(2));
    let said = text(&output.stderr);
    assert!(
        said.contains("service/web is not in the input in namespace \"bank\"")
            && said.contains("one of this name is in shop: add -n shop"),
        "{said}"
    );
}

#[test]
fn a_kind_and_names_are_two_words_and_a_lone_word_is_a_name() {
    let named = |words: &[&str]| {
        let output = run(
            &[words, &["-f", "-", "-o", "name"]].concat(),
            TWO_NAMESPACES,
        );
        (text(&output.stdout), text(&output.stderr))
    };
    assert_eq!(named(&["svc", "web"]).0, "service/web\n");
    assert_eq!(named(&["services", "web", "svc"]).0.lines().count(), 2);
    // A Service that is really called svc.
    assert_eq!(named(&["svc"]).0, "service/svc\n");
    assert_eq!(named(&["svc/svc"]).0, "service/svc\n");
    assert_eq!(named(&["svc", "svc"]).0, "service/svc\n");
    let (out, said) = named(&["svc", "svc/web"]);
    assert_eq!(out, "");
    assert!(said.contains("has one of its own"), "{said}");
    let (_, said) = named(&["cm/web"]);
    assert!(
        said.contains("unsupported kind \"cm\"; try svc, deploy, sts, ds, rs or pod"),
        "{said}"
    );
}

#[test]
fn names_for_other_programs_come_in_the_order_of_the_scan() {
    for name in ["policies-node-a-terminating", "random-pods"] {
        let scan = recording::shown(name, &["--no-headers"], 300);
        let rows = scan.lines().take_while(|line| !line.is_empty());
        let scanned: Vec<_> = rows
            .map(|row| row.split_whitespace().next().expect("a name").to_owned())
            .collect();
        assert!(scanned.len() > 2, "{scan}");
        let names = recording::shown(name, &["-o", "name"], 80);
        let names: Vec<_> = names
            .lines()
            .map(|line| line.strip_prefix("service/").expect("a Service").to_owned())
            .collect();
        assert_eq!(names, scanned, "{name}");
        let with = recording::shown(name, &[], 300);
        let (header, rest) = with.split_once('\n').expect("lines");
        assert!(header.starts_with("SERVICE "), "{header}");
        // What the rules mean and how many there are is for people.
        let rows = rest.lines().take_while(|line| !line.is_empty());
        let bare = scan.lines().take_while(|line| !line.is_empty());
        assert_eq!(rows.count(), bare.count());
    }
}

#[test]
fn the_k9s_plugins_are_what_k9s_reads_and_their_commands_are_ours() {
    let page = crate::checkout::text("docs/k9s.md");
    let (_, block) = page.split_once("```yaml\n").expect("a snippet");
    let (block, _) = block.split_once("```").expect("its end");
    let file: Value = serde_yaml::from_str(block).expect("YAML");
    let plugins = file["plugins"].as_object().expect("plugins");
    let mut scopes = Vec::new();
    for (name, plugin) in plugins {
        // What k9s' own schema knows and wants (internal/config/json/schemas/plugins.json).
        for key in ["shortCut", "description", "scopes", "command"] {
            assert!(!plugin[key].is_null(), "{name}: {key}");
        }
        for key in plugin.as_object().expect("a plugin").keys() {
            let known = [
                "shortCut",
                "override",
                "description",
                "confirm",
                "dangerous",
                "scopes",
                "command",
                "background",
                "overwriteOutput",
                "args",
                "inputs",
            ];
            assert!(known.contains(&key.as_str()), "{name}: {key}");
        }
        scopes.extend(plugin["scopes"].as_array().expect("scopes").clone());
        assert_eq!(plugin["command"], "sh");
        assert_eq!(plugin["args"][0], "-c");
        let line = plugin["args"][1].as_str().expect("a command");
        let (command, pager) = line.split_once(" 2>&1 | ").expect("a pager");
        assert_eq!(pager, "less -R");
        let words = command
            .replace("$NAMESPACE", "shop")
            .replace("$NAME", "web")
            .replace("\"$CONTEXT\"", "prod");
        let ours = words
            .strip_prefix("kubectl drain-check ")
            .expect("our name");
        let given = std::iter::once("kubectl-drain_check").chain(ours.split(' '));
        Cli::try_parse_from(given).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    assert_eq!(scopes, ["deployments", "nodes", "pods", "services"]);
}

/// `script` of util-linux gives programs a terminal, and `stty` its width.
#[cfg(target_os = "linux")]
#[test]
fn the_terminal_s_width_counts_also_before_a_pager_and_for_errors() {
    let Some(programs) = crate::programs::Programs::with("script") else {
        return;
    };
    let which = programs.command("script", &[]).arg("--version").output();
    let which = which.expect("script");
    if !text(&which.stdout).contains("util-linux") {
        return;
    }
    let ours = env!("CARGO_BIN_EXE_kubectl-drain_check");
    for command in [
        format!("{ours} explain serving"),
        format!("{ours} explain serving 2>&1 | cat"),
        format!("{ours} explain terminatng-fallbak"),
        format!("{ours} lint -h"),
    ] {
        let ran = programs
            .command("script", &[])
            .args([
                "-qec",
                &format!("stty rows 24 cols 60; {command}"),
                "/dev/null",
            ])
            .stdin(Stdio::null())
            .output()
            .expect("script");
        let seen = text(&ran.stdout);
        let lines: Vec<_> = seen.lines().map(str::trim_end).collect();
        assert!(lines.len() > 1, "{command}: {seen}");
        let wide = |line: &&str| line.chars().count() > 60 && line.trim().contains(' ');
        // clap wraps everything but the line of usage.
        let wrapped = lines
            .iter()
            .copied()
            .filter(|line| !line.starts_with("Usage: "));
        let too_wide: Vec<_> = wrapped.filter(wide).collect();
        assert_eq!(too_wide, [""; 0], "{command}");
        let longest = lines.iter().map(|line| line.chars().count()).max();
        assert!(longest > Some(45), "{command}: {seen}");
    }
}

#[test]
fn sources_names_what_shows_a_source_and_was_not_identified() {
    let input = "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
                 spec: {type: LoadBalancer, loadBalancerClass: example.com/ours, clusterIP: 10.0.0.1, ports: [{port: 80}]}\n";
    let output = run(&["sources", "-f", "-"], input);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    let (_, after) = said
        .split_once("Not identified")
        .expect("a part of its own");
    assert!(after.contains("Service shop/web"), "{said}");
}

#[test]
fn sources_known_lists_every_entry_of_the_catalogue_without_a_cluster() {
    let output = run(&["sources", "--known", "-o", "json"], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let all = told["sources"].as_array().expect("a list");
    let ids: Vec<_> = all.iter().filter_map(|one| one["id"].as_str()).collect();
    let mut expected: Vec<_> = vec!["kube-proxy"];
    let catalogue = drain_check::sources::catalogue();
    expected.extend(catalogue.sources.iter().map(|source| source.id.as_str()));
    assert_eq!(ids, expected);
    let of = |id: &str| all.iter().find(|one| one["id"] == id).expect("the entry");
    // The catalogue: one second for the slice, up to 60 s for the load balancer.
    let alb = &of("aws-lbc-alb-ip")["lastNewConnection"];
    assert_eq!(alb["formula"], "E + elb_propagation");
    assert_eq!(alb["default"]["until"], "seconds");
    assert_eq!(of("kube-proxy")["shownBy"], serde_json::json!([]));
    let shown = of("ingress-nginx")["shownBy"].to_string();
    assert!(shown.contains("k8s.io/ingress-nginx"), "{shown}");
    let table = text(&run(&["sources", "--known"], "").stdout);
    for id in ids {
        assert!(table.lines().any(|line| line.starts_with(id)), "{id}");
    }
    let output = run(&["sources", "--known", "svc/web"], "");
    assert_eq!(output.status.code(), Some(2));
}
