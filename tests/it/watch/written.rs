//! Is what is written while it happens a recording, whenever it ends?

use drain_check::collect::snapshot::WrittenGap;
use drain_check::facts::{Gap, GapReason, Resource};
use drain_check::recording::head::Head;
use drain_check::recording::read;
use drain_check::recording::write::Writer;
use drain_check::timeline::change::What;

use super::harness::{Watching, play, recording, server};
use crate::cluster::harness::{Setup, named};

#[test]
fn each_line_is_on_the_disk_when_it_was_said_and_a_cut_one_is_left_out() {
    let lines = recording("evict-single");
    let (api, namespace) = server(&lines);
    let setup = Setup::new(&api, &namespace);
    let path = setup.folder.path().join("web.jsonl");
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    let mut writer = Writer::begin(&path).expect("a file");
    let gap = Gap {
        resource: Resource::Pods,
        verb: "watch",
        namespace: Some(namespace.clone()),
        reason: GapReason::Forbidden,
    };
    let head = Head {
        gaps: vec![WrittenGap::from(&gap)],
        targets: vec!["svc/web".to_owned()],
        namespace: Some(namespace),
        server_ahead_seconds: watching.begun.clock.map(|clock| clock.ahead),
        ..Head::begun(watching.lists[0].at)
    };
    writer.head(&head).expect("room");
    for line in &watching.lists {
        writer.line(line).expect("room");
    }
    for line in &lines {
        play(&api, line);
    }
    let mut count = watching.lists.len();
    for line in watching.until(|line| line.resource == "pods" && line.written().contains("DELETED"))
    {
        writer.line(&line).expect("room");
        count += 1;
        // As if killed here: nobody has closed it.
        let bytes = std::fs::read(&path).expect("a file");
        assert!(read::begins(&bytes));
        let recording = read::read("web.jsonl", &bytes);
        assert!(recording.problems.is_empty(), "{:?}", recording.problems);
        assert_eq!(recording.changes.len(), count);
        let cut = read::read("web.jsonl", &bytes[..bytes.len() - 3]);
        assert!(cut.problems.is_empty(), "{:?}", cut.problems);
        assert_eq!(cut.changes.len(), count - 1);
    }
    let at = drain_check::client::now();
    writer.end(at).expect("a disk");
    let recording = read::read("web.jsonl", &std::fs::read(&path).expect("a file"));
    let until = recording.until.expect("an end");
    assert_eq!(until.timestamp_millis(), at.timestamp_millis());
    let facts = recording
        .head
        .as_ref()
        .expect("a head")
        .facts()
        .expect("facts");
    assert_eq!(facts.gaps, [gap]);
    assert_eq!(recording.head, Some(head));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(&path)
            .expect("a file")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_file_that_is_there_is_not_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("web.jsonl");
    std::fs::write(&path, "of yesterday").expect("a file");
    let refused = Writer::begin(&path).expect_err("it is there");
    assert_eq!(refused.kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(
        std::fs::read_to_string(&path).expect("text"),
        "of yesterday"
    );
}

#[test]
fn what_was_read_of_kube_proxy_is_nothing_else_in_a_recording_either() {
    let api = crate::fake_api::FakeApi::of("rollout-midway");
    let setup = Setup::new(&api, "rollout");
    let watching = Watching::start(setup.connection(), named(&["svc/web"]));
    let mut problems = Vec::new();
    let (mut modes, mut own) = (0, 0);
    for line in watching.lists.clone() {
        let Some(change) = read::change(line, ("", 1), &mut problems) else {
            continue;
        };
        if let What::Listed { facts, .. } = change.what {
            modes += usize::from(facts.kube_proxies.config.is_some());
            own += facts
                .pods
                .iter()
                .filter(|pod| pod.name.namespace == "kube-system")
                .count();
        }
    }
    assert_eq!((modes, own), (1, 0));
    assert!(problems.is_empty(), "{problems:?}");
}
