//! Which parts of Kubernetes' objects are read? One type for each kind, for answers, lists and files alike.
//!
//! The API's own types hold every field. Here is what facts come from (`decode`), and what the catalogue of traffic sources asks of the
//! same kinds; nothing else is read, and nothing else is written into a snapshot: whoever needs another field adds it here, and both
//! have it. `redact` masks what may be secret in these.
//!
//! Null stands for nothing said, as in the API.

mod bounded;
mod config_map;
mod endpoints;
mod event;
mod node;
mod object;
mod pod;
mod pod_spec;
mod presence;
mod resources;
mod scaling;
mod selector;
mod service;
mod slice;
mod workload;

pub use config_map::{ConfigMap, KubeProxyConfiguration, SyncPeriods};
pub use endpoints::{Endpoints, EndpointsAddress, EndpointsPort, EndpointsSubset};
pub use event::{Event, EventSeries};
pub use node::{Node, NodeInfo, NodeSpec, NodeStatus, Taint};
pub use object::{Condition, Meta, ObjectReference, OwnerReference, WithSpec};
pub use pod::{
    ContainerState, ContainerStatus, LastState, Pod, PodIp, PodStatus, TerminatedState,
    WaitingState,
};
pub use pod_spec::{
    Affinity, ClaimSource, Container, ContainerPort, EnvVar, Exec, Grpc, Handler, HttpGet,
    Lifecycle, PodAntiAffinity, PodOs, PodSpec, PreferredTerm, Probe, ReadinessGate, SleepAction,
    SpreadTerm, TcpSocket, Toleration, Volume, VolumeMount,
};
pub use presence::Present;
pub use scaling::{AutoscalerSpec, ClaimSpec, DisruptionBudgetSpec, ScaleTarget};
pub use selector::{LabelSelector, SelectorExpression};
pub use service::{
    ClientIpConfig, Ingress, LoadBalancerStatus, Service, ServicePort, ServiceSpec, ServiceStatus,
    SessionAffinityConfig,
};
pub use slice::{Endpoint, EndpointConditions, EndpointSlice, Hint, Hints, SlicePort};
pub use workload::{
    RollingUpdate, Template, UpdateStrategy, Workload, WorkloadSpec, WorkloadStatus,
};
