//! Is an object all there, or only a part of one, as patches are? And does any rule judge its kind?

use serde_json::Value;

use crate::manifest::Identity;

/// What an object is to the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Judged {
    /// Pods, or what makes them.
    Workload,
    /// A Service.
    Service,
    /// A `PodDisruptionBudget`.
    Budget,
    /// An autoscaler.
    Autoscaler,
    /// An Ingress or a route.
    Route,
}

/// The group of an object's API.
fn group(value: &Value) -> &str {
    let version = value["apiVersion"].as_str().unwrap_or_default();
    Identity::group(version)
}

/// What the pods of a workload are made of: metadata and spec. Of a pod, that is the pod.
pub(super) fn template(value: &Value) -> &Value {
    let spec = &value["spec"];
    match value["kind"].as_str() {
        Some("Pod") => value,
        Some("CronJob") => &spec["jobTemplate"]["spec"]["template"],
        _ => &spec["template"],
    }
}

/// What the rules take an object for; `None` for kinds that no rule judges.
#[must_use]
pub fn judged(value: &Value) -> Option<Judged> {
    let kind = value["kind"].as_str()?;
    let group = group(value);
    match (group, kind) {
        ("", "Service") => Some(Judged::Service),
        ("", "Pod" | "ReplicationController")
        | ("batch", "Job" | "CronJob")
        | ("apps" | "extensions", "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet") => {
            Some(Judged::Workload)
        }
        ("policy", "PodDisruptionBudget") => Some(Judged::Budget),
        ("autoscaling", "HorizontalPodAutoscaler") | ("keda.sh", "ScaledObject") => {
            Some(Judged::Autoscaler)
        }
        ("networking.k8s.io" | "extensions", "Ingress") => Some(Judged::Route),
        ("gateway.networking.k8s.io", kind) if kind.ends_with("Route") => Some(Judged::Route),
        _ => {
            // Templates of kinds that are not Kubernetes' own make pods like any other.
            let has_pods = || template(value)["spec"]["containers"].is_array();
            (!group.is_empty() && has_pods()).then_some(Judged::Workload)
        }
    }
}

/// How much of an object is there?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// The API server would take it.
    Whole,
    /// It lacks what the API asks for, and may be a patch of an object of this name.
    Doubtful,
    /// No pod could be made of it: it is a patch, or the rest is added later.
    Part,
}

/// How much of an object is there? By the fields that the API requires and patches leave out.
#[must_use]
pub fn extent(value: &Value, judged: Judged) -> Extent {
    let spec = &value["spec"];
    let doubtful = |lacks: bool| {
        if lacks {
            Extent::Doubtful
        } else {
            Extent::Whole
        }
    };
    let nothing =
        |value: &Value| value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
    match judged {
        Judged::Workload => {
            let containers = template(value)["spec"]["containers"].as_array();
            let images = containers.into_iter().flatten();
            let images = images.filter(|container| container["image"].is_string());
            let elsewhere = spec["workloadRef"].is_object();
            if images.count() == 0 && !elsewhere {
                return Extent::Part;
            }
            doubtful(group(value) == "apps" && nothing(&spec["selector"]))
        }
        Judged::Service => {
            let no_ports = spec["ports"].as_array().is_none_or(Vec::is_empty);
            let needs_none = spec["clusterIP"] == "None" || spec["type"] == "ExternalName";
            doubtful(no_ports && !needs_none)
        }
        Judged::Budget => doubtful(spec["selector"].is_null()),
        Judged::Autoscaler => doubtful(nothing(&spec["scaleTargetRef"])),
        Judged::Route => Extent::Whole,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_patch_of_a_deployment_is_a_part_and_one_with_an_image_is_doubtful() {
        let deployment = |spec: Value| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec});
        let of = |spec| extent(&deployment(spec), Judged::Workload);
        assert_eq!(of(json!({"replicas": 3})), Extent::Part);
        let image = json!({"spec": {"containers": [{"name": "web", "image": "web:1"}]}});
        assert_eq!(of(json!({"template": image})), Extent::Doubtful);
        let selector = json!({"matchLabels": {"app": "web"}});
        assert_eq!(
            of(json!({"template": image, "selector": selector})),
            Extent::Whole
        );
    }

    #[test]
    fn kinds_of_others_are_workloads_where_they_make_pods() {
        let rollout = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "spec": {"template": {"spec": {"containers": []}}}});
        assert_eq!(judged(&rollout), Some(Judged::Workload));
        let claim = json!({"apiVersion": "v1", "kind": "ConfigMap", "spec": {"template": {"spec": {"containers": []}}}});
        assert_eq!(judged(&claim), None);
    }
}
