//! The state of a Service: the worst that is true of it.

use super::not_proxied::WhyNotProxied;

/// The worst that is true of a Service, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// All paths on all nodes use ready endpoints.
    Healthy,
    /// kube-proxy does not handle the Service.
    NotProxied(WhyNotProxied),
    /// Its EndpointSlices could not be read, or something else that could not be read may make it another one.
    Unknown,
    /// Some node or path drops, rejects or uses terminating endpoints while others use ready ones.
    Degraded,
    /// Everything that forwards uses terminating endpoints, because none is ready.
    TerminatingOnly,
    /// No path on any node forwards.
    NoBackends,
}
