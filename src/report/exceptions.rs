//! Which nodes and paths do not simply use ready endpoints, in sentences?

use std::collections::{BTreeMap, BTreeSet};

use crate::analysis::ServiceAnalysis;
use crate::analysis::paths::{PathOutcomes, Source};
use crate::facts::service::{Family, ServicePort};
use crate::proxy::answer::Path;
use crate::proxy::lists::Using;
use crate::proxy::reason::Verdict;
use crate::words::{address, count, list, nodes, sentence};

/// The port's name, or its number if it has none.
fn name(port: &ServicePort) -> String {
    if port.name.is_empty() {
        port.port.to_string()
    } else {
        port.name.clone()
    }
}

/// What some nodes do instead of using ready endpoints, worst first.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Instead {
    Drop,
    Refuse,
    UseTerminating,
}

/// `External nodePort`, with the port where the Service has several, and with the family where not all of them are meant.
fn way(
    (port, path, from): Place,
    families: &BTreeSet<Family>,
    check: &ServiceAnalysis<'_>,
) -> String {
    let from = match from {
        Source::Anywhere => "",
        Source::Outside => "external ",
        Source::Inside => "internal ",
        Source::Pods => "pods' ",
        Source::Node => "the node's own ",
    };
    let port = match check.ports.get(port) {
        Some(port) if check.ports.len() > 1 => format!(" (port {})", name(port.port)),
        _ => String::new(),
    };
    let all = check.ports.iter().flat_map(|port| &port.paths);
    let all: BTreeSet<_> = all.map(|path| path.family).collect();
    let only = match families.first() {
        Some(family) if families.len() < all.len() => format!(" over {}", family.name()),
        _ => String::new(),
    };
    format!("{from}{}{port}{only}", path.name())
}

/// Paths on which the same nodes do the same instead of using ready endpoints.
struct Exception<'p> {
    does: BTreeMap<Instead, Vec<&'p str>>,
    /// The terminating endpoints that get connections, by address.
    terminating: BTreeSet<&'p str>,
    /// Where, with the families of which that is true.
    ways: BTreeMap<Place, BTreeSet<Family>>,
}

/// A port by its place, a path and a source.
type Place = (usize, Path, Source);

impl<'p> Exception<'p> {
    /// `None` where every node uses ready endpoints.
    fn of(port: usize, path: &'p PathOutcomes) -> Option<Self> {
        let mut does: BTreeMap<Instead, Vec<&str>> = BTreeMap::new();
        let mut terminating = BTreeSet::new();
        for outcome in &path.outcomes {
            let instead = match (outcome.verdict, outcome.using) {
                (Verdict::Forward, Some(Using::Terminating)) => {
                    terminating.extend(outcome.backends().map(address));
                    Instead::UseTerminating
                }
                // Others are refused, which tells enough.
                (Verdict::Forward | Verdict::Pass, _) => continue,
                (Verdict::Reject, _) => Instead::Refuse,
                (Verdict::Drop, _) => Instead::Drop,
            };
            let nodes = outcome.nodes.iter().map(|name| &**name);
            does.entry(instead).or_default().extend(nodes);
        }
        // Each node is in one outcome only.
        for nodes in does.values_mut() {
            nodes.sort_unstable();
        }
        (!does.is_empty()).then(|| Self {
            does,
            terminating,
            ways: BTreeMap::from([((port, path.path, path.from), BTreeSet::from([path.family]))]),
        })
    }

    fn sentence(&self, check: &ServiceAnalysis<'_>) -> String {
        let does = self.does.iter().map(|(instead, names)| {
            let (one, many, rest) = match instead {
                Instead::Drop => ("drops", "drop", " it (clients time out)".to_owned()),
                Instead::Refuse => ("refuses", "refuse", " it".to_owned()),
                Instead::UseTerminating => {
                    let noun = format!("Terminating {}", check.noun());
                    let pods = count(self.terminating.len(), &noun);
                    ("sends", "send", format!(" it to {pods}"))
                }
            };
            let who = nodes(names.iter().copied(), check.nodes);
            match who.as_str() {
                "every node" => format!("every node {one}{rest}"),
                "any node" => format!("the node {one}{rest}"),
                _ if names.len() > 1 => format!("{who} {many}{rest}"),
                _ => format!("{who} {one}{rest}"),
            }
        });
        let does: Vec<_> = does.collect();
        let ways = self.ways.iter();
        let ways: BTreeSet<_> = ways
            .map(|(place, families)| way(*place, families, check))
            .collect();
        sentence(&format!("{} traffic: {}.", list(&ways), does.join(", ")))
    }
}

/// What nodes do on some paths instead of using ready endpoints, worst first: a sentence for the paths on which the same nodes do the same.
pub(super) fn exceptions(check: &ServiceAnalysis<'_>) -> Vec<String> {
    let mut exceptions: Vec<Exception<'_>> = Vec::new();
    for (at, port) in check.ports.iter().enumerate() {
        for path in &port.paths {
            let Some(exception) = Exception::of(at, path) else {
                continue;
            };
            let same = exceptions.iter_mut().find(|known| {
                known.does == exception.does && known.terminating == exception.terminating
            });
            match same {
                Some(known) => {
                    for (place, families) in exception.ways {
                        known.ways.entry(place).or_default().extend(families);
                    }
                }
                None => exceptions.push(exception),
            }
        }
    }
    exceptions.sort_by(|one, other| one.does.cmp(&other.does));
    let sentences = exceptions.iter().map(|each| each.sentence(check));
    sentences.collect()
}
