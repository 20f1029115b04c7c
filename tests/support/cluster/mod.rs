//! A cluster of any size, the same for the same seed: what an API server would list of Services with their slices, Endpoints and
//! pods, and of nodes in zones.
//!
//! Every object is as large as in a real cluster: with managed fields, volumes, environments, probes and statuses. Most pods are
//! ready; some terminate, some fail their probes, and some belong to no Service. Texts are made one by one, for a large cluster has
//! more of them than fits into memory as values.

mod nodes;
mod pods;
mod services;

use serde_json::{Map, Value, json};

use crate::corpus::Dice;

/// The moment that everything is about.
pub(crate) const NOW: &str = "2026-11-21T00:38:15Z";

/// When most objects were made.
const BEFORE: &str = "2026-10-02T07:11:40Z";

/// How large a cluster is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Size {
    pub(crate) services: usize,
    /// Those of no Service and kube-proxy's own included.
    pub(crate) pods: usize,
    pub(crate) nodes: usize,
}

/// A pod behind a Service, as far as slices and Endpoints tell.
struct Backend {
    name: String,
    uid: String,
    ip: String,
    node: usize,
    ready: bool,
    terminating: bool,
}

/// Makes every object of a cluster; pods come right after the Service that selects them, nodes last.
pub(crate) fn each(seed: u64, size: Size, take: &mut dyn FnMut(Value)) {
    let mut dice = Dice::new(seed);
    let others = size.pods / 20;
    let mut left = size.pods.saturating_sub(size.nodes + others);
    let mut address = 0;
    for number in 0..size.services {
        let app = services::App::new(&mut dice, number, size);
        // The last one takes what is left over, less what belongs to no Service.
        let fair = left / (size.services - number);
        let most = if dice.one_in(50) {
            fair * 8
        } else {
            fair * 3 / 2
        };
        let replicas = dice.below(most + 1).min(left);
        left -= replicas;
        let mut backends = Vec::new();
        for _ in 0..replicas {
            address += 1;
            let (pod, backend) = pods::behind(&mut dice, &app, address, size);
            take(pod);
            backends.push(backend);
        }
        for object in app.objects(&mut dice, &backends) {
            take(object);
        }
    }
    for _ in 0..left + others.min(size.pods) {
        address += 1;
        take(pods::batch(&mut dice, address, size));
    }
    for number in 0..size.nodes.min(size.pods) {
        take(pods::kube_proxy(&mut dice, number));
    }
    for number in 0..size.nodes {
        take(nodes::node(&mut dice, number));
    }
    take(nodes::kube_proxy_config());
}

/// The same as values, for a cluster that is small enough.
pub(crate) fn objects(seed: u64, size: Size) -> Vec<Value> {
    let mut all = Vec::new();
    each(seed, size, &mut |object| all.push(object));
    all
}

/// A name's last part, as controllers draw it.
fn suffix(dice: &mut Dice, length: usize) -> String {
    const SIGNS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    (0..length).map(|_| char::from(*dice.pick(SIGNS))).collect()
}

fn hex(dice: &mut Dice, length: usize) -> String {
    (0..length)
        .map(|_| char::from(*dice.pick(b"0123456789abcdef")))
        .collect()
}

fn uid(dice: &mut Dice) -> String {
    [8, 4, 4, 4, 12].map(|length| hex(dice, length)).join("-")
}

/// The address of a pod: enough for sixteen million.
fn ip(number: usize) -> String {
    format!(
        "10.{}.{}.{}",
        (number >> 16) & 255,
        (number >> 8) & 255,
        number & 255
    )
}

fn node_name(number: usize) -> String {
    format!(
        "ip-172-31-{}-{}.example.internal",
        number / 250,
        number % 250
    )
}

fn zone(node: usize) -> String {
    format!("zone-{}", char::from(b"abc"[node % 3]))
}

/// What server-side apply notes of the fields that somebody wrote (KEP-555): list items by their keys.
fn fields(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut of = Map::from_iter([(".".to_owned(), json!({}))]);
            of.extend(
                map.iter()
                    .map(|(key, value)| (format!("f:{key}"), fields(value))),
            );
            Value::Object(of)
        }
        Value::Array(items) => {
            let mut of = Map::from_iter([(".".to_owned(), json!({}))]);
            for item in items {
                let key = ["containerPort", "mountPath", "type", "ip", "uid", "name"]
                    .into_iter()
                    .find_map(|key| Some((key, item.get(key)?)));
                let Some((key, value)) = key else {
                    return json!({});
                };
                of.insert(format!("k:{{\"{key}\":{value}}}"), fields(item));
            }
            Value::Object(of)
        }
        _ => json!({}),
    }
}

/// One of `metadata.managedFields`, for the fields of this value.
fn managed(manager: &str, version: &str, written: &Value, status: bool) -> Value {
    let mut entry = json!({"manager": manager, "operation": "Update", "apiVersion": version, "time": BEFORE,
        "fieldsType": "FieldsV1", "fieldsV1": fields(written)});
    if status {
        entry["subresource"] = json!("status");
    }
    entry
}
