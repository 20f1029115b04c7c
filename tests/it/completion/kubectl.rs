//! Through kubectl itself: it starts `kubectl_complete-drain_check`.

use std::os::unix::fs::symlink;

use super::{REAL, lines, shop, start};
use crate::programs::Programs;

#[test]
fn kubectl_completes_the_words_behind_the_plugin_s_name() {
    let Some(programs) = Programs::with("kubectl") else {
        return;
    };
    let (_api, setup) = shop();
    let bin = setup.folder.path().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    for name in ["kubectl-drain_check", "kubectl_complete-drain_check"] {
        symlink(REAL, bin.join(name)).expect("a link");
    }
    for (words, wanted, directive) in [
        (
            &["drain-check", "svc/"][..],
            &["svc/cart", "svc/web"][..],
            ":4",
        ),
        (&["drain-check", "-n", "b"], &["bank"], ":4"),
        (&["drain-check", "svc", "w"], &["web"], ":4"),
        (
            &["drain-check", "snapshot", "-n", "bank", "svc/"],
            &["svc/ledger"],
            ":4",
        ),
        (&["drain-check", "dep"], &["deploy/"], ":6"),
        (&["drain-check", "explain", "DC208"], &["DC208"], ":4"),
        (
            &["drain-check", "lint", "--fail-on", "war"],
            &["warning\tRequests may fail"],
            ":4",
        ),
        (&["drain-check", "lint", "--filename", ""], &[], ":0"),
        (&["drain-check", "lint", "--patch"], &[], ":4"),
    ] {
        let arguments = [&["__complete"], words].concat();
        let output = start(&programs, &setup, &bin, "kubectl", &arguments);
        let mut lines = lines(&output);
        assert_eq!(
            lines.pop().as_deref(),
            Some(directive),
            "{words:?} {output:?}"
        );
        if words.last() == Some(&"--patch") {
            assert!(lines[0].starts_with("--patches\t"), "{lines:?}");
        } else {
            assert_eq!(lines, wanted, "{words:?}");
        }
    }
}
