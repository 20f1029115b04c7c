//! Shared by the rules about termination: how the pods end, words for hooks and kubelets, patches that the API accepts.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Doubt, Finding, Patch};
use crate::analysis::serves::Serves;
use crate::analysis::successor::{Successor, successor};
use crate::analysis::{Cluster, WorkloadAnalysis};
use crate::facts::kube_proxy::VersionSource;
use crate::facts::pod_spec::{Container, Handler, RestartPolicy};
use crate::facts::service::Service;
use crate::gates::kubelet::{Kubelet, SleepAction};
use crate::gates::state::Overrides;
use crate::shutdown::{ContainerEnd, ContainerKind};
use crate::sources::Budget;
use crate::sources::at_least::AtLeast;
use crate::sources::sum::{Sum, SumTerm, TermOf};
use crate::sources::timing::SourceTiming;

/// Do requests fail less if SIGTERM comes later?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Delay {
    /// Another pod takes the new connections meanwhile.
    Helps,
    /// Where one pod ends alone, as in a drain; a rollout starts no new pod before every preStop has ended.
    HelpsInDrains,
    /// Nobody takes them, traffic sources never stop before the pod is gone, or no requests come.
    Useless,
}

/// A workload as the rules about the end of its pods see it.
pub(super) struct Pods<'c, 'a> {
    pub(super) check: &'c WorkloadAnalysis<'a>,
    pub(super) cluster: &'c Cluster<'a>,
    /// The places of containers by field and name: there may be thousands.
    places: OnceCell<BTreeMap<(&'static str, &'a str), usize>>,
}

impl<'c, 'a> Pods<'c, 'a> {
    pub(super) const fn new(check: &'c WorkloadAnalysis<'a>, cluster: &'c Cluster<'a>) -> Self {
        Self {
            check,
            cluster,
            places: OnceCell::new(),
        }
    }

    /// The behaviour of the kubelet that the rules assume.
    pub(super) fn kubelet(&self) -> Kubelet {
        Kubelet::new(self.check.kubelet, &Overrides::new())
    }

    /// They belong to a Job: they end when their work is done, and no rollout replaces them.
    pub(super) fn are_of_a_job(&self) -> bool {
        ["Job", "CronJob"].contains(&self.check.owner.kind.as_str())
    }

    /// They end by themselves, or may do so: nothing restarts them then.
    pub(super) fn run_to_completion(&self) -> bool {
        self.are_of_a_job() || self.check.spec.restart_policy != RestartPolicy::Always
    }

    /// Do fewer requests to a container fail if SIGTERM comes later?
    pub(super) fn delay(&self, serves: &Serves<'a>) -> Delay {
        // Terminating pods stay published until they are gone, however late that is (DC106).
        let published = serves.services.iter().all(|each| each.publish_not_ready);
        if self.are_of_a_job() || serves.scrape.is_some() || published {
            return Delay::Useless;
        }
        match successor(self.check, serves, self.cluster) {
            Successor::Another => Delay::Helps,
            Successor::InDrains => Delay::HelpsInDrains,
            Successor::Nobody => Delay::Useless,
        }
    }

    /// Would a longer preStop be right whatever ends the pods? Only then it is offered as a change.
    pub(super) fn may_delay(&self, serves: &Serves<'a>) -> bool {
        serves.proxied() && self.delay(serves) == Delay::Helps
    }

    /// The grace period that the kubelet uses, in seconds.
    pub(super) fn grace(&self) -> i64 {
        self.check.shutdown.grace.seconds
    }

    /// How a container ends.
    pub(super) fn end(&self, name: &str) -> Option<&ContainerEnd> {
        self.check
            .shutdown
            .containers
            .iter()
            .find(|end| end.name == name)
    }

    /// The containers of a kind, and the field of the spec that holds them.
    fn list(&self, kind: ContainerKind) -> (&'a [Container], &'static str) {
        let spec = self.check.spec;
        match kind {
            ContainerKind::Main => (&spec.containers, "containers"),
            ContainerKind::Sidecar | ContainerKind::Init => {
                (&spec.init_containers, "initContainers")
            }
            ContainerKind::Ephemeral => (&spec.ephemeral_containers, "ephemeralContainers"),
        }
    }

    /// The place of a container in its list; of one name the first.
    fn place(&self, end: &ContainerEnd) -> Option<usize> {
        let places = self.places.get_or_init(|| {
            let mut places = BTreeMap::new();
            for kind in [
                ContainerKind::Main,
                ContainerKind::Init,
                ContainerKind::Ephemeral,
            ] {
                let (list, field) = self.list(kind);
                for (place, container) in list.iter().enumerate() {
                    let name = container.name.as_str();
                    places.entry((field, name)).or_insert(place);
                }
            }
            places
        });
        let (_, field) = self.list(end.kind);
        places.get(&(field, end.name.as_str())).copied()
    }

    /// A container of the spec.
    pub(super) fn container(&self, end: &ContainerEnd) -> Option<&'a Container> {
        self.list(end.kind).0.get(self.place(end)?)
    }

    /// The path of a container in the owner of the pods; `None` where it is not in the spec.
    pub(super) fn container_path(&self, end: &ContainerEnd) -> Option<String> {
        let (_, field) = self.list(end.kind);
        Some(format!(
            "{}.{field}[{}]",
            self.check.spec_path(),
            self.place(end)?
        ))
    }

    /// A field of a container, as a path in the object.
    pub(super) fn path(&self, end: &ContainerEnd, field: &str) -> Option<String> {
        Some(format!("{}.{field}", self.container_path(end)?))
    }

    /// A field of the pod spec, as a path in the object.
    pub(super) fn spec_field(&self, field: &str) -> String {
        format!("{}.{field}", self.check.spec_path())
    }

    /// The assumed kubelet version, in words.
    pub(super) fn kubelet_words(&self) -> String {
        if self.check.kubelet_is_known() {
            format!("kubelet {}", self.check.kubelet)
        } else {
            format!("kubelet {} (assumed: the newest known)", self.check.kubelet)
        }
    }

    /// Both the API server and every kubelet that the pods may run on know the sleep action.
    pub(super) fn can_sleep(&self) -> bool {
        let server = Kubelet::new(self.cluster.server, &Overrides::new());
        self.kubelet().sleep == SleepAction::On && server.sleep == SleepAction::On
    }

    /// The versions of the API server and of the kubelets are known.
    fn versions_known(&self) -> bool {
        self.check.kubelet_is_known() && self.cluster.server_source != VersionSource::NewestKnown
    }

    /// A change of the pod spec as a strategic merge patch, where the API accepts one for this kind: custom resources accept none,
    /// and the pod specs of Pods and Jobs cannot be changed.
    pub(super) fn patch(&self, change: Value) -> Option<Patch> {
        let owner = &self.check.owner;
        let kinds = [
            "Deployment",
            "StatefulSet",
            "DaemonSet",
            "ReplicaSet",
            "ReplicationController",
            "CronJob",
        ];
        kinds
            .contains(&owner.kind.as_str())
            .then(|| Patch::certain(&below(self.check.spec_path(), change)))
    }

    /// A change of one container, and perhaps of the grace period.
    pub(super) fn patch_container(
        &self,
        end: &ContainerEnd,
        mut change: Map<String, Value>,
        grace: Option<i64>,
    ) -> Option<Patch> {
        let field = match end.kind {
            ContainerKind::Main => "containers",
            ContainerKind::Sidecar => "initContainers",
            ContainerKind::Init | ContainerKind::Ephemeral => return None,
        };
        change.insert("name".to_owned(), json!(end.name));
        let mut spec = Map::from_iter([(field.to_owned(), json!([change]))]);
        if let Some(grace) = grace {
            spec.insert("terminationGracePeriodSeconds".to_owned(), json!(grace));
        }
        self.patch(Value::Object(spec))
    }

    /// preStop becomes a native sleep; every other handler is removed. `grace` is the new grace period, if it changes.
    pub(super) fn sleep_instead(
        &self,
        end: &ContainerEnd,
        seconds: i64,
        grace: Option<i64>,
    ) -> Option<Patch> {
        let most = grace.or(self.check.spec.grace_seconds).unwrap_or(30);
        if !self.can_sleep() || seconds < 1 || seconds > most {
            return None;
        }
        let old = self.container(end)?.lifecycle.pre_stop.as_ref();
        // What a webhook injects is not in the manifest, and may replace what is.
        if matches!(old, Some(Handler::Injected(_))) {
            return None;
        }
        let mut hook = Map::from_iter([("sleep".to_owned(), json!({"seconds": seconds}))]);
        if let Some(Handler::Exec(_) | Handler::HttpGet(_) | Handler::TcpSocket) = old {
            let other = old.map_or("exec", handler);
            hook.insert(other.to_owned(), Value::Null);
        }
        let change = Map::from_iter([("lifecycle".to_owned(), json!({"preStop": hook}))]);
        let patch = self.patch_container(end, change, grace)?;
        // Where the manifest has a sleep already, the versions are taken to support it.
        let sleeps = matches!(old, Some(Handler::Sleep(_)));
        Some(patch.unless(!sleeps && !self.versions_known(), Doubt::Version))
    }

    /// The grace period with which the application keeps the time that it has now, after so many seconds of preStop.
    pub(super) fn grace_beside(&self, seconds: i64) -> i64 {
        self.grace().max(1).saturating_add(seconds)
    }
}

/// A change at a path of fields, from the object's root.
fn below(path: &str, change: Value) -> Value {
    path.rsplit('.').fold(change, |inner, field| {
        Value::Object(std::iter::once((field.to_owned(), inner)).collect())
    })
}

/// The findings of a rule for each container of a workload's pods.
pub(super) fn of_each_container(
    pods: &Pods<'_, '_>,
    judge: impl Fn(&Pods<'_, '_>, &ContainerEnd) -> Option<Finding>,
) -> Vec<Finding> {
    let ends = pods.check.shutdown.containers.iter();
    ends.filter_map(|end| judge(pods, end)).collect()
}

/// The slowest traffic source of a budget, with the seconds for which it sends new connections, if they are known.
pub(super) fn slowest(budget: &Budget) -> Option<(&SourceTiming, f64)> {
    let id = budget.pre_stop.slowest?;
    let timing = budget.timings.iter().find(|each| each.source.id == id)?;
    Some((timing, timing.last_new_connection.amount.seconds(None)?))
}

/// Its figure holds while another pod is ready; some go on without one.
pub(super) fn longer_in_fallback(timing: &SourceTiming) -> &'static str {
    if timing.source.terminating.follows_fallback(true) {
        ", longer if no other pod is ready"
    } else {
        ""
    }
}

/// The slowest traffic source, and for how long it sends new connections after the delete.
pub(super) struct Slowest {
    pub(super) name: String,
    pub(super) seconds: f64,
    /// Otherwise the seconds are a lower bound.
    pub(super) complete: bool,
    /// What to add where it goes on while no other pod is ready.
    pub(super) longer: &'static str,
}

/// The minimum preStop delay, with its sum if traffic sources are known.
pub(super) struct Notice {
    pub(super) seconds: i64,
    /// `7 s = 1 (EndpointSlice update) + 1 (kube-proxy sync) + 5 (margin)`.
    pub(super) sum: Option<String>,
    /// ` (1 slice + 1 sync + 5 margin)`, or empty where the terms have no short names.
    pub(super) short: String,
    pub(super) slowest: Option<Slowest>,
    /// Why the seconds are a lower bound; `None` where they are not, or nothing is known at all.
    pub(super) because: Option<String>,
}

impl Notice {
    /// `at least ` where the seconds are a lower bound, else nothing.
    pub(super) const fn bound(&self) -> &'static str {
        if self.because.is_some() {
            "at least "
        } else {
            ""
        }
    }
}

/// Why a sum is a lower bound, as a sentence with a space before it; `None` where it is not.
pub(super) fn because(sum: &Sum) -> Option<String> {
    let reasons: Vec<_> = sum.at_least.iter().map(AtLeast::clause).collect();
    (!sum.complete()).then(|| format!(" It is a lower bound: {}.", reasons.join("; ")))
}

/// The minimum preStop delay for all known traffic sources; where none is known, some seconds for proxies in the cluster, and some more
/// for load balancers in front of them.
pub(super) fn notice(serves: &Serves<'_>) -> Notice {
    let budgets = serves.budgets.each();
    let budgets = budgets.map(|(_, budget)| budget);
    let known = budgets.filter(|budget| budget.pre_stop.slowest.is_some());
    match known.max_by_key(|budget| budget.pre_stop.seconds) {
        Some(budget) => {
            let sum = &budget.pre_stop;
            let terms = sum.terms.iter();
            let without_margin = terms.filter(|term| term.of != TermOf::Margin);
            let seconds = without_margin.map(|term| term.seconds).sum();
            Notice {
                seconds: i64::try_from(sum.seconds).unwrap_or(i64::MAX),
                sum: Some(sum.to_string()),
                short: short(sum).map_or_else(String::new, |terms| format!(" ({terms})")),
                slowest: slowest(budget).map(|(timing, _)| Slowest {
                    name: timing.source.name.clone(),
                    seconds,
                    complete: sum.complete(),
                    longer: longer_in_fallback(timing),
                }),
                because: because(sum),
            }
        }
        None => Notice {
            seconds: if serves.from_outside() { 15 } else { 5 },
            sum: None,
            short: String::new(),
            slowest: None,
            because: None,
        },
    }
}

/// The terms of a sum, each in a word; `None` where one of them takes more than that.
fn short(sum: &Sum) -> Option<String> {
    let word = |term: &SumTerm| match &term.of {
        TermOf::Margin => Some("margin"),
        TermOf::RoundedUp => Some("rounded up"),
        TermOf::TrafficSource { names, .. } => match names.as_str() {
            "E" => Some("slice"),
            "DP" => Some("data plane"),
            "kube_proxy_sync" => Some("sync"),
            "elb_propagation" | "nlb_propagation" => Some("propagation"),
            "neg_detach" => Some("NEG detach"),
            "ttl" => Some("TTL"),
            _ => None,
        },
        TermOf::Credit(_) | TermOf::PreStop | TermOf::Request(_) => None,
    };
    // A thousandth is finer than anything that the figures know.
    let terms = sum.terms.iter().map(|term| {
        let seconds = (term.seconds * 1000.0).round() / 1000.0;
        Some(format!("{seconds} {}", word(term)?))
    });
    Some(terms.collect::<Option<Vec<_>>>()?.join(" + "))
}

/// The kind of a hook's handler, as the field is called.
pub(super) const fn handler(handler: &Handler) -> &'static str {
    match handler {
        Handler::Exec(_) => "exec",
        Handler::HttpGet(_) => "httpGet",
        Handler::TcpSocket => "tcpSocket",
        Handler::Sleep(_) => "sleep",
        Handler::Injected(_) => "injected",
        Handler::Empty => "nothing",
    }
}

/// `Service web`, `Services api and web`.
pub(super) fn services_of(services: &[&Service]) -> String {
    let names = services.iter().map(|service| &service.name.name);
    let noun = if services.len() == 1 {
        "Service"
    } else {
        "Services"
    };
    format!("{noun} {}", super::words::list(names))
}

/// The Services that lead to a container, likewise.
pub(super) fn services(serves: &Serves<'_>) -> String {
    services_of(&serves.services)
}
