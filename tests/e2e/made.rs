//! How does a situation come about? What keeps its pods, the states of the pods, and its budgets.

use serde_json::{Value, json};

use crate::situations::Is::{Ended, Pending, Ready, Terminating, Unready};
use crate::situations::{Keeper, Situation};
use crate::stage::{Stage, name_of};

const CORE: &str = "/api/v1";
const APPS: &str = "/apis/apps/v1";

impl Situation {
    fn labels(&self) -> Value {
        json!({"app": self.name})
    }

    /// Makes what keeps the pods, or the pods.
    pub(crate) fn make(&self, stage: &Stage) {
        let template = Stage::template(self.name, "1");
        let mut object = json!({
            "metadata": {"name": self.name},
            "spec": {"replicas": self.pods.len(), "selector": {"matchLabels": self.labels()}, "template": template},
        });
        let spec = &mut object["spec"];
        let (group, kind, plural) = match self.keeper {
            Keeper::Deployment(_) => (APPS, "Deployment", "deployments"),
            Keeper::ReplicaSet => (APPS, "ReplicaSet", "replicasets"),
            Keeper::StatefulSet => {
                spec["serviceName"] = json!(self.name);
                spec["podManagementPolicy"] = json!("Parallel");
                (APPS, "StatefulSet", "statefulsets")
            }
            Keeper::DaemonSet => {
                spec.as_object_mut().expect("a spec").remove("replicas");
                spec["template"]["spec"]["nodeSelector"] = stage.own_nodes();
                (APPS, "DaemonSet", "daemonsets")
            }
            Keeper::ReplicationController => {
                spec["selector"] = self.labels();
                (CORE, "ReplicationController", "replicationcontrollers")
            }
            Keeper::Beside => {
                self.make_pods(stage, 1, "2");
                spec["replicas"] = json!(self.pods.len() - 1);
                spec["selector"]["matchLabels"]["version"] = json!("1");
                (APPS, "ReplicaSet", "replicasets")
            }
            Keeper::Nobody | Keeper::Owner => {
                return self.make_pods(stage, self.pods.len(), "1");
            }
        };
        let version = group
            .trim_start_matches("/apis/")
            .trim_start_matches("/api/");
        object["apiVersion"] = json!(version);
        object["kind"] = json!(kind);
        stage.create(group, plural, &object);
    }

    /// Makes so many pods that nothing controls.
    fn make_pods(&self, stage: &Stage, count: usize, version: &str) {
        let owners = self.owners(stage);
        for number in 0..count {
            let mut pod = Stage::template(self.name, version);
            pod["apiVersion"] = json!("v1");
            pod["kind"] = json!("Pod");
            // They come before those that got a name: these have no 0.
            pod["metadata"]["name"] = json!(format!("{}-{number}", self.name));
            pod["metadata"]["ownerReferences"] = owners.clone();
            stage.makes_pod(&pod);
        }
    }

    fn owners(&self, stage: &Stage) -> Value {
        if matches!(self.keeper, Keeper::Nobody) {
            return json!([]);
        }
        let object =
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": self.name}});
        stage.create(CORE, "configmaps", &object);
        let made = stage
            .cluster()
            .get(&stage.path(&format!("configmaps/{}", self.name)));
        let uid = &made["metadata"]["uid"];
        json!([{"apiVersion": "v1", "kind": "ConfigMap", "name": self.name, "uid": uid}])
    }

    pub(crate) fn budgets(&self, stage: &Stage) {
        for (number, asks) in self.budgets.iter().enumerate() {
            let mut spec = asks.clone();
            spec["selector"] = json!({"matchLabels": self.labels()});
            let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": format!("{}-{number}", self.name)}, "spec": spec});
            stage.create("/apis/policy/v1", "poddisruptionbudgets", &budget);
        }
    }

    /// The names of its pods, in order.
    pub(crate) fn names(&self, all: &[Value]) -> Vec<String> {
        let own = all
            .iter()
            .filter(|pod| pod["metadata"]["labels"]["app"] == self.name);
        let mut names: Vec<_> = own.map(name_of).collect();
        names.sort();
        names
    }

    /// Brings the pods into their states.
    pub(crate) fn play(&self, stage: &Stage, names: &[String]) {
        for (number, (name, is)) in names.iter().zip(&self.pods).enumerate() {
            let node = stage.meant_for(name).unwrap_or(number % 2);
            match is {
                Pending => {}
                Unready => stage.runs(name, node, false),
                Ready | Terminating | Ended => stage.runs(name, node, true),
            }
            match is {
                Terminating => stage.delete(name),
                Ended => stage.has_ended(name),
                Ready | Unready | Pending => {}
            }
        }
        if let Keeper::Deployment(replicas) = self.keeper
            && replicas != self.pods.len()
        {
            let path = format!(
                "{APPS}/namespaces/{}/deployments/{}",
                stage.name(),
                self.name
            );
            stage.change_at(&path, "/spec/replicas", &replicas.into());
        }
    }

    /// What its numbers are, once the controller has seen all of it.
    pub(crate) fn is_counted(&self, stage: &Stage, healthy: usize) -> bool {
        (0..self.budgets.len()).all(|number| {
            let path = format!(
                "/apis/policy/v1/namespaces/{}/poddisruptionbudgets/{}-{number}",
                stage.name(),
                self.name
            );
            let budget = stage.cluster().get(&path);
            let status = &budget["status"];
            let conditions = status["conditions"].as_array().into_iter().flatten();
            // It says so where it cannot count.
            let failed = matches!(self.keeper, Keeper::DaemonSet)
                && conditions
                    .into_iter()
                    .any(|condition| condition["reason"] == "SyncFailed");
            // A number counts pods, anything else what is wanted.
            let spec = &budget["spec"];
            let of_scale =
                spec["maxUnavailable"] != Value::Null || spec["minAvailable"].is_string();
            let expects = match self.keeper {
                Keeper::Deployment(wanted) if of_scale => Some(wanted),
                _ => None,
            };
            failed
                || (status["observedGeneration"] == budget["metadata"]["generation"]
                    && status["currentHealthy"].as_u64() == u64::try_from(healthy).ok()
                    && expects.is_none_or(|wanted| status["expectedPods"] == wanted))
        })
    }
}
