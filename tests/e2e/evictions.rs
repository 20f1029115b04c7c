//! What the eviction API answers, and what `what-if evict` said that it would.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

use serde_json::{Value, json};

use crate::cluster::{Cluster, until};
use crate::situations::Is::Ready;
use crate::situations::Said::{self, Allowed, Several, TooMany};
use crate::situations::situations;
use crate::stage::Stage;

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
    if stage.minor < 27 {
        // unhealthyPodEvictionPolicy is off there (KEP-3017): what is expected is what servers say since 1.27.
        return;
    }
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
                wrong.push(format!(
                    "EXPECTED {}: {pod}: {said:?}, not {expected:?}",
                    one.name
                ));
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
