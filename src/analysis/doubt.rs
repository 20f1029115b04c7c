//! Could the answer be another one, had everything been read?
//!
//! Every kube-proxy and every data plane that may be there is asked; where one of them comes to another state, the state is not
//! known. A Service whose endpoints are all ready has the same state with each of them.

use super::alternatives::Alternatives;
use super::paths::PortPaths;
use super::state::State;
use super::traffic_summary::TrafficSummary;
use crate::facts::Resource;
use crate::proxy::classes::Fleet;

/// What leaves a state open.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Doubt {
    /// What could not be read.
    pub resources: Vec<Resource>,
    /// What else may become of new connections.
    pub possible: Vec<TrafficSummary>,
    /// Nodes that were not read may refuse or drop connections.
    pub nodes: bool,
}

/// What leaves the state of a Service open, given its answer as far as could be read; `None` where all of it comes to the same.
#[must_use]
pub fn doubt<'f, 'a>(
    alternatives: &'f Alternatives<'a>,
    traffic: Option<TrafficSummary>,
    ports: &[PortPaths<'a>],
    other_data_plane: bool,
    ask: impl Fn(&'f Fleet<'a>) -> Option<TrafficSummary>,
) -> Option<Doubt> {
    let state = traffic?.state();
    let mut doubt = Doubt::default();
    let paths = || ports.iter().flat_map(|port| &port.paths);
    // A node without an endpoint refuses or drops connections under a Local policy. Nothing gets better by that.
    if alternatives.nodes && state == State::Healthy && paths().any(|path| path.local) {
        doubt.nodes = true;
        doubt.resources.push(Resource::Nodes);
    }
    let fleets = alternatives.fleets.iter().filter(|_| !other_data_plane);
    for (fleet, resources) in fleets {
        let Some(traffic) = ask(fleet).filter(|traffic| traffic.state() != state) else {
            continue;
        };
        for resource in resources {
            if !doubt.resources.contains(resource) {
                doubt.resources.push(*resource);
            }
        }
        if !doubt.possible.contains(&traffic) {
            doubt.possible.push(traffic);
        }
    }
    (doubt != Doubt::default()).then_some(doubt)
}
