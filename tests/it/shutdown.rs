//! The kubelet's rules one by one, by version, and what must hold whatever the pod: small pods for these tests.

mod ends;
mod grace_periods;
mod hook;
mod hook_properties;
mod hooks;
mod kubelet;
mod laws;
mod readiness;
mod schedule;
mod sidecars;
mod stuck;
mod terminating;

use chrono::{DateTime, Utc};
use drain_check::decode;
use drain_check::facts::node::Node;
use drain_check::facts::pod::Pod;
use drain_check::facts::pod_spec::{Container, Handler, PodSpec};
use drain_check::gates::api_server::ApiServer;
use drain_check::gates::kubelet::Kubelet;
use drain_check::gates::state::Overrides;
use drain_check::shutdown::schedule::Look;
use drain_check::shutdown::{
    ContainerEnd, Delete, Durations, HookDuration, Shutdown, Span, shutdown,
};
use serde_json::Value;

use crate::recording;

/// What a recording of a real API server holds.
fn recorded(name: &str) -> (Vec<Pod>, Vec<Node>) {
    let list: Value = serde_json::from_str(&recording::text(name)).expect("JSON");
    let all = |kind: &'static str| {
        let items = recording::list(&list["items"]).iter();
        items.filter(move |item| item["kind"] == kind).cloned()
    };
    let pods = all("Pod")
        .map(|item| decode::pod(serde_json::from_value(item).expect("a Pod")))
        .collect();
    let nodes = all("Node")
        .map(|item| decode::node(serde_json::from_value(item).expect("a Node")))
        .collect();
    (pods, nodes)
}

fn kubelet(version: &str) -> Kubelet {
    Kubelet::new(version.parse().expect("a version"), &Overrides::new())
}

/// A look at a pod without its events, at an API server of today.
fn look(as_of: DateTime<Utc>) -> Look {
    Look {
        as_of,
        api_server: ApiServer::new("1.36.3".parse().expect("a version")),
        stop_began: None,
    }
}

fn app() -> Container {
    Container {
        name: "app".to_owned(),
        ..Container::default()
    }
}

fn with_hook(name: &str, handler: Handler) -> Container {
    let mut container = app();
    name.clone_into(&mut container.name);
    container.lifecycle.pre_stop = Some(handler);
    container
}

fn sidecar(name: &str) -> Container {
    Container {
        name: name.to_owned(),
        restarts_always: true,
        ..Container::default()
    }
}

fn pod(grace: i64, containers: Vec<Container>) -> PodSpec {
    PodSpec {
        grace_seconds: Some(grace),
        containers,
        ..PodSpec::default()
    }
}

fn exec() -> Handler {
    Handler::Exec(vec!["drain".to_owned()])
}

/// Hooks and drains of one length for every container.
#[derive(Debug, Clone, Copy)]
struct Takes {
    hook: HookDuration,
    drain: Option<Span>,
}

impl Durations for Takes {
    fn hook(&self, _: &Container, _: &Handler) -> HookDuration {
        self.hook
    }

    fn drain(&self, _: &Container) -> Option<Span> {
        self.drain
    }
}

const UNKNOWN: Takes = Takes {
    hook: HookDuration::Unknown { at_least: 0 },
    drain: None,
};

const fn hooks_take(span: Span) -> Takes {
    Takes {
        hook: HookDuration::Known(span),
        drain: None,
    }
}

const fn drains_take(seconds: i64) -> Takes {
    Takes {
        hook: HookDuration::Unknown { at_least: 0 },
        drain: Some(Span::exactly(seconds)),
    }
}

fn plain(spec: &PodSpec, version: &str, durations: Takes) -> Shutdown {
    shutdown(spec, &kubelet(version), Delete::default(), &durations)
}

/// SIGTERM and SIGKILL of a pod's only container whose preStop takes so many seconds.
fn hooked(version: &str, grace: i64, seconds: i64) -> (Span, Span, ContainerEnd) {
    let spec = pod(grace, vec![with_hook("app", exec())]);
    let mut all = plain(&spec, version, hooks_take(Span::exactly(seconds))).containers;
    let end = all.remove(0);
    (end.sigterm_at, end.sigkill_at, end)
}
