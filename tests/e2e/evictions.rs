//! What the eviction API answers, and what `what-if evict` said that it would.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use serde_json::{Value, json};

use crate::cluster::{Cluster, until};
use crate::stage::{Stage, name_of};

/// Everything that an answer about an eviction needs.
const KINDS: &str = "nodes,services,endpointslices,pods,deployments,replicasets,statefulsets,daemonsets,replicationcontrollers,poddisruptionbudgets";

/// A way to the API server over which what it says can be read word by word: kubectl hides the details of a refusal, and asks again.
struct Proxy {
    child: Child,
    address: String,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Proxy {
    fn new(cluster: &Cluster) -> Self {
        let mut child = cluster.start(&["proxy", "--port=0"]);
        let mut said = String::new();
        let out = child.stdout.take().expect("a pipe");
        let read = BufReader::new(out).read_line(&mut said);
        read.expect("where it serves");
        let address = said.trim().rsplit(' ').next().expect("an address");
        Self {
            child,
            address: address.to_owned(),
        }
    }

    /// The status and what is said.
    fn post(&self, path: &str, object: &Value) -> (u16, Value) {
        let body = object.to_string();
        let mut stream = TcpStream::connect(&self.address).expect("the proxy");
        // Nothing comes in pieces before HTTP/1.1.
        write!(
            stream,
            "POST {path} HTTP/1.0\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .expect("an open connection");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("text");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).expect("a status");
        let body = serde_json::from_str(body).unwrap_or_else(|error| panic!("{error}: {text}"));
        (status.parse().expect("a number"), body)
    }
}

/// How a pod is when it is to be evicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Is {
    Ready,
    Unready,
    Pending,
    Ended,
    Terminating,
}
use Is::{Ended, Pending, Ready, Terminating, Unready};

/// What keeps the pods of a situation.
#[derive(Debug, Clone, Copy)]
enum Keeper {
    /// A Deployment, and how many replicas it wants once its pods are there.
    Deployment(usize),
    ReplicaSet,
    StatefulSet,
    DaemonSet,
    ReplicationController,
    Nobody,
    /// Nobody, but an object that they go with owns them.
    Owner,
}

/// What is said of an eviction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    Allowed,
    /// 429, with what is needed and what is there, where it is told.
    TooMany(Option<(i64, i64)>),
    Several,
}
use Said::{Allowed, Several, TooMany};

/// A situation: its pods by their states, in the order of their names, its budgets, which pods are evicted one after the other, and what is
/// said of each.
struct Situation {
    name: &'static str,
    keeper: Keeper,
    pods: Vec<Is>,
    budgets: Vec<Value>,
    evicted: Vec<(usize, Said)>,
}

fn situation(
    name: &'static str,
    (keeper, pods): (Keeper, &[Is]),
    budgets: &[Value],
    evicted: &[(usize, Said)],
) -> Situation {
    Situation {
        name,
        keeper,
        pods: pods.to_vec(),
        budgets: budgets.to_vec(),
        evicted: evicted.to_vec(),
    }
}

/// What is expected follows from `pkg/registry/core/pod/storage/eviction.go` and `pkg/controller/disruption/disruption.go` of Kubernetes 1.36,
/// and is what a server of that version says.
fn situations() -> Vec<Situation> {
    use Keeper::{
        DaemonSet, Deployment, Nobody, Owner, ReplicaSet, ReplicationController, StatefulSet,
    };
    let at_least = |amount: Value| json!({"minAvailable": amount});
    let missing = |amount: Value| json!({"maxUnavailable": amount});
    let unhealthy = |amount: u32, policy: &str| json!({"minAvailable": amount, "unhealthyPodEvictionPolicy": policy});
    let two_of_three: &[Is] = &[Ready, Ready, Unready];
    let short = TooMany(Some((3, 2)));
    vec![
        situation(
            "no-budget",
            (Deployment(2), &[Ready; 2]),
            &[],
            &[(0, Allowed)],
        ),
        // checkAndDecrement.
        situation(
            "room",
            (Deployment(2), &[Ready; 2]),
            &[at_least(1.into())],
            &[(0, Allowed), (1, TooMany(Some((1, 1))))],
        ),
        situation(
            "no-room",
            (Deployment(2), &[Ready; 2]),
            &[at_least(2.into())],
            &[(0, TooMany(Some((2, 2))))],
        ),
        situation(
            "two-budgets",
            (Deployment(2), &[Ready; 2]),
            &[at_least(1.into()), missing(1.into())],
            &[(0, Several)],
        ),
        // Of one that is not Ready: enough others are healthy, or not.
        situation(
            "unready-enough",
            (Deployment(3), two_of_three),
            &[at_least(2.into())],
            &[(2, Allowed)],
        ),
        situation(
            "unready-enough-said",
            (Deployment(3), two_of_three),
            &[unhealthy(2, "IfHealthyBudget")],
            &[(2, Allowed), (0, TooMany(Some((2, 2))))],
        ),
        situation(
            "unready-short",
            (Deployment(3), two_of_three),
            &[unhealthy(3, "IfHealthyBudget")],
            &[(2, short)],
        ),
        situation(
            "unready-always",
            (Deployment(3), two_of_three),
            &[unhealthy(3, "AlwaysAllow")],
            &[(2, Allowed), (0, short)],
        ),
        // Where none is needed, that is not enough: the numbers decide, and nothing is there to be missed.
        situation(
            "unready-none-needed",
            (Nobody, &[Unready]),
            &[at_least(0.into())],
            &[(0, TooMany(Some((0, 0))))],
        ),
        // canIgnorePDB.
        situation(
            "pending",
            (Deployment(3), &[Ready, Ready, Pending]),
            &[at_least(3.into())],
            &[(2, Allowed)],
        ),
        situation(
            "ended",
            (Nobody, &[Ready, Ended]),
            &[at_least(3.into())],
            &[(1, Allowed)],
        ),
        situation(
            "terminating",
            (Nobody, &[Ready, Terminating]),
            &[at_least(2.into())],
            &[(1, Allowed), (0, TooMany(Some((2, 1))))],
        ),
        situation(
            "pending-two-budgets",
            (Nobody, &[Pending]),
            &[at_least(1.into()), at_least(2.into())],
            &[(0, Allowed)],
        ),
        // getExpectedPodCount: shares are of what is wanted, and rounded up.
        situation(
            "half-of-three",
            (Deployment(3), &[Ready; 3]),
            &[at_least("50%".into())],
            &[(0, Allowed), (1, TooMany(Some((2, 2))))],
        ),
        situation(
            "half-of-one",
            (Deployment(1), &[Ready]),
            &[at_least("50%".into())],
            &[(0, TooMany(Some((1, 1))))],
        ),
        situation(
            "third-missing",
            (StatefulSet, &[Ready; 3]),
            &[missing("34%".into())],
            &[(0, Allowed), (1, Allowed), (2, TooMany(Some((1, 1))))],
        ),
        situation(
            "scaled",
            (Deployment(4), &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(Some((3, 2))))],
        ),
        situation(
            "none-missing",
            (ReplicaSet, &[Ready; 2]),
            &[missing(0.into())],
            &[(0, TooMany(Some((2, 2))))],
        ),
        // A ReplicationController has a scale; a DaemonSet has none.
        situation(
            "replication-controller",
            (ReplicationController, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, Allowed), (1, TooMany(Some((1, 1))))],
        ),
        situation(
            "daemon-set",
            (DaemonSet, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(None))],
        ),
        situation(
            "daemon-set-number",
            (DaemonSet, &[Ready; 2]),
            &[at_least(1.into())],
            &[(0, Allowed)],
        ),
        // Nobody says how many there should be: none are expected, and none may go. A number is one all the same.
        situation(
            "bare-missing",
            (Nobody, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(Some((0, 2))))],
        ),
        situation(
            "bare-share",
            (Nobody, &[Ready; 2]),
            &[at_least("50%".into())],
            &[(0, TooMany(Some((0, 2))))],
        ),
        situation(
            "bare-number",
            (Nobody, &[Ready; 2]),
            &[at_least(1.into())],
            &[(0, Allowed), (1, TooMany(Some((1, 1))))],
        ),
        // GetControllerOf: an owner that does not control a pod does not count.
        situation(
            "owned-not-controlled",
            (Owner, &[Ready; 2]),
            &[missing(1.into())],
            &[(0, TooMany(Some((0, 2))))],
        ),
    ]
}

const CORE: &str = "/api/v1";
const APPS: &str = "/apis/apps/v1";

impl Situation {
    fn labels(&self) -> Value {
        json!({"app": self.name})
    }

    /// Makes what keeps the pods, or the pods.
    fn make(&self, stage: &Stage) {
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
            Keeper::Nobody | Keeper::Owner => {
                let owners = self.owners(stage);
                for number in 0..self.pods.len() {
                    let mut pod = Stage::template(self.name, "1");
                    pod["apiVersion"] = json!("v1");
                    pod["kind"] = json!("Pod");
                    pod["metadata"]["name"] = json!(format!("{}-{number}", self.name));
                    pod["metadata"]["ownerReferences"] = owners.clone();
                    stage.makes_pod(&pod);
                }
                return;
            }
        };
        let version = group
            .trim_start_matches("/apis/")
            .trim_start_matches("/api/");
        object["apiVersion"] = json!(version);
        object["kind"] = json!(kind);
        stage.create(group, plural, &object);
    }

    fn owners(&self, stage: &Stage) -> Value {
        if !matches!(self.keeper, Keeper::Owner) {
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

    fn budgets(&self, stage: &Stage) {
        for (number, asks) in self.budgets.iter().enumerate() {
            let mut spec = asks.clone();
            spec["selector"] = json!({"matchLabels": self.labels()});
            let budget = json!({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": format!("{}-{number}", self.name)}, "spec": spec});
            stage.create("/apis/policy/v1", "poddisruptionbudgets", &budget);
        }
    }

    /// The names of its pods, in order.
    fn names(&self, all: &[Value]) -> Vec<String> {
        let own = all
            .iter()
            .filter(|pod| pod["metadata"]["labels"]["app"] == self.name);
        let mut names: Vec<_> = own.map(name_of).collect();
        names.sort();
        names
    }

    /// Brings the pods into their states.
    fn play(&self, stage: &Stage, names: &[String]) {
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
    fn is_counted(&self, stage: &Stage, healthy: usize) -> bool {
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
            let failed = conditions
                .into_iter()
                .any(|condition| condition["reason"] == "SyncFailed");
            let wanted = match self.keeper {
                Keeper::Deployment(wanted) => wanted,
                _ => self.pods.len(),
            };
            let expects = match self.keeper {
                Keeper::Deployment(_)
                    if budget["spec"]["maxUnavailable"].is_null()
                        && budget["spec"]["minAvailable"].is_u64() =>
                {
                    None
                }
                Keeper::Deployment(_) => Some(wanted),
                _ => None,
            };
            failed
                || (status["observedGeneration"] == budget["metadata"]["generation"]
                    && status["currentHealthy"].as_u64() == u64::try_from(healthy).ok()
                    && expects.is_none_or(|wanted| status["expectedPods"] == wanted))
        })
    }
}

/// What the server says of an eviction, and the budget that it names.
fn evict(stage: &Stage, proxy: &Proxy, pod: &str) -> (Said, Option<String>) {
    let eviction = json!({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": stage.name()}});
    let (status, body) = proxy.post(&stage.path(&format!("pods/{pod}/eviction")), &eviction);
    match status {
        200 | 201 => (Allowed, None),
        500 => {
            let message = body["message"].as_str().unwrap_or_default();
            assert!(
                message.contains("more than one PodDisruptionBudget"),
                "{body}"
            );
            (Several, None)
        }
        429 => {
            // "The disruption budget X needs N healthy pods and has M currently"
            let message = body["details"]["causes"][0]["message"].as_str();
            let words: Vec<_> = message.expect("a cause").split(' ').collect();
            let after = |word: &str| {
                let at = words.iter().position(|one| *one == word)?;
                words.get(at + 1).copied()
            };
            let number = |word| after(word).and_then(|number| number.parse().ok());
            let numbers = number("needs").zip(number("has"));
            (TooMany(numbers), after("budget").map(str::to_owned))
        }
        _ => panic!("{status} {body}"),
    }
}

/// What `what-if evict` says of evictions one after the other.
fn foretold(stage: &Stage, pods: &[String], list: &str) -> Vec<(Said, Option<String>)> {
    let named: Vec<_> = pods.iter().map(|pod| format!("pod/{pod}")).collect();
    let mut arguments = vec!["drain-check", "what-if", "evict", "-n", stage.name()];
    arguments.extend(named.iter().map(String::as_str));
    arguments.extend(["-f", "-", "-o", "json", "--fail-on", "never"]);
    let output = stage.cluster().run(&arguments, list);
    let timeline: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let evictions = timeline["evictions"].as_array().expect("evictions");
    assert_eq!(evictions.len(), pods.len());
    let one = |eviction: &Value| {
        let budget = &eviction["budget"];
        let numbers = budget["needs"].as_i64().zip(budget["has"].as_i64());
        let name = budget["name"].as_str().map(str::to_owned);
        match eviction["decision"].as_str().expect("a decision") {
            "allowed" => (Allowed, None),
            "waits" | "never" => (TooMany(numbers), name),
            "refused" => (Several, None),
            other => panic!("{other}: {eviction}"),
        }
    };
    evictions.iter().map(one).collect()
}

#[test]
#[ignore = "needs a cluster: see CONTRIBUTING.md"]
fn what_if_says_what_the_eviction_api_says() {
    let stage = Stage::new("evict", 2);
    let proxy = Proxy::new(stage.cluster());
    stage.service(&json!({}));
    let situations = situations();
    for one in &situations {
        one.make(&stage);
    }
    let count = situations.iter().map(|one| one.pods.len()).sum();
    let pods = stage.pods_are(count);
    for one in &situations {
        one.play(&stage, &one.names(&pods));
        one.budgets(&stage);
    }
    let mut wrong = Vec::new();
    for one in &situations {
        let mut healthy = one.pods.iter().filter(|is| **is == Ready).count();
        let counted = |healthy| until(one.name, || one.is_counted(&stage, healthy).then_some(()));
        counted(healthy);
        let names = one.names(&pods);
        let evicted: Vec<_> = one
            .evicted
            .iter()
            .map(|(at, _)| names[*at].clone())
            .collect();
        let list = ["get", KINDS, "-n", stage.name(), "-o", "json"];
        let list = stage.cluster().said(&list, "");
        let foretold = foretold(&stage, &evicted, &list);
        for ((pod, (at, expected)), foretold) in evicted.iter().zip(&one.evicted).zip(foretold) {
            let said = evict(&stage, &proxy, pod);
            if said.0 == Allowed && one.pods[*at] == Ready {
                // The refusal of the next one tells what the controller has counted.
                healthy -= 1;
                counted(healthy);
            }
            if said.0 != *expected {
                wrong.push(format!("EXPECTED {}: {pod}: {said:?}, not {expected:?}", one.name));
            }
            let same = match (&said, &foretold) {
                ((TooMany(None), _), (TooMany(_), _)) => true,
                _ => said == foretold,
            };
            if !same {
                wrong.push(format!("{}: {pod}: {said:?}, not {foretold:?}", one.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
