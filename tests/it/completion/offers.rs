//! `__complete`: candidates, and the number behind them.

use std::time::{Duration, Instant};

use clap::CommandFactory;
use drain_check::cli::Cli;

use super::{lines, shop, start_ours};
use crate::cluster::Setup;
use crate::fake_api::Fault;

/// What is offered without descriptions, and the directive; nothing may be said on standard error.
fn offered(setup: &Setup, words: &[&str]) -> (Vec<String>, String) {
    let arguments = [&["__complete", "--"], words].concat();
    let output = start_ours(setup, &arguments);
    assert!(output.status.success(), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
    let mut lines = lines(&output);
    let directive = lines.pop().expect("a directive");
    let word = |line: String| line.split('\t').next().unwrap_or_default().to_owned();
    (lines.into_iter().map(word).collect(), directive)
}

#[test]
fn names_are_the_cluster_s_in_the_namespace_that_was_typed() {
    let (_api, setup) = shop();
    for (words, wanted, directive) in [
        (&["svc/"][..], &["svc/cart", "svc/web"][..], ":4"),
        (&["services/w"], &["services/web"], ":4"),
        (&["deploy/"], &["deploy/web-deploy"], ":4"),
        (&["sts/"], &["sts/db"], ":4"),
        (&["ds/"], &["ds/agent"], ":4"),
        (&["rs/"], &["rs/web-rs"], ":4"),
        (&["pod/"], &["pod/web-1"], ":4"),
        (&["w"], &["what-if", "watch", "web"], ":4"),
        (&["we"], &["web"], ":4"),
        (&["-n", "bank", "svc/"], &["svc/ledger"], ":4"),
        (&["--namespace=bank", "l"], &["ledger"], ":4"),
        (&["bank", "lint", "ca"], &["cart"], ":4"),
        (&["snapshot", "-nbank", "l"], &["ledger"], ":4"),
        (&["svc/web", "svc/"], &["svc/cart"], ":4"),
        // A kind as a word of its own gives it to the names behind it.
        (&["svc", ""], &["cart", "web"], ":4"),
        (&["svc", "w"], &["web"], ":4"),
        (&["svc", "web", ""], &["cart"], ":4"),
        (&["Deployments", ""], &["web-deploy"], ":4"),
        (&["svc,deploy", "w"], &["web", "web-deploy"], ":4"),
        (&["-n", "bank", "svc", ""], &["ledger"], ":4"),
        (&["snapshot", "sts", ""], &["db"], ":4"),
        (&["web", "svc", "c"], &["cart"], ":4"),
        (&["-A", "svc", ""], &[], ":4"),
        (&["d"], &["demo", "deploy/", "ds/"], ":6"),
        (&["svc/web", "d"], &["deploy/", "ds/"], ":6"),
        (&["--", "d"], &["deploy/", "ds/"], ":6"),
        (&["-n", ""], &["bank", "shop"], ":4"),
        (&["svc/web", "--namespace=s"], &["shop"], ":4"),
        (&["--node", ""], &["node-a"], ":4"),
        (&["--context", ""], &["here"], ":4"),
        (&["--cluster", ""], &["fake"], ":4"),
        (&["--user", ""], &["me"], ":4"),
        (&["cm/"], &[], ":4"),
        // No names: all namespaces take none, and files hold others.
        (&["-A", "svc/"], &[], ":4"),
        (&["-f", "x.yaml", "svc/"], &[], ":4"),
        (&["lint", ""], &[], ":4"),
        (&["lint", "-f", ""], &[], ":0"),
    ] {
        let wanted: Vec<_> = wanted.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(
            offered(&setup, words),
            (wanted, directive.to_owned()),
            "{words:?}"
        );
    }
}

#[test]
fn one_small_request_is_sent_and_none_where_no_name_is_wanted() {
    let (api, setup) = shop();
    for words in [
        &["--na"][..],
        &["explain", "DC1"],
        &["--context", ""],
        &["lint", "-o", ""],
    ] {
        offered(&setup, words);
    }
    assert_eq!(api.paths(), [""; 0]);
    offered(&setup, &["svc/"]);
    assert_eq!(api.paths(), ["/api/v1/namespaces/shop/services?limit=500"]);
    let asked = &api.asked()[0];
    let accept = asked.header("accept").expect("a header");
    assert!(accept.starts_with("application/json;as=PartialObjectMetadataList;"));
}

#[test]
fn a_server_that_fails_or_is_late_leaves_silence_and_the_words_that_need_none() {
    let (api, setup) = shop();
    api.fault_times("/api/v1", 1, Fault::Status(403, "no"));
    assert_eq!(offered(&setup, &["svc/"]), (vec![], ":4".to_owned()));
    let (broken, other) = shop();
    broken.fault("/api/v1", Fault::Silent);
    assert_eq!(offered(&other, &["svc/"]), (vec![], ":4".to_owned()));
    api.fault_times("/api/v1", 1, Fault::ComeBack(429, "60"));
    let began = Instant::now();
    assert_eq!(offered(&setup, &["svc/"]), (vec![], ":4".to_owned()));
    api.fault("/api/v1", Fault::Late(Duration::from_secs(60)));
    assert_eq!(
        offered(&setup, &["s"]),
        (
            ["snapshot", "sources", "svc/", "sts/"]
                .map(str::to_owned)
                .to_vec(),
            ":6".to_owned()
        )
    );
    // Two seconds for each; the rest is for a machine that has much to do.
    assert!(
        began.elapsed() < Duration::from_secs(20),
        "{:?}",
        began.elapsed()
    );
    std::fs::write(&setup.kubeconfig, "{").expect("a file");
    assert_eq!(
        offered(&setup, &["--context", ""]),
        (vec![], ":4".to_owned())
    );
}

#[test]
fn candidates_say_what_they_are() {
    let (_api, setup) = shop();
    let lines = lines(&start_ours(&setup, &["__complete", "--", "vers"]));
    let command = Cli::command();
    let about = command
        .find_subcommand("version")
        .and_then(clap::Command::get_about);
    let version = format!("version\t{}", about.expect("its help"));
    assert!(lines.contains(&version), "{lines:?}");
}
