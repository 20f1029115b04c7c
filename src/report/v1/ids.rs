//! The words of the report that programs read. Each is written here once, whatever the model calls it: another name there does not
//! compile before somebody has decided that the word here stays.

use serde::Serialize;

use crate::analysis::endpoints::InEndpoints as ModelInEndpoints;
use crate::analysis::paths::Source as ModelFrom;
use crate::analysis::state::State as ModelState;
use crate::facts::kube_proxy::{
    ModeSource as ModelModeSource, ProxyMode as ModelProxyMode, VersionSource as ModelVersionSource,
};
use crate::facts::service::{
    Family as ModelFamily, Protocol as ModelProtocol, ServiceType as ModelServiceType,
    TrafficPolicy as ModelTrafficPolicy,
};
use crate::proxy::answer::Path as ModelPath;
use crate::proxy::lists::Using as ModelUsing;
use crate::proxy::reason::Verdict as ModelVerdict;
use crate::proxy::topology::Topology as ModelTopology;
use crate::rules::{Severity as ModelSeverity, When as ModelWhen};
use crate::suppress::Suppressor as ModelSuppressor;

/// An enumeration of the report with the words that JSON has for it, made from the model's.
macro_rules! ids {
    ($(#[$doc:meta])* $name:ident from $model:ident { $($(#[$about:meta])* $variant:ident $(($fields:tt))? = $id:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub enum $name {
            $($(#[$about])* #[serde(rename = $id)] $variant,)*
        }

        impl $name {
            /// The word that reports have for it.
            #[must_use]
            pub const fn id(self) -> &'static str {
                match self {
                    $(Self::$variant => $id,)*
                }
            }
        }

        impl From<$model> for $name {
            fn from(model: $model) -> Self {
                match model {
                    $($model::$variant $(($fields))? => Self::$variant,)*
                }
            }
        }
    };
}

ids! {
    /// The worst that is true of a Service, best first.
    State from ModelState {
        /// All paths on all nodes use ready endpoints.
        Healthy = "healthy",
        /// kube-proxy does not handle the Service.
        NotProxied(_) = "not-proxied",
        /// Its EndpointSlices could not be read.
        Unknown = "unknown",
        /// Some node or path drops, rejects or uses terminating endpoints while others use ready ones.
        Degraded = "degraded",
        /// Everything that forwards uses terminating endpoints, because none is ready.
        TerminatingOnly = "terminating-only",
        /// No path on any node forwards.
        NoBackends = "no-backends",
    }
}

ids! {
    /// What happens to a new connection.
    Verdict from ModelVerdict {
        /// It goes to one of the selected endpoints.
        Forward = "forward",
        /// It is refused at once.
        Reject = "reject",
        /// It is dropped, so clients time out.
        Drop = "drop",
        /// kube-proxy has no rule for it: it leaves the node as if there were no such Service.
        Pass = "not-programmed",
    }
}

ids! {
    /// Which kind of endpoints a connection goes to.
    Using from ModelUsing {
        /// Ready ones.
        Ready = "ready",
        /// Terminating ones that still serve.
        Terminating = "terminating",
    }
}

ids! {
    /// How topology hints narrow the endpoints of a node.
    Topology from ModelTopology {
        /// To those hinted to its zone.
        Zone = "zone",
        /// To those hinted to the node itself.
        Node = "node",
    }
}

ids! {
    /// The address that a connection is made to.
    PathKind from ModelPath {
        /// The cluster IP.
        ClusterIp = "clusterIP",
        /// A port of a node.
        NodePort = "nodePort",
        /// A load balancer's address, captured on the node.
        LoadBalancer = "loadBalancer",
        /// One of `spec.externalIPs`.
        ExternalIp = "externalIP",
    }
}

ids! {
    /// Where connections come from; pods and the node itself together where they get the same answers.
    Origin from ModelFrom {
        /// Anywhere: the cluster IP.
        Anywhere = "anywhere",
        /// Off the cluster.
        Outside = "outside",
        /// Pods and nodes.
        Inside = "inside",
        /// Pods.
        Pods = "pods",
        /// The node itself, and pods on its network.
        Node = "node",
    }
}

ids! {
    /// The family of an address.
    Family from ModelFamily {
        /// IPv4.
        V4 = "IPv4",
        /// IPv6.
        V6 = "IPv6",
    }
}

ids! {
    /// A port's protocol.
    Protocol from ModelProtocol {
        /// TCP.
        Tcp = "TCP",
        /// UDP.
        Udp = "UDP",
        /// SCTP.
        Sctp = "SCTP",
    }
}

ids! {
    /// `spec.type`.
    ServiceType from ModelServiceType {
        /// A cluster IP only.
        ClusterIP = "ClusterIP",
        /// A port on every node too.
        NodePort = "NodePort",
        /// A load balancer too.
        LoadBalancer = "LoadBalancer",
        /// A DNS alias.
        ExternalName = "ExternalName",
    }
}

ids! {
    /// A traffic policy.
    TrafficPolicy from ModelTrafficPolicy {
        /// Endpoints of every node.
        Cluster = "Cluster",
        /// Endpoints of the node that the connection comes to.
        Local = "Local",
    }
}

ids! {
    /// How kube-proxy programs the node.
    ProxyMode from ModelProxyMode {
        /// iptables.
        Iptables = "iptables",
        /// nftables.
        Nftables = "nftables",
        /// IPVS.
        Ipvs = "ipvs",
        /// HNS on Windows.
        Winkernel = "winkernel",
    }
}

ids! {
    /// How a version is known.
    VersionSource from ModelVersionSource {
        /// `--kube-version`.
        Assumed = "assumed",
        /// The tag of the image that kube-proxy's pod runs.
        Image = "image",
        /// The node's kubelet.
        Kubelet = "kubelet",
        /// The API server.
        Server = "server",
        /// Not known; the newest version known is assumed.
        NewestKnown = "newest-known",
    }
}

ids! {
    /// How a proxy mode is known.
    ModeSource from ModelModeSource {
        /// `--proxy-mode`.
        Assumed = "assumed",
        /// kube-proxy's ConfigMap.
        Config = "config",
        /// kube-proxy's command line.
        Flags = "flags",
        /// kube-proxy's default for the node's operating system.
        Default = "default",
    }
}

ids! {
    /// Where an Endpoints object lists an address.
    InEndpoints from ModelInEndpoints {
        /// In `addresses`.
        Ready = "ready",
        /// In `notReadyAddresses`.
        NotReady = "notReady",
        /// In neither.
        Absent = "absent",
    }
}

ids! {
    /// How bad a finding is, least first.
    Severity from ModelSeverity {
        /// Good to know.
        Info = "info",
        /// Requests may fail.
        Warning = "warning",
        /// Requests fail.
        Error = "error",
    }
}

ids! {
    /// When requests suffer from what a finding says.
    When from ModelWhen {
        /// At this moment.
        Now = "now",
        /// At the next rollout, drain, scale-down or delete.
        Next = "next",
    }
}

ids! {
    /// What suppresses findings, what is nearest to the finding first.
    Suppressor from ModelSuppressor {
        /// A comment beside the line.
        Comment = "comment",
        /// An annotation of the object.
        Annotation = "annotation",
        /// `.drain-check.yaml`.
        Config = "config",
        /// A baseline file.
        Baseline = "baseline",
    }
}
