//! Timelines after the shapes of recorded rollouts (../recordings/rollouts): what a replay would tell of them, written down by hand.

use chrono::{DateTime, Duration, Utc};
use drain_check::report::v1::{
    Finding, Moment, MomentRange, Object, PodLife, Seconds, ServiceTimeline, Severity, Signal,
    Source, State, StateSpan, Timeline, TimelineSummary, Tool, TrafficSource, Versions, When,
    Window, WindowKind,
};

/// Milliseconds after 2026-11-21T00:38:11Z, when the first pod is deleted.
pub(super) fn at(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_795_221_491, 0).expect("a moment") + Duration::milliseconds(millis)
}

/// A pod that was deleted, with SIGTERM, its end as the kubelet tells it, and when it was gone.
pub(super) fn deleted(name: &str, delete: i64, sigterm: i64, ended: i64, gone: i64) -> PodLife {
    PodLife {
        deleted_at: Some(at(delete)),
        grace_seconds: Some(30),
        sigterm_at: Some(Signal {
            min: at(sigterm),
            max: at(sigterm),
            measured: true,
        }),
        sigkill_at: Some(Signal {
            min: at(delete + 30_000),
            max: at(delete + 30_000),
            measured: false,
        }),
        ended_at: Some(at(ended)),
        exit_codes: [("app".to_owned(), 0)].into(),
        left_slices_at: Some(at(gone)),
        gone_at: Some(at(gone)),
        ..started(name, -90_000, -60_000)
    }
}

/// A pod that was created and became Ready.
pub(super) fn started(name: &str, created: i64, ready: i64) -> PodLife {
    PodLife {
        name: name.to_owned(),
        uid: Some(format!("uid-{name}")),
        node: Some("node-a".to_owned()),
        created_at: Some(at(created)),
        scheduled_at: Some(at(created)),
        started_at: Some(at(created + 500)),
        ready_at: Some(at(ready)),
        deleted_at: None,
        grace_seconds: None,
        sigterm_at: None,
        sigkill_at: None,
        unready_at: None,
        ended_at: None,
        exit_codes: [].into(),
        exit_reasons: [].into(),
        left_slices_at: None,
        gone_at: None,
    }
}

pub(super) fn span(
    from: i64,
    to: i64,
    state: State,
    ready: usize,
    terminating: usize,
) -> StateSpan {
    StateSpan {
        from: at(from),
        to: at(to),
        state,
        ready,
        terminating,
        summary: format!("new connections go to {ready} Ready, {terminating} Terminating"),
    }
}

pub(super) fn window(kind: WindowKind, from: i64, to: i64) -> Window {
    Window {
        from: at(from),
        to: at(to),
        from_range: None,
        to_range: None,
        open: false,
        kind,
        path: None,
        origin: None,
        ports: Vec::new(),
        nodes: Vec::new(),
        pods: Vec::new(),
        traffic_source: None,
        certain: false,
        reason: "",
        text: String::new(),
    }
}

/// kube-proxy may still send to a pod whose application has ended.
pub(super) fn at_risk(pod: &str, from: i64, to: i64) -> Window {
    Window {
        pods: vec![pod.to_owned()],
        traffic_source: Some("kube-proxy"),
        reason: "application-ended",
        text: format!("kube-proxy may still send to {pod}, whose application has ended."),
        ..window(WindowKind::AtRisk, from, to)
    }
}

/// The cluster IP refuses: certain until the slices' moment, and up to a second longer.
pub(super) fn refused(from: i64, slices: i64, to: i64) -> Window {
    Window {
        path: Some("clusterIP"),
        origin: Some("anywhere"),
        certain: true,
        reason: "refused",
        to_range: Some(MomentRange {
            min: at(slices),
            max: at(to),
        }),
        text: "No endpoint is usable.".to_owned(),
        ..window(WindowKind::NoUsableEndpoint, from, to)
    }
}

pub(super) fn kube_proxy() -> TrafficSource {
    let moment = |seconds| Moment {
        seconds: Some(Seconds::whole(seconds)),
        until: "seconds",
    };
    TrafficSource {
        id: "kube-proxy",
        name: "kube-proxy",
        last_new_connection: moment(2),
        now: None,
        in_flight_done: moment(2),
        evidence: Vec::new(),
        may_be: Vec::new(),
        confidence: "documented",
        advice: None,
    }
}

/// The rule about a missing preStop, as it stands for the next rollout.
pub(super) fn no_pre_stop() -> Finding {
    let object = |kind: &str| Object {
        api_version: "v1".to_owned(),
        kind: kind.to_owned(),
        namespace: "shop".to_owned(),
        name: "web".to_owned(),
    };
    Finding {
        rule: "DC201",
        slug: "prestop-too-short",
        meaning: "preStop is too short",
        severity: Severity::Warning,
        when: When::Next,
        object: object("Deployment"),
        objects: vec![object("Deployment")],
        path: None,
        message: "there is no preStop.".to_owned(),
        why: "kube-proxy sends for two seconds.".to_owned(),
        help: "Add a preStop sleep of 7 s. It delays SIGTERM.".to_owned(),
        location: None,
        template: None,
        related: vec![object("Service")].into(),
        patch: None,
        fingerprint: String::new(),
    }
}

/// A Timeline of one Service, `shop/web`, from two seconds before the first delete.
pub(super) fn timeline(
    to: i64,
    states: Vec<StateSpan>,
    windows: Vec<Window>,
    pods: Vec<PodLife>,
) -> Timeline {
    let none = Seconds::whole(0);
    Timeline {
        remedies: None,
        late_ends: None,
        api_version: "drain-check/v1",
        kind: "Timeline",
        tool: Tool {
            name: "kubectl-drain-check",
            version: "0.1.0",
        },
        versions: Versions {
            server: Some("1.36.3".to_owned()),
            assumed: None,
        },
        source: Source::Recording {
            file: "rollout.jsonl".to_owned(),
        },
        gaps: Vec::new(),
        from: at(-2_000),
        to: at(to),
        unheard: Vec::new(),
        assumptions: Vec::new(),
        services: vec![ServiceTimeline {
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
            states,
            windows,
            pods,
        }],
        evictions: None,
        probe: None,
        traffic_sources: vec![kube_proxy()],
        findings: Vec::new(),
        summary: TimelineSummary {
            no_usable_endpoint_seconds: none,
            terminating_only_seconds: none,
            at_risk_seconds: none,
        },
    }
}

/// `rollout-no-prestop`: SIGTERM at once, three pods one after the other; kube-proxy needs up to a second each time.
pub(super) fn no_prestop() -> Timeline {
    let mut pods = Vec::new();
    let mut windows = Vec::new();
    for (name, new, delete) in [
        ("x7k2p", "bb5w8", 0),
        ("m4qzd", "9jr6l", 1_600),
        ("t9vhc", "w2nq2", 3_300),
    ] {
        let (old, new) = (
            format!("web-5cdf74f576-{name}"),
            format!("web-6b8546897-{new}"),
        );
        // The kubelet tells whole seconds: the end is somewhere in the second from there on.
        let ended = (delete + 400) / 1000 * 1000;
        pods.push(started(&new, delete - 1_900, delete - 100));
        windows.push(at_risk(&old, delete + 300, delete + 1_200));
        pods.push(deleted(&old, delete, delete, ended, delete + 1_500));
    }
    let states = vec![
        span(-2_000, -100, State::Healthy, 3, 0),
        span(-100, 0, State::Healthy, 4, 0),
        span(0, 1_500, State::Healthy, 3, 0),
        span(1_500, 1_600, State::Healthy, 4, 0),
        span(1_600, 8_000, State::Healthy, 3, 0),
    ];
    let mut timeline = timeline(8_000, states, windows, pods);
    timeline.findings = vec![no_pre_stop()];
    timeline
}

/// `rollout-gap`: all at once, a preStop of two seconds, replacements that take ten: eight seconds without a usable endpoint.
pub(super) fn gap() -> Timeline {
    let mut pods = Vec::new();
    for (index, name) in ["29g75", "2nxpq", "ctv5d"].into_iter().enumerate() {
        let index = i64::try_from(index).expect("small");
        pods.push(deleted(
            &format!("web-5cdf74f576-{name}"),
            0,
            2_000,
            2_000,
            2_600 + 100 * index,
        ));
        pods.push(started(
            &format!("web-6b8546897-z{name}"),
            100,
            9_500 + 200 * index,
        ));
    }
    let mut only = window(WindowKind::TerminatingOnly, 100, 2_100);
    only.path = Some("clusterIP");
    only.certain = true;
    let states = vec![
        span(-2_000, 0, State::Healthy, 3, 0),
        span(0, 2_100, State::TerminatingOnly, 0, 3),
        span(2_100, 9_500, State::NoBackends, 0, 0),
        span(9_500, 9_700, State::Healthy, 1, 0),
        span(9_700, 9_900, State::Healthy, 2, 0),
        span(9_900, 20_000, State::Healthy, 3, 0),
    ];
    timeline(
        20_000,
        states,
        vec![only, refused(2_100, 9_500, 10_500)],
        pods,
    )
}

/// `scale-to-zero`: terminating pods serve through preStop, then everything is refused, and still is at the end.
pub(super) fn scale_to_zero() -> Timeline {
    let pods = ["aaaaa", "bbbbb"]
        .map(|name| deleted(&format!("web-5cdf74f576-{name}"), 0, 8_000, 8_000, 9_000));
    let mut open = refused(8_200, 20_000, 20_000);
    open.open = true;
    open.to_range = None;
    let mut only = window(WindowKind::TerminatingOnly, 100, 8_200);
    only.path = Some("clusterIP");
    only.certain = true;
    let states = vec![
        span(-2_000, 0, State::Healthy, 2, 0),
        span(0, 8_200, State::TerminatingOnly, 0, 2),
        span(8_200, 20_000, State::NoBackends, 0, 0),
    ];
    timeline(20_000, states, vec![only, open], pods.to_vec())
}

/// `rollout-prestop`: as many pods as wanted, one after the other; preStop outlasts kube-proxy, and nothing fails.
pub(super) fn fine(pods: usize) -> Timeline {
    let mut lives = Vec::new();
    for index in 0..pods {
        let delete = i64::try_from(index).expect("small") * 2_000;
        let name = format!("web-5cdf74f576-old{index:02}");
        lives.push(deleted(
            &name,
            delete,
            delete + 7_000,
            delete + 7_000,
            delete + 7_900,
        ));
        lives.push(started(
            &format!("web-6b8546897-new{index:02}"),
            delete - 1_900,
            delete - 100,
        ));
    }
    let end = i64::try_from(pods).expect("small") * 2_000 + 8_000;
    let states = vec![
        span(-2_000, -100, State::Healthy, pods, 0),
        span(-100, end, State::Healthy, pods + 1, 0),
    ];
    timeline(end, states, Vec::new(), lives)
}
