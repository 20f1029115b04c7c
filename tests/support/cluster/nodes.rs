//! Nodes, and how kube-proxy is set up on them.

use serde_json::{Value, json};

use super::{BEFORE, NOW, hex, managed, node_name, uid, zone};
use crate::corpus::Dice;

pub(super) fn node(dice: &mut Dice, number: usize) -> Value {
    let name = node_name(number);
    let kubelet = if number % 10 == 9 {
        "v1.35.4"
    } else {
        "v1.36.3"
    };
    let kinds = [
        ("MemoryPressure", "False", "KubeletHasSufficientMemory"),
        ("DiskPressure", "False", "KubeletHasNoDiskPressure"),
        ("PIDPressure", "False", "KubeletHasSufficientPID"),
        ("Ready", "True", "KubeletReady"),
    ];
    let conditions: Vec<_> = kinds
        .iter()
        .map(|(kind, status, reason)| {
            json!({"type": kind, "status": status, "lastHeartbeatTime": NOW, "lastTransitionTime": BEFORE,
                "reason": reason, "message": "kubelet is posting this status"})
        })
        .collect();
    let images: Vec<_> = (0..dice.between(10, 50))
        .map(|image| {
            let digest = hex(dice, 64);
            let place = format!("registry.example/team-{}/image-{image}", dice.below(40));
            json!({"names": [format!("{place}@sha256:{digest}"), format!("{place}:1.{image}")],
                "sizeBytes": 10_000_000 + dice.below(900_000_000)})
        })
        .collect();
    let labels = json!({"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/os": "linux", "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "node.kubernetes.io/instance-type": "m.4xlarge",
        "topology.kubernetes.io/region": "region-1", "topology.kubernetes.io/zone": zone(number),
        "example.com/pool": format!("pool-{}", number % 7)});
    let cidr = format!("10.{}.{}.0/24", number / 256, number % 256);
    let spec = json!({"podCIDR": cidr, "podCIDRs": [cidr], "providerID": format!("example:///{}/i-{}", zone(number), hex(dice, 17))});
    let status = json!({
        "addresses": [{"type": "InternalIP", "address": format!("172.31.{}.{}", number / 250, number % 250)},
            {"type": "Hostname", "address": name}],
        "allocatable": {"cpu": "15890m", "ephemeral-storage": "95551679124", "memory": "60971788Ki", "pods": "110"},
        "capacity": {"cpu": "16", "ephemeral-storage": "104845292Ki", "memory": "63435532Ki", "pods": "110"},
        "conditions": conditions, "daemonEndpoints": {"kubeletEndpoint": {"Port": 10250}}, "images": images,
        "nodeInfo": {"architecture": "amd64", "bootID": uid(dice), "containerRuntimeVersion": "containerd://2.1.4",
            "kernelVersion": "6.12.40", "kubeProxyVersion": "", "kubeletVersion": kubelet, "machineID": hex(dice, 32),
            "operatingSystem": "linux", "osImage": "Linux", "systemUUID": uid(dice)},
    });
    let fields = [
        managed(
            "kubelet",
            "v1",
            &json!({"metadata": {"labels": labels}}),
            false,
        ),
        managed(
            "kube-controller-manager",
            "v1",
            &json!({"spec": {"podCIDR": cidr, "podCIDRs": [cidr]}}),
            false,
        ),
        managed("kubelet", "v1", &json!({"status": status}), true),
    ];
    json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "uid": uid(dice), "resourceVersion": "918273",
        "creationTimestamp": BEFORE, "labels": labels, "annotations": {"node.alpha.kubernetes.io/ttl": "300",
            "volumes.kubernetes.io/controller-managed-attach-detach": "true"},
        "managedFields": fields}, "spec": spec, "status": status})
}

pub(super) fn kube_proxy_config() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "kube-system", "name": "kube-proxy"},
        "data": {"config.conf": "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\nclusterCIDR: 10.0.0.0/8\n"}})
}
