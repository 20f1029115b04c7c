//! The answer as data: facts and the model's decisions put together, ready for any renderer.
#![deny(clippy::disallowed_methods)]

mod service;
pub mod v1;

use chrono::{DateTime, Utc};

use crate::facts::Snapshot;
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::node::Node;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{Behaviour, NEWEST_MINOR};
use crate::gates::state::Overrides;

/// What the user fixed, in place of what would be observed.
#[derive(Debug, Clone, Default)]
pub struct Assumptions {
    /// `--kube-version`.
    pub version: Option<KubeVersion>,
    /// `--proxy-mode`.
    pub mode: Option<ProxyMode>,
    /// `--feature-gates`.
    pub gates: Overrides,
    /// The moment to judge by.
    pub as_of: Option<DateTime<Utc>>,
}

/// Which version kube-proxy has on a node: the one assumed, else the kubelet's, else the newest known.
fn kube_proxy_version(node: &Node, assumptions: &Assumptions) -> KubeVersion {
    assumptions
        .version
        .or(node.kubelet)
        .unwrap_or(KubeVersion::minor(NEWEST_MINOR))
}

fn mode(node: &Node, assumptions: &Assumptions) -> ProxyMode {
    let default = if node.windows {
        ProxyMode::Winkernel
    } else {
        ProxyMode::Iptables
    };
    assumptions.mode.unwrap_or(default)
}

fn behaviour(node: &Node, assumptions: &Assumptions) -> Behaviour {
    Behaviour::new(
        kube_proxy_version(node, assumptions),
        mode(node, assumptions),
        &assumptions.gates,
    )
}

/// Works out the report for the Services of a snapshot that `wanted` picks.
#[must_use]
pub fn report(
    snapshot: &Snapshot,
    files: Vec<String>,
    assumptions: &Assumptions,
    wanted: impl Fn(&crate::facts::ObjectName) -> bool,
) -> v1::Report {
    let nodes = service::nodes(snapshot);
    let mut services: Vec<_> = snapshot
        .services
        .iter()
        .filter(|service| wanted(&service.name))
        .map(|service| service::service(service, snapshot, &nodes, assumptions))
        .collect();
    services.sort_by(|a, b| (&a.namespace, &a.name).cmp(&(&b.namespace, &b.name)));
    v1::Report {
        api_version: "drain-check/v1",
        kind: "Report",
        tool: v1::Tool {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        as_of: assumptions.as_of,
        source: v1::Source::Files { files },
        versions: v1::Versions {
            server: None,
            assumed: assumptions.version.map(|version| version.to_string()),
        },
        gaps: snapshot
            .gaps
            .iter()
            .map(|gap| v1::Gap {
                resource: gap.resource.name(),
                verb: gap.verb,
                reason: gap.reason.id(),
                consequence: gap.resource.consequence(),
            })
            .collect(),
        services,
    }
}
