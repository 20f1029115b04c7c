//! States, traffic sources, forecasts and schedules of random clusters against one another: no part of an answer contradicts another.

use chrono::{DateTime, TimeDelta, Utc};
use drain_check::analysis::behind::Workloads;
use drain_check::analysis::causes::Causes;
use drain_check::analysis::{Assumptions, Cluster, service};
use drain_check::analysis::{State, cluster};
use drain_check::facts::node::{Node, NodeReady, ReadyStatus};
use drain_check::facts::pod::{Condition, ContainerState, ContainerStatus, Phase, Pod};
use drain_check::facts::pod_spec::{Container, Handler, PodSpec};
use drain_check::facts::service::{Protocol, Service, ServicePort, TargetPort, TrafficPolicy};
use drain_check::facts::slice::PodRef;
use drain_check::facts::{ObjectName, Snapshot};
use drain_check::report::{self, v1};
use proptest::prelude::*;
use serde_json::{Value, to_value};

use crate::build::{self, DRAINING, GONE_SILENT, READY, UNREADY, node};
use crate::recording;

const NODES: [&str; 3] = ["a", "b", "c"];

fn now() -> DateTime<Utc> {
    "2026-11-21T00:38:00Z".parse().expect("a moment")
}

/// A pod behind the Service.
#[derive(Debug, Clone)]
struct Backend {
    node: &'static str,
    state: build::State,
    /// Its own grace period and the one that the delete granted, in seconds.
    grace: (i64, i64),
    /// When it was deleted, in seconds before now.
    ago: i64,
    pre_stop: i64,
    /// Forced, and held by a finalizer.
    held: bool,
}

impl Backend {
    fn terminates(&self) -> bool {
        self.state.2
    }

    fn pod(&self, name: &str) -> Pod {
        let mut app = Container {
            name: "app".to_owned(),
            ..Container::default()
        };
        if self.pre_stop > 0 {
            app.lifecycle.pre_stop = Some(Handler::Sleep(self.pre_stop));
        }
        let (own, granted) = self.grace;
        let granted = if self.held { 0 } else { granted };
        let deletion = now() + TimeDelta::seconds(granted - self.ago);
        let spec = PodSpec {
            grace_seconds: Some(own),
            containers: vec![app],
            ..PodSpec::default()
        };
        Pod {
            name: ObjectName::new("shop", name),
            labels: [("app".to_owned(), "web".to_owned())].into(),
            deletion: self.terminates().then_some(deletion),
            deletion_grace_seconds: self.terminates().then_some(granted),
            finalizers: self
                .held
                .then(|| "example.com/hold".to_owned())
                .into_iter()
                .collect(),
            node: Some(self.node.to_owned()),
            spec: spec.into(),
            phase: Phase::Running,
            conditions: vec![Condition {
                kind: "Ready".to_owned(),
                is_true: self.state.1,
                reason: String::new(),
                message: String::new(),
                changed: None,
            }],
            statuses: vec![ContainerStatus {
                name: "app".to_owned(),
                ready: self.state.1,
                started: true,
                state: ContainerState::Running,
                ..ContainerStatus::default()
            }],
            ..Pod::default()
        }
    }
}

fn backends() -> impl Strategy<Value = Vec<Backend>> {
    let states = prop::sample::select(vec![
        DRAINING,
        DRAINING,
        DRAINING,
        READY,
        UNREADY,
        GONE_SILENT,
    ]);
    let one = (
        prop::sample::select(&NODES[..]),
        states,
        (2i64..60, 1i64..60),
        0i64..60,
        prop::sample::select(vec![0i64, 0, 5, 70]),
        prop::bool::weighted(0.15),
    );
    let one = one.prop_map(
        |(node, state, (own, granted), ago, pre_stop, held)| Backend {
            node,
            state,
            grace: (own, granted),
            // Not past the shorter grace period: a pod that is still there then may be stuck.
            ago: ago.min(own.min(granted)),
            pre_stop,
            held,
        },
    );
    prop::collection::vec(one, 0..7)
}

/// What a random cluster consists of.
#[derive(Debug, Clone)]
struct World {
    backends: Vec<Backend>,
    internal_local: bool,
    external_local: bool,
    publish_not_ready: bool,
    ports: usize,
    version: u16,
    /// A node whose kubelet does not answer.
    unreachable: Option<&'static str>,
}

fn worlds() -> impl Strategy<Value = World> {
    let policies = (any::<bool>(), any::<bool>(), prop::bool::weighted(0.1));
    let unreachable = prop::option::weighted(0.2, prop::sample::select(&NODES[..]));
    (backends(), policies, 1usize..3, 24u16..=36, unreachable).prop_map(
        |(
            backends,
            (internal_local, external_local, publish_not_ready),
            ports,
            version,
            unreachable,
        )| World {
            backends,
            internal_local,
            external_local,
            publish_not_ready,
            ports,
            version,
            unreachable,
        },
    )
}

impl World {
    /// It goes by itself.
    fn leaves(&self, backend: &Backend) -> bool {
        backend.terminates() && !backend.held && self.unreachable != Some(backend.node)
    }

    fn service(&self) -> Service {
        let mut service = build::service();
        service.selector = Some([("app".to_owned(), "web".to_owned())].into());
        service.internal_local = self.internal_local;
        service.publish_not_ready = self.publish_not_ready;
        if self.external_local {
            service.external_traffic_policy = Some(TrafficPolicy::Local);
        }
        if self.ports > 1 {
            service.ports.push(ServicePort {
                name: "admin".to_owned(),
                port: 81,
                protocol: Protocol::Tcp,
                target: TargetPort::Number(9090),
                node_port: Some(30081),
            });
        }
        service
    }

    /// What an API server has, with these of the pods.
    fn snapshot(&self, stays: impl Fn(&Backend) -> bool) -> Snapshot {
        let states: Vec<_> = self
            .backends
            .iter()
            .map(|backend| {
                let (ready, serving, terminating) = backend.state;
                (
                    backend.node,
                    (ready || self.publish_not_ready, serving, terminating),
                )
            })
            .collect();
        let mut slice = build::slice(&states);
        let mut pods = Vec::new();
        let mut endpoints = Vec::new();
        for ((number, backend), mut endpoint) in
            self.backends.iter().enumerate().zip(slice.endpoints)
        {
            if stays(backend) {
                let mut pod = backend.pod(&format!("web-{number}"));
                pod.ips = vec![endpoint.addresses[0].parse().expect("an address")];
                endpoint.pod = Some(PodRef {
                    name: pod.name.clone(),
                    uid: None,
                });
                pods.push(pod);
                endpoints.push(endpoint);
            }
        }
        slice.endpoints = endpoints;
        let nodes = NODES.map(|name| {
            let answers = if self.unreachable == Some(name) {
                ReadyStatus::Unknown
            } else {
                ReadyStatus::True
            };
            Node {
                ready: Some(NodeReady {
                    status: answers,
                    reason: String::new(),
                    changed: None,
                }),
                ..node(name, "1")
            }
        });
        Snapshot {
            complete: true,
            taken_at: Some(now()),
            services: vec![self.service()],
            slices: vec![slice],
            pods,
            nodes: nodes.to_vec(),
            ..Snapshot::default()
        }
    }
}

/// A Service as the report tells it, with its state in the model.
fn told(snapshot: &Snapshot, version: u16) -> (v1::Service, State) {
    let assumptions = Assumptions {
        version: Some(format!("1.{version}").parse().expect("a version")),
        ..Assumptions::default()
    };
    let nodes = cluster::nodes(snapshot, &assumptions);
    let cluster = Cluster::new(snapshot, &nodes, &assumptions);
    let analysis = service::analyse(
        &snapshot.services[0],
        Workloads::default(),
        &mut Causes::new(&[]),
        &cluster,
    );
    (report::service(&analysis), analysis.state)
}

/// Which ways use which kind of endpoints, or refuse or drop.
fn ways(service: &v1::Service) -> Vec<(String, Value)> {
    let mut ways = Vec::new();
    for port in &service.ports {
        for path in &port.paths {
            for outcome in &path.outcomes {
                for node in &outcome.nodes {
                    let from = match to_value(path.from).expect("JSON") {
                        from if from == "inside" => vec!["pods".into(), "node".into()],
                        from => vec![from],
                    };
                    for from in from {
                        let way = format!(
                            "{} {} {from} {node}",
                            port.port,
                            to_value(path.path).expect("JSON")
                        );
                        let does = to_value((outcome.verdict, outcome.using)).expect("JSON");
                        ways.push((way, does));
                    }
                }
            }
        }
    }
    ways.sort_by(|one, other| one.0.cmp(&other.0));
    ways
}

fn uses(service: &v1::Service, kind: &str) -> bool {
    let kind = Value::from(kind);
    ways(service).iter().any(|(_, does)| does[1] == kind)
}

proptest! {
    #[test]
    fn no_part_of_an_answer_contradicts_another(world in worlds()) {
        let snapshot = world.snapshot(|_| true);
        let (told, state) = told(&snapshot, world.version);
        let falls_back = uses(&told, "terminating");

        // The state against the ways.
        match state {
            State::Healthy => prop_assert!(!falls_back),
            State::TerminatingOnly => prop_assert!(falls_back && !uses(&told, "ready")),
            State::NoBackends => prop_assert!(!falls_back && !uses(&told, "ready")),
            State::Degraded => prop_assert!(uses(&told, "ready")),
            other => prop_assert!(false, "{other:?}"),
        }

        // The traffic sources against the ways.
        let kube_proxy = told.traffic_sources.iter().find(|source| source.id == "kube-proxy");
        let goes_on = kube_proxy.expect("it is assumed").now.as_ref();
        prop_assert_eq!(goes_on.is_some(), falls_back);
        if let Some(goes_on) = goes_on {
            prop_assert_eq!(goes_on.everywhere, state == State::TerminatingOnly);
        }

        // The forecast by itself.
        prop_assert!(told.forecast.len() <= 8);
        for change in &told.forecast {
            prop_assert!(now() <= change.at.min && change.at.min <= change.at.max);
            prop_assert!(change.text.starts_with("If nothing changes, "));
        }
        for pair in told.forecast.windows(2) {
            prop_assert!(pair[0].at.max < pair[1].at.max && pair[0].at.min <= pair[1].at.min);
        }
        let local = world.internal_local || world.external_local;
        if !local {
            // Every way has the same answer, so it is lost in one step.
            prop_assert!(told.forecast.len() <= 1);
        }
        if state == State::NoBackends {
            prop_assert!(told.forecast.is_empty());
        }

        // Where it ends: as if those that leave were not there.
        let (then, end) = self::told(&world.snapshot(|each| !world.leaves(each)), world.version);
        let last = told.forecast.last();
        prop_assert_eq!(last.is_some(), ways(&told) != ways(&then));
        let forecast = last.map_or_else(|| to_value(told.state), |last| to_value(last.state));
        prop_assert_eq!(forecast.expect("JSON"), to_value(then.state).expect("JSON"), "{:?}", end);

        // Until when the fallback lasts, against the forecast and each pod's schedule.
        if let Some(by) = goes_on.and_then(|goes_on| goes_on.by) {
            prop_assert!(!uses(&then, "terminating"));
            prop_assert!(by >= now());
            let change = told.forecast.iter().any(|change| change.at.max == by);
            prop_assert!(change || told.forecast.len() == 8);
        } else if falls_back {
            prop_assert!(uses(&then, "terminating"), "somebody stays");
        }
        for endpoint in &told.endpoints {
            let Some(termination) = &endpoint.termination else { continue };
            for stop in &termination.containers {
                let (sigterm, sigkill) = (stop.sigterm_at.expect("it runs"), stop.sigkill_at.expect("it runs"));
                prop_assert!(sigterm.min <= sigterm.max && sigkill.min <= sigkill.max);
                prop_assert!(sigterm.min <= sigkill.min && sigterm.max <= sigkill.max);
                let range = sigkill.min < sigkill.max;
                prop_assert!(!range || !stop.reasons.is_empty(), "a range says why");
            }
        }
    }
}

#[test]
fn seven_terminating_pods_go_on_getting_connections_until_the_last_is_gone() {
    let report = recording::report("all-terminating-serving", &[]);
    let app = recording::service(&report, "the-app");
    assert_eq!(app["state"], "terminating-only");
    let forecast = recording::list(&app["forecast"]);
    assert_eq!(forecast.len(), 1);
    assert_eq!(forecast[0]["state"], "no-backends");
    // Grace periods of 60 s end at 00:39:11; five seconds for the kubelet and two for the slices are ours.
    assert_eq!(forecast[0]["at"]["max"], "2026-11-21T00:39:18Z");
    assert_eq!(
        forecast[0]["text"],
        "If nothing changes, the last of 7 Terminating pods gets SIGKILL by 00:39:11Z; then all new connections are refused."
    );
    let kube_proxy = &app["trafficSources"][0];
    assert_eq!(kube_proxy["id"], "kube-proxy");
    assert_eq!(kube_proxy["now"]["by"], "2026-11-21T00:39:18Z");
    assert_eq!(kube_proxy["now"]["everywhere"], true);
}

#[test]
fn stuck_pods_have_no_moment_and_nobody_promises_one() {
    let report = recording::report("stuck-past-grace", &["--as-of", "2026-11-21T00:38:48Z"]);
    let old = recording::service(&report, "old");
    assert_eq!(old["state"], "terminating-only");
    assert!(recording::list(&old["forecast"]).is_empty());
    let goes_on = &old["trafficSources"][0]["now"];
    assert_eq!(goes_on["until"], "pod-ready-or-last-gone");
    assert_eq!(goes_on["by"], Value::Null);
}
