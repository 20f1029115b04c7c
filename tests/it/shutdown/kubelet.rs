//! The shutdown model against what real kubelets did (fixtures/oracle/kubelet/README.md).

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::path::Path;

use drain_check::decode;
use drain_check::facts::pod_spec::{Container, Handler, PodSpec, Probe, ProbeHandler};
use drain_check::facts::service::TargetPort;
use drain_check::gates::kubelet::Kubelet;
use drain_check::gates::state::Overrides;
use drain_check::shutdown::{ContainerEnd, Delete, Durations, HookDuration, Span, shutdown};
use serde::Deserialize;
use serde_json::{Value, json};

pub(super) const VERSIONS: [&str; 2] = ["1.27.16", "1.36.3"];

/// Seconds.
pub(super) const TOLERANCE: f64 = 0.4;

/// The same where a busy kubelet noticed the delete late.
pub(super) const LATE: f64 = 1.0;

pub(super) fn read<T: for<'a> Deserialize<'a>>(name: &str) -> BTreeMap<String, T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/oracle/kubelet")
        .join(format!("{name}.json.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).expect("the fixture"))
        .read_to_string(&mut text)
        .expect("gzip");
    serde_json::from_str(&text).expect("JSON")
}

fn kubelet(version: &str) -> Kubelet {
    Kubelet::new(version.parse().expect("a version"), &Overrides::new())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Case {
    pub(super) pod: Value,
    pub(super) delete: Deleted,
    pub(super) containers: BTreeMap<String, Seen>,
    pub(super) exit_codes: BTreeMap<String, i32>,
}

#[derive(Deserialize)]
pub(super) struct Deleted {
    #[serde(rename = "gracePeriodSeconds")]
    pub(super) grace: Option<i64>,
    #[serde(rename = "againGracePeriodSeconds")]
    pub(super) again: Option<i64>,
    #[serde(rename = "againAfterSeconds")]
    pub(super) again_after: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Seen {
    pre_stop_began: Option<f64>,
    pre_stop_ended: Option<f64>,
    pub(super) stop_signal: Option<f64>,
    pub(super) ended: Option<f64>,
}

/// What the recorded containers do, by their scripts: hooks sleep for whole seconds or fail at once, and a container ends some
/// seconds after SIGTERM or not at all.
pub(super) struct Scripts;

/// The whole seconds of the first `sleep` in a script; 0 for none.
fn sleeps(script: &str) -> i64 {
    script
        .split_once("sleep ")
        .and_then(|(_, rest)| rest.split(';').next()?.trim().parse().ok())
        .unwrap_or(0)
}

impl Durations for Scripts {
    fn hook(&self, _: &Container, handler: &Handler) -> HookDuration {
        HookDuration::Known(match handler {
            Handler::Exec(command) => Span::exactly(command.last().map_or(0, |text| sleeps(text))),
            // The recorded request goes to a port where nobody listens.
            _ => Span::ZERO,
        })
    }

    fn drain(&self, container: &Container) -> Option<Span> {
        let script = container.command.last().expect("a script");
        let polite = script.strip_prefix("trap '").and_then(|rest| {
            let trap = rest.split('\'').next()?;
            trap.contains("exit").then(|| sleeps(trap))
        });
        Some(Span::exactly(polite.unwrap_or(100_000)))
    }
}

#[allow(clippy::cast_precision_loss)]
fn seconds(millis: i64) -> f64 {
    millis as f64 / 1000.0
}

/// How far outside of a span a measured moment lies.
fn off(seen: f64, span: Span) -> f64 {
    (seconds(span.min()) - seen)
        .max(seen - seconds(span.max()))
        .max(0.0)
}

/// What was measured of a container and what the model says, where they can be compared, as differences in seconds.
fn differences(end: &ContainerEnd, seen: &Seen, killed: bool) -> Vec<(&'static str, f64)> {
    let mut all = Vec::new();
    let exec = end
        .pre_stop
        .as_ref()
        .filter(|hook| hook.delays && matches!(hook.handler, Handler::Exec(_)));
    match (seen.pre_stop_began, exec) {
        (Some(began), Some(_)) => all.push(("preStop began", began)),
        (None, None) => {}
        _ => all.push(("preStop ran", f64::INFINITY)),
    }
    match (seen.pre_stop_ended, exec) {
        (Some(ended), Some(hook)) => all.push(("preStop ended", off(ended, hook.takes))),
        // SIGKILL ended the hook too.
        (None, Some(hook)) => all.push((
            "preStop was cut",
            (seconds(end.sigkill_at.min()) - seconds(hook.takes.max())).max(0.0),
        )),
        (ended, None) => assert!(ended.is_none()),
    }
    if let Some(signal) = seen.stop_signal {
        all.push(("SIGTERM", off(signal, end.sigterm_at)));
    }
    // Before the delete: that container cannot tell.
    if let Some(ended) = seen.ended.filter(|ended| *ended >= 0.0) {
        all.push(("ended", off(ended, end.ended_at)));
    }
    let model_kills = end.ended_at == end.sigkill_at;
    if model_kills != killed {
        all.push(("killed", f64::INFINITY));
    }
    all
}

#[test]
fn every_recorded_shutdown_comes_out_the_same() {
    let mut wrong = Vec::new();
    let (mut cases, mut moments, mut late) = (0, 0, Vec::new());
    for version in VERSIONS {
        for (name, case) in read::<Case>(&format!("shutdown-{version}")) {
            let pod = json!({"metadata": {"name": name}, "spec": case.pod});
            let spec = decode::pod(serde_json::from_value(pod).expect("a pod")).spec;
            let delete = Delete {
                grace_seconds: case.delete.grace,
                again_grace_seconds: case.delete.again,
            };
            let model = shutdown(&spec, &kubelet(version), delete, &Scripts);
            assert_eq!(model.containers.len(), case.containers.len(), "{name}");
            let mut worst: f64 = 0.0;
            for end in &model.containers {
                let killed = case.exit_codes[&end.name] == 137;
                for (what, off) in differences(end, &case.containers[&end.name], killed) {
                    moments += 1;
                    worst = worst.max(off);
                    let allowed = if version == "1.27.16" {
                        LATE
                    } else {
                        TOLERANCE
                    };
                    if off > allowed {
                        wrong.push(format!(
                            "{version} {name} {}: {what} is {off:.2} s off",
                            end.name
                        ));
                    }
                }
            }
            if worst > TOLERANCE {
                late.push(name);
            }
            cases += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!((cases, moments), (62, 192));
    assert_eq!(late, ["two-containers"], "later than the tolerance");
    // Straight to the stream, so that the count shows although the test passes.
    let counted = format!("{moments} moments of {cases} recorded shutdowns agree\n");
    std::io::stderr()
        .write_all(counted.as_bytes())
        .expect("stderr");
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Ready {
    period: i64,
    failure_threshold: i64,
    pre_stop_sleep: Option<i64>,
    kind: String,
    #[serde(rename = "readyFalseAfter")]
    turned: f64,
    gone: f64,
}

/// The grace period, in seconds, of every pod whose readiness was watched.
const WATCHED_GRACE: i64 = 20;

fn watched(case: &Ready) -> PodSpec {
    let port = || TargetPort::Number(8080);
    let handler = match case.kind.as_str() {
        "exec" => ProbeHandler::Exec(vec!["check".to_owned()]),
        "tcp" => ProbeHandler::TcpSocket(port()),
        "http" => ProbeHandler::HttpGet(drain_check::facts::pod_spec::HttpGet {
            host: None,
            port: port(),
            path: "/".to_owned(),
            https: false,
        }),
        other => panic!("{other}"),
    };
    let mut app = Container {
        name: "app".to_owned(),
        command: vec!["stubborn".to_owned()],
        readiness: Some(Probe {
            handler,
            initial_delay_seconds: 0,
            period_seconds: case.period,
            timeout_seconds: 1,
            success_threshold: 1,
            failure_threshold: case.failure_threshold,
            grace_seconds: None,
        }),
        ..Container::default()
    };
    app.lifecycle.pre_stop = case.pre_stop_sleep.map(Handler::Sleep);
    PodSpec {
        grace_seconds: Some(WATCHED_GRACE),
        containers: vec![app],
        ..PodSpec::default()
    }
}

#[test]
fn readiness_turns_false_when_the_recorded_kubelets_say() {
    let mut wrong = Vec::new();
    let mut cases = 0;
    for version in VERSIONS {
        for (name, case) in read::<Ready>(&format!("readiness-{version}")) {
            let spec = watched(&case);
            let kubelet = kubelet(version);
            let model = shutdown(&spec, &kubelet, Delete::default(), &Scripts);
            let [ready] = model.readiness(&spec, &kubelet).try_into().expect("one");
            #[allow(clippy::cast_precision_loss)]
            let late = match version {
                "1.27.16" => case.gone - WATCHED_GRACE as f64,
                _ => 0.0,
            };
            let seen = case.turned - late;
            let end = &model.containers[0];
            let fine = if case.turned + 0.05 < case.gone {
                // The server is gone, so that no probe hangs: the upper end is nearer by the timeout.
                let probe = ready.by_probe.expect("a probe that fires");
                let probe = Span::millis(probe.min(), probe.max() - 1000);
                ready.probe_may_be_in_time(end) && off(seen, probe) <= TOLERANCE
            } else {
                // Only the end turned it false, which is seen and written a little after SIGKILL.
                ready.turns_false == end.sigkill_at && off(seen, end.sigkill_at) <= LATE
            };
            if !fine {
                wrong.push(format!("{version} {name}: {seen} {ready:?}"));
            }
            cases += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(cases, 18);
    std::io::stderr()
        .write_all(format!("{cases} recorded readiness probes agree\n").as_bytes())
        .expect("stderr");
}
