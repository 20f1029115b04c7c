//! Arguments → what somebody is about to do.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, anyhow, bail};

use crate::cli::connection::go_duration;
use crate::cli::{DrainArgs, FromArgs, Handler, WhatIfAction};
use crate::decode::selector::Selector;
use crate::facts::node::Node;
use crate::facts::target::{Target, TargetKind};
use crate::facts::version::KubeVersion;
use crate::facts::workload::WorkloadKind;
use crate::facts::{ObjectName, Snapshot};
use crate::simulate::scenario::WorkloadName;
use crate::simulate::{Action, DrainFlags, Lost, Notified, Scenario, Warned, nodes};
use crate::words::count;

/// Milliseconds of a duration as Go writes it.
pub(super) fn millis(text: &str, flag: &str) -> anyhow::Result<i64> {
    let duration = go_duration(text).map_err(|said| anyhow!("{flag} {text}: {said}"))?;
    i64::try_from(duration.as_millis()).with_context(|| format!("{flag} {text}: that is too long"))
}

/// The namespace of what is named: the one that was given, else the only one that has such an object.
///
/// # Errors
///
/// There is none of that name, or there are several.
pub(super) fn find<'f>(
    target: &str,
    called: &str,
    namespace: Option<&str>,
    all: impl Iterator<Item = &'f ObjectName>,
) -> anyhow::Result<ObjectName> {
    let fits = |name: &&ObjectName| {
        name.name == called && namespace.is_none_or(|wanted| name.namespace == wanted)
    };
    let found: Vec<_> = all.filter(fits).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => match namespace {
            Some(namespace) => bail!("{target} is not in the input in namespace {namespace:?}"),
            None => bail!("{target} is not in the input"),
        },
        [first, ..] => bail!(
            "{target} is in {}: write {}",
            count(found.len(), "namespace"),
            target.replacen('/', &format!("/{}/", first.namespace), 1)
        ),
    }
}

/// What `KIND/NAME` and `KIND/NAMESPACE/NAME` name.
pub(super) struct Named<'t> {
    pub(super) kind: &'t str,
    /// The one that is written, else the one of the flags.
    pub(super) namespace: Option<&'t str>,
    pub(super) name: &'t str,
}

impl<'t> Named<'t> {
    pub(super) fn new(text: &'t str, flag: Option<&'t str>) -> Option<Self> {
        let (kind, rest) = text.split_once('/')?;
        let (namespace, name) = match rest.split_once('/') {
            Some((namespace, name)) => (Some(namespace), name),
            None => (flag, rest),
        };
        Some(Self {
            kind,
            namespace,
            name,
        })
    }

    /// May it be this one?
    pub(super) fn fits(&self, name: &ObjectName) -> bool {
        let wanted = self.namespace.is_none_or(|wanted| name.namespace == wanted);
        wanted && name.name == self.name
    }

    /// Without its namespace.
    fn short(&self) -> String {
        format!("{}/{}", self.kind, self.name)
    }
}

/// What a text names, and the namespace in which that is looked for.
fn target<'t>(text: &'t str, flag: Option<&'t str>) -> anyhow::Result<(Target, Option<&'t str>)> {
    Ok(match Named::new(text, flag) {
        Some(named) => (named.short().parse()?, named.namespace),
        None => (text.parse()?, flag),
    })
}

/// The workload that somebody means.
pub(super) fn workload(
    text: &str,
    namespace: Option<&str>,
    facts: &Snapshot,
) -> anyhow::Result<WorkloadName> {
    let (target, namespace) = target(text, namespace)?;
    let TargetKind::Workload(kind) = target.kind else {
        bail!("{text}: name a workload: deploy/NAME, sts/NAME or ds/NAME");
    };
    let of_kind = facts.workloads.iter().filter(|one| one.kind == kind);
    let names = of_kind.map(|one| &one.name);
    let name = find(&target.to_string(), &target.name, namespace, names)?;
    Ok((kind, name))
}

fn pods(
    texts: &[String],
    namespace: Option<&str>,
    facts: &Snapshot,
) -> anyhow::Result<Vec<ObjectName>> {
    let pod = |text: &String| {
        let (target, namespace) = target(text, namespace)?;
        if target.kind != TargetKind::Pod {
            bail!("{text}: name a pod: pod/NAME");
        }
        let names = facts.pods.iter().map(|pod| &pod.name);
        find(&target.to_string(), &target.name, namespace, names)
    };
    texts.iter().map(pod).collect()
}

/// The node of `node-a`, `node/node-a`.
fn node(text: &str) -> &str {
    let (kind, name) = text.split_once('/').unwrap_or(("node", text));
    if ["node", "nodes", "no"].contains(&kind) {
        name
    } else {
        text
    }
}

fn node_names(texts: &[String]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let names = texts.iter().map(|text| node(text).to_owned());
    names.filter(|name| seen.insert(name.clone())).collect()
}

/// The nodes of `node/NAME` and `zone/NAME`.
fn machines(texts: &[String], facts: &Snapshot) -> anyhow::Result<Vec<String>> {
    let zones = nodes::zones(&facts.nodes);
    let mut all = Vec::new();
    for text in texts {
        match text.split_once('/') {
            Some(("zone" | "zones", zone)) => {
                let Some(nodes) = zones.get(zone) else {
                    let known: Vec<_> = zones.keys().copied().collect();
                    bail!(
                        "zone {zone}: no node has it as its label topology.kubernetes.io/zone{}",
                        match known.as_slice() {
                            [] => "; no node has that label".to_owned(),
                            known => format!("; there are: {}", known.join(", ")),
                        }
                    );
                };
                all.extend(nodes.iter().map(|&node| node.to_owned()));
            }
            Some((kind, _)) if !["node", "nodes", "no"].contains(&kind) => {
                bail!("{text}: name node/NAME or zone/NAME")
            }
            _ => all.push(node(text).to_owned()),
        }
    }
    Ok(node_names(&all))
}

/// All nodes in the order of an upgrade: those of the control plane, then zone by zone.
fn in_order(nodes: &[Node]) -> Vec<String> {
    let of_control_plane = |node: &Node| {
        let roles = ["control-plane", "master"];
        let mut roles = roles
            .map(|role| format!("node-role.kubernetes.io/{role}"))
            .into_iter();
        roles.any(|role| node.labels.contains_key(&role))
    };
    let mut sorted: Vec<_> = nodes.iter().collect();
    sorted.sort_by_key(|node| (!of_control_plane(node), node.zone(), &node.name));
    sorted.into_iter().map(|node| node.name.clone()).collect()
}

fn drain_flags(flags: &DrainArgs, facts: &Snapshot) -> anyhow::Result<DrainFlags> {
    let selector = flags.pod_selector.as_deref().map(str::parse::<Selector>);
    let selector = selector.transpose().context("--pod-selector")?;
    let only = selector.map(|selector| {
        let pods = facts
            .pods
            .iter()
            .filter(|pod| selector.matches(&pod.labels));
        pods.map(|pod| pod.name.clone()).collect::<BTreeSet<_>>()
    });
    Ok(DrainFlags {
        ignore_daemonsets: flags.ignore_daemonsets,
        delete_emptydir_data: flags.delete_emptydir_data,
        force: flags.force,
        grace_seconds: flags.grace_period.map(i64::from),
        timeout_seconds: millis(&flags.timeout, "--timeout")? / 1000,
        disable_eviction: flags.disable_eviction,
        one_by_one: false,
        only,
    })
}

/// `deploy/web=3`, or `deploy/web` and the number after it.
fn scaled(target: &str, replicas: Option<u32>) -> anyhow::Result<(&str, u32)> {
    match (target.split_once('='), replicas) {
        (Some((target, number)), None) => {
            let number = number.parse();
            let number = number.with_context(|| format!("{target}: to how many pods?"))?;
            Ok((target, number))
        }
        (None, Some(number)) => Ok((target, number)),
        _ => bail!("{target}: to how many pods? Write {target}=3"),
    }
}

/// What is said of an action, as a command: `drain node-a`.
pub(super) fn said(action: &WhatIfAction, set: &[String]) -> String {
    let all = |verb: &str, targets: &[String]| format!("{verb} {}", targets.join(" "));
    let mut said = match action {
        WhatIfAction::Drain {
            all_nodes: true, ..
        } => "drain --all-nodes".to_owned(),
        WhatIfAction::Drain {
            nodes,
            one_by_one: true,
            ..
        } => all("drain --one-by-one", nodes),
        WhatIfAction::Drain { nodes, .. } => all("drain", nodes),
        WhatIfAction::Rollout { target, .. } => format!("rollout {target}"),
        WhatIfAction::Scale {
            target,
            replicas: Some(replicas),
            ..
        } => format!("scale {target}={replicas}"),
        WhatIfAction::Scale { target, .. } => format!("scale {target}"),
        WhatIfAction::Delete { targets, .. } => all("delete", targets),
        WhatIfAction::Evict { targets, .. } => all("evict", targets),
        WhatIfAction::Lose {
            targets,
            removed_after,
            ..
        } => match removed_after {
            Some(after) => format!("{} --removed-after {after}", all("lose", targets)),
            None => all("lose", targets),
        },
        WhatIfAction::Interrupt {
            targets,
            notice,
            handled_by,
            ..
        } => {
            let by = match handled_by {
                Handler::Kubelet => "",
                Handler::Drain => " --handled-by drain",
                Handler::Nobody => " --handled-by nobody",
            };
            format!("{} --notice {notice}{by}", all("interrupt", targets))
        }
        WhatIfAction::Upgrade { version, nodes, .. } => all(
            "upgrade",
            &[std::slice::from_ref(version), nodes.as_slice()].concat(),
        ),
    };
    for one in set {
        said.push_str(" --set ");
        said.push_str(one);
    }
    said
}

/// Where it is played: what is said of each action alike.
pub(super) const fn from(action: &WhatIfAction) -> &FromArgs {
    match action {
        WhatIfAction::Drain { from, .. }
        | WhatIfAction::Rollout { from, .. }
        | WhatIfAction::Scale { from, .. }
        | WhatIfAction::Delete { from, .. }
        | WhatIfAction::Evict { from, .. }
        | WhatIfAction::Lose { from, .. }
        | WhatIfAction::Interrupt { from, .. }
        | WhatIfAction::Upgrade { from, .. } => from,
    }
}

/// Is it about nodes, which pods of every namespace run on?
pub(super) const fn is_about_nodes(action: &WhatIfAction) -> bool {
    matches!(
        action,
        WhatIfAction::Drain { .. }
            | WhatIfAction::Lose { .. }
            | WhatIfAction::Interrupt { .. }
            | WhatIfAction::Upgrade { .. }
    )
}

fn drain(action: &WhatIfAction, facts: &Snapshot) -> anyhow::Result<Option<Scenario>> {
    let (flags, action) = match action {
        WhatIfAction::Drain {
            nodes,
            all_nodes,
            one_by_one,
            flags,
            ..
        } => {
            let mut flags = drain_flags(flags, facts)?;
            flags.one_by_one = *one_by_one || *all_nodes;
            let nodes = if *all_nodes {
                in_order(&facts.nodes)
            } else {
                node_names(nodes)
            };
            (flags, Action::Drain(nodes))
        }
        WhatIfAction::Upgrade {
            version,
            nodes,
            flags,
            ..
        } => {
            let to: KubeVersion = version.parse()?;
            let nodes = if nodes.is_empty() {
                in_order(&facts.nodes)
            } else {
                node_names(nodes)
            };
            // Whoever upgrades nodes gives these: pods of DaemonSets come back with the node.
            let flags = DrainFlags {
                ignore_daemonsets: true,
                delete_emptydir_data: true,
                one_by_one: true,
                ..drain_flags(flags, facts)?
            };
            (flags, Action::Upgrade { nodes, to })
        }
        _ => return Ok(None),
    };
    if let Action::Drain(nodes) | Action::Upgrade { nodes, .. } = &action
        && nodes.is_empty()
    {
        bail!("no nodes were read");
    }
    Ok(Some(Scenario {
        action,
        drain: flags,
    }))
}

/// What somebody is about to do.
pub(super) fn scenario(action: &WhatIfAction, facts: &Snapshot) -> anyhow::Result<Scenario> {
    if let Some(drain) = drain(action, facts)? {
        return Ok(drain);
    }
    let namespace = from(action).namespace.as_deref();
    let action = match action {
        WhatIfAction::Drain { .. } | WhatIfAction::Upgrade { .. } => bail!("not a drain"),
        WhatIfAction::Rollout { target, .. } => {
            let name = workload(target, namespace, facts)?;
            if name.0 == WorkloadKind::ReplicaSet {
                bail!("{target}: a ReplicaSet does not replace its pods; name its Deployment");
            }
            Action::Rollout(name)
        }
        WhatIfAction::Scale {
            target, replicas, ..
        } => {
            let (target, replicas) = scaled(target, *replicas)?;
            let name = workload(target, namespace, facts)?;
            if name.0 == WorkloadKind::DaemonSet {
                bail!("{target}: a DaemonSet cannot be scaled");
            }
            Action::Scale(name, i64::from(replicas))
        }
        WhatIfAction::Delete {
            targets,
            grace_period,
            ..
        } => Action::Delete(
            pods(targets, namespace, facts)?,
            grace_period.map(i64::from),
        ),
        WhatIfAction::Evict { targets, .. } => Action::Evict(pods(targets, namespace, facts)?),
        WhatIfAction::Lose {
            targets,
            removed_after,
            ..
        } => {
            let removed = removed_after.as_deref();
            Action::Lose(Lost {
                nodes: machines(targets, facts)?,
                removed_after: removed
                    .map(|text| millis(text, "--removed-after"))
                    .transpose()?,
            })
        }
        WhatIfAction::Interrupt {
            targets,
            notice,
            handled_by,
            ..
        } => Action::Interrupt(Warned {
            nodes: machines(targets, facts)?,
            notice: millis(notice, "--notice")?,
            by: match handled_by {
                Handler::Kubelet => Notified::Kubelet,
                Handler::Drain => Notified::Drain,
                Handler::Nobody => Notified::Nobody,
            },
        }),
    };
    Ok(Scenario {
        action,
        drain: DrainFlags::default(),
    })
}

/// The durations of `--ready-after`, for all workloads and for some.
pub(super) fn ready_after(
    from: &FromArgs,
    facts: &Snapshot,
) -> anyhow::Result<(Option<i64>, BTreeMap<WorkloadName, i64>)> {
    let (mut all, mut some) = (None, BTreeMap::new());
    for text in &from.ready_after {
        match text.split_once('=') {
            None => all = Some(millis(text, "--ready-after")?),
            Some((name, duration)) => {
                let name = workload(name, from.namespace.as_deref(), facts);
                let name = name.with_context(|| format!("--ready-after {text}"))?;
                some.insert(name, millis(duration, "--ready-after")?);
            }
        }
    }
    Ok((all, some))
}
