//! What the Services' answers say of each dumped node, put together.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;

use super::v1;
use crate::analysis::data_plane::DataPlane;
use crate::analysis::node_dump::NodeDump;
use crate::analysis::node_rules::{Age, Difference, Kind, LongestSync};
use crate::analysis::{Cluster, ServiceAnalysis};
use crate::facts::Snapshot;
use crate::facts::kube_proxy::{KubeProxy, ModeSource};
use crate::facts::service::{Family, Protocol};
use crate::node_rules::{From, Programmed, Rules, Verdict as Kernel};
use crate::proxy::answer::Ranges;
use crate::proxy::reason::Verdict;
use crate::words::{count, list};

/// What is known of a node so far.
#[derive(Debug, Default)]
struct Node {
    decisions: usize,
    agree: usize,
    differences: Vec<v1::Difference>,
    draining: usize,
    /// Nodes that should do what this one does wherever it differs.
    does_as: Option<BTreeSet<Arc<str>>>,
}

/// The nodes whose rules were given.
#[derive(Debug)]
pub struct NodeTally<'t> {
    dumps: &'t [NodeDump],
    snapshot: &'t Snapshot,
    proxies: BTreeMap<&'t str, KubeProxy>,
    nodes: BTreeMap<String, Node>,
    services: usize,
    /// Data planes in kube-proxy's place, with how many Services each routes.
    planes: BTreeMap<&'static str, (usize, DataPlane)>,
}

fn does(verdict: &'static str, backends: impl Iterator<Item = impl ToString>) -> v1::Does {
    v1::Does {
        verdict,
        backends: backends.map(|each| each.to_string()).collect(),
    }
}

const fn kernel(verdict: &Kernel) -> &'static str {
    match verdict {
        Kernel::Forward => "forward",
        Kernel::Reject => "reject",
        Kernel::Drop => "drop",
        Kernel::NotProgrammed => "not-programmed",
        Kernel::NotForwarded => "not-forwarded",
        Kernel::Mixed => "mixed",
        Kernel::NotUnderstood(_) => "not-understood",
    }
}

fn model(verdict: Verdict) -> &'static str {
    v1::Verdict::from(verdict).id()
}

fn text(each: &Difference) -> String {
    let extra: Vec<_> = each.extra().map(ToString::to_string).collect();
    let lacks: Vec<_> = each.lacks().map(ToString::to_string).collect();
    match &each.node.verdict {
        Kernel::NotUnderstood(what) => format!("its rules hold what is not known here: {what}"),
        Kernel::Forward if each.model.0 == Verdict::Forward => {
            let mut parts = Vec::new();
            if !extra.is_empty() {
                parts.push(format!("still sends to {}", list(extra)));
            }
            if !lacks.is_empty() {
                parts.push(format!("lacks {}", list(lacks)));
            }
            parts.join("; ")
        }
        Kernel::Forward => format!("sends to {}; should {}", list(extra), should(each.model.0)),
        Kernel::Mixed => "a list of endpoints has a hole: some connections go nowhere".to_owned(),
        other => format!(
            "{}; should {}",
            match other {
                Kernel::Reject => "refuses",
                Kernel::Drop => "drops",
                Kernel::NotForwarded => "does not forward",
                _ => "has no rule",
            },
            match each.model.0 {
                Verdict::Forward => format!("send to {}", list(lacks)),
                verdict => should(verdict).to_owned(),
            }
        ),
    }
}

const fn should(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Forward => "forward",
        Verdict::Reject => "refuse",
        Verdict::Drop => "drop",
        Verdict::Pass => "have no rule",
    }
}

fn difference(service: &str, each: &Difference, age: Age) -> v1::Difference {
    v1::Difference {
        service: service.to_owned(),
        port_name: each.port_name.clone(),
        protocol: each.protocol.into(),
        family: each.family.into(),
        path: each.path.into(),
        address: each.address.to_string(),
        port: each.port,
        from: match each.from {
            From::Outside => "outside",
            From::Pod => "pods",
            From::Node => "node",
        },
        source_ranges: match each.ranges {
            Ranges::None => None,
            Ranges::In => Some(v1::SourceRanges::In),
            Ranges::Out => Some(v1::SourceRanges::Out),
        },
        kind: match each.kind {
            Kind::Stale => "stale",
            Kind::Missing => "missing",
            Kind::Different => "different",
            Kind::NotUnderstood => "not-understood",
        },
        in_flight: match age {
            _ if each.twice => Some(false),
            Age::Settled(_) => Some(false),
            Age::InFlight(_) => Some(true),
            Age::NotKnown => None,
        },
        gone: each.gone.iter().map(ToString::to_string).collect(),
        node: does(kernel(&each.node.verdict), each.node.backends.iter()),
        model: does(model(each.model.0), each.model.1.iter()),
        text: text(each),
    }
}

/// Addresses with their ports.
type Addresses = BTreeSet<(IpAddr, u16, Protocol)>;

/// Ports of nodes.
type NodePorts = BTreeSet<(u16, Protocol)>;

/// What every Service that was read asks to be programmed.
fn asked(snapshot: &Snapshot) -> (Addresses, NodePorts) {
    let (mut addresses, mut ports) = (Addresses::new(), NodePorts::new());
    for service in &snapshot.services {
        let balancers = service.load_balancer_ingress.iter().map(|one| one.ip);
        let all = service.cluster_ips.iter().chain(&service.external_ips);
        let all: Vec<_> = all.copied().chain(balancers).collect();
        for port in &service.ports {
            let at = |ip: &IpAddr| (*ip, port.port, port.protocol);
            addresses.extend(all.iter().map(at));
            ports.extend(port.node_port.map(|number| (number, port.protocol)));
        }
    }
    (addresses, ports)
}

impl<'t> NodeTally<'t> {
    /// Nothing yet.
    #[must_use]
    pub fn new(cluster: &Cluster<'t>) -> Self {
        let names = cluster.nodes.iter().map(|node| node.name.as_str());
        let known: BTreeSet<_> = names.collect();
        let dumps = cluster.node_dumps.iter();
        let nodes = dumps.filter(|dump| known.contains(dump.node.as_str()));
        Self {
            dumps: cluster.node_dumps,
            snapshot: cluster.snapshot,
            proxies: cluster.proxies.clone(),
            nodes: nodes
                .map(|dump| (dump.node.clone(), Node::default()))
                .collect(),
            services: 0,
            planes: BTreeMap::new(),
        }
    }

    /// Takes in what a Service's analysis says.
    pub fn take(&mut self, analysis: &ServiceAnalysis<'_>) {
        self.services += 1;
        if let Some(plane) = &analysis.data_plane {
            let known = self.planes.entry(plane.source.id.as_str());
            known.or_insert_with(|| (0, plane.clone())).0 += 1;
        }
        for answers in &analysis.node_rules {
            let node = self.nodes.entry(answers.node.clone()).or_default();
            node.decisions += answers.decisions;
            node.agree += answers.agree;
            node.draining += answers.draining.len();
            let service = analysis.service.name.to_string();
            let differences = answers.differences.iter();
            node.differences
                .extend(differences.map(|each| difference(&service, each, answers.age)));
            if let Some(others) = &answers.does_as {
                node.does_as = Some(match node.does_as.take() {
                    Some(known) => known.intersection(others).cloned().collect(),
                    None => others.clone(),
                });
            }
        }
    }

    /// What a node has rules for that none of these asks for.
    fn orphans(dump: &NodeDump, (addresses, ports): &(Addresses, NodePorts)) -> Vec<v1::Orphan> {
        let known = |each: &Programmed| match each.address {
            None => ports.contains(&(each.port, each.protocol)),
            // ipvs has node ports by each address of the node.
            Some(ip) => {
                addresses.contains(&(ip, each.port, each.protocol))
                    || (each.service.is_none() && ports.contains(&(each.port, each.protocol)))
            }
        };
        let all: BTreeSet<_> = dump.rules.iter().flat_map(Rules::programmed).collect();
        let orphans = all.into_iter().filter(|each| !known(each));
        orphans
            .map(|each| v1::Orphan {
                address: each.address.map(|address| address.to_string()),
                port: each.port,
                protocol: each.protocol.into(),
                service: each.service,
            })
            .collect()
    }

    /// Why the rules may be another node's, or of another kind than they should.
    fn problem(&self, dump: &NodeDump, node: Option<&Node>) -> Option<String> {
        let unread = dump.unread.iter();
        let mut problems: Vec<_> = unread.map(|(file, why)| format!("{file}: {why}")).collect();
        let Some(node) = node else {
            problems.push("there is no such node in the input".to_owned());
            return Some(problems.join("; "));
        };
        let listed: BTreeSet<_> = dump.rules.iter().flat_map(Rules::node_addresses).collect();
        let of_node = |wanted: &str| self.snapshot.nodes.iter().find(|node| node.name == wanted);
        let own = of_node(&dump.node).map(|node| node.addresses.as_slice());
        let own = own.unwrap_or_default();
        let mut others = self.snapshot.nodes.iter();
        let other = others.find(|other| {
            other.name != dump.node && listed.iter().any(|one| other.addresses.contains(one))
        });
        let not_own =
            !own.is_empty() && !listed.is_empty() && !listed.iter().any(|one| own.contains(one));
        if let Some(other) = other.filter(|_| not_own) {
            problems.push(format!("these are the rules of {}", other.name));
        } else if let Some(as_others) = node.does_as.as_ref().filter(|all| !all.is_empty()) {
            problems.push(format!(
                "wherever it differs it does what {} should: the rules may be that node's",
                list(as_others)
            ));
        }
        let mode = dump.mode();
        let expected = self.proxies.get(dump.node.as_str());
        if let (Some(mode), Some(expected)) = (mode, expected)
            && mode != expected.mode
            && expected.mode_source != ModeSource::Default
        {
            problems.push(format!(
                "these are rules of {} mode, and kube-proxy runs in {} mode there: they may be left over",
                mode.name(),
                expected.mode.name()
            ));
        }
        (!problems.is_empty()).then(|| problems.join("; "))
    }

    /// Why nothing was compared for Services that kube-proxy does not route.
    fn other_planes(&self) -> Vec<String> {
        let planes = self.planes.values().map(|(services, plane)| {
            let which = if *services == self.services {
                "Services".to_owned()
            } else {
                format!("{services} of {}", count(self.services, "Service"))
            };
            let shows = plane.source.programmed.as_ref();
            let shows = shows.map_or_else(String::new, |shows| format!(" What it has: {shows}."));
            format!(
                "{} routes {which} here instead of kube-proxy: what it programs are not kube-proxy's rules, so nothing was compared for them.{shows}",
                plane.named()
            )
        });
        planes.collect()
    }

    fn notes(dump: &NodeDump, node: &Node) -> Vec<String> {
        let ids: BTreeSet<_> = dump.rules.iter().flat_map(|rules| &rules.notes).collect();
        let mut notes: Vec<_> = ids
            .iter()
            .map(|id| match **id {
                "no-filter-table" => "The table filter is not in the dump, so refused and dropped cannot be told apart: dump all tables (iptables-save without -t).".to_owned(),
                "iptables-legacy-too" => "The node has rules of iptables-legacy and of iptables-nft: this is one half.".to_owned(),
                _ => "How ipvs is read comes from its source and its manual: no recorded dump stands behind it. Source ranges are not in the dump.".to_owned(),
            })
            .collect();
        if node.draining > 0 {
            notes.push(format!(
                "{} with weight 0: they keep their connections and get no new ones.",
                count(node.draining, "real server")
            ));
        }
        let families: BTreeSet<_> = dump.rules.iter().map(|rules| rules.family).collect();
        if families.len() == 1 && families.contains(&Family::V4) && ids.is_empty() {
            let iptables = dump
                .rules
                .iter()
                .all(|rules| rules.mode() == crate::facts::kube_proxy::ProxyMode::Iptables);
            if iptables {
                notes.push("IPv4 only: ip6tables-save has the other family.".to_owned());
            }
        }
        notes
    }

    /// What it comes to. `whole`: all Services of the cluster were read, so that what none of them asks for is left over.
    #[must_use]
    pub fn finish(mut self, whole: bool) -> Vec<v1::NodeRules> {
        let asked = whole.then(|| asked(self.snapshot));
        let planes = self.other_planes();
        let config = self.snapshot.kube_proxies.config.as_ref();
        let dumps = self.dumps.iter();
        dumps
            .map(|dump| {
                let node = self.nodes.remove(&dump.node);
                let problem = self.problem(dump, node.as_ref());
                let known = node.is_some();
                let node = node.unwrap_or_default();
                let families: BTreeSet<_> = dump.rules.iter().map(|rules| rules.family).collect();
                v1::NodeRules {
                    node: dump.node.clone(),
                    mode: dump.mode().map(Into::into),
                    family: families.into_iter().map(Into::into).collect(),
                    read: known && dump.unread.is_empty() && !dump.rules.is_empty(),
                    problem,
                    notes: [planes.clone(), Self::notes(dump, &node)].concat(),
                    longest_sync: dump.mode().map(|mode| {
                        let sync = LongestSync::of(config, mode);
                        v1::LongestSync {
                            seconds: v1::Seconds {
                                millis: sync.time.num_milliseconds(),
                            },
                            from: sync.from.id(),
                        }
                    }),
                    decisions: node.decisions,
                    agree: node.agree,
                    differences: node.differences,
                    orphans: asked
                        .as_ref()
                        .filter(|_| known)
                        .map(|asked| Self::orphans(dump, asked)),
                }
            })
            .collect()
    }
}
