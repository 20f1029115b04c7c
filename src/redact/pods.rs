//! What is kept of pods and pod templates? What `input::decode::parts` reads of them.

use serde_json::{Map, Value};

use super::MASK;
use super::names::is_secret;
use super::shape::{Keep, META, apply};
use super::words;
use crate::shutdown::proxies;
use crate::sources;

const EXACT: Keep = Keep::Exact;
const MASKED: Keep = Keep::Masked;

/// An HTTP request of a probe or a hook; its headers may be secret.
const HTTP: Keep = Keep::Fields(&[
    ("host", MASKED),
    ("path", MASKED),
    ("port", EXACT),
    ("scheme", EXACT),
]);

const EXEC: Keep = Keep::Fields(&[("command", Keep::By(words::command))]);

const HANDLER: Keep = Keep::Fields(&[
    ("exec", EXEC),
    ("httpGet", HTTP),
    ("tcpSocket", EXACT),
    ("sleep", EXACT),
]);

const PROBE: Keep = Keep::Fields(&[
    ("exec", EXEC),
    ("httpGet", HTTP),
    ("tcpSocket", EXACT),
    ("grpc", EXACT),
    ("initialDelaySeconds", EXACT),
    ("periodSeconds", EXACT),
    ("timeoutSeconds", EXACT),
    ("successThreshold", EXACT),
    ("failureThreshold", EXACT),
    ("terminationGracePeriodSeconds", EXACT),
]);

const CONTAINER: Keep = Keep::Fields(&[
    ("name", EXACT),
    ("image", EXACT),
    ("command", Keep::By(words::command)),
    ("args", Keep::By(words::command)),
    ("env", EXACT),
    ("ports", EXACT),
    ("restartPolicy", EXACT),
    (
        "lifecycle",
        Keep::Fields(&[("preStop", HANDLER), ("stopSignal", EXACT)]),
    ),
    ("readinessProbe", PROBE),
    ("livenessProbe", PROBE),
    ("startupProbe", PROBE),
]);

const APART: Keep = Keep::Fields(&[("topologyKey", EXACT), ("labelSelector", EXACT)]);

const AFFINITY: Keep = Keep::Fields(&[(
    "podAntiAffinity",
    Keep::Fields(&[
        ("requiredDuringSchedulingIgnoredDuringExecution", APART),
        (
            "preferredDuringSchedulingIgnoredDuringExecution",
            Keep::Fields(&[("podAffinityTerm", APART)]),
        ),
    ]),
)]);

const SPEC: Keep = Keep::Fields(&[
    ("terminationGracePeriodSeconds", EXACT),
    ("restartPolicy", EXACT),
    ("hostNetwork", EXACT),
    ("hostPID", EXACT),
    ("shareProcessNamespace", EXACT),
    ("os", EXACT),
    ("priorityClassName", EXACT),
    ("nodeSelector", EXACT),
    ("nodeName", EXACT),
    ("containers", Keep::By(containers)),
    ("initContainers", Keep::By(containers)),
    ("ephemeralContainers", Keep::By(containers)),
    ("readinessGates", EXACT),
    ("affinity", AFFINITY),
    ("topologySpreadConstraints", APART),
    ("volumes", Keep::By(claims)),
]);

const STATE: Keep = Keep::Fields(&[
    ("waiting", Keep::Fields(&[("reason", EXACT)])),
    ("running", Keep::Fields(&[])),
    (
        "terminated",
        Keep::Fields(&[("exitCode", EXACT), ("signal", EXACT), ("reason", EXACT)]),
    ),
]);

const CONTAINER_STATUS: Keep = Keep::Fields(&[
    ("name", EXACT),
    ("ready", EXACT),
    ("started", EXACT),
    ("state", STATE),
]);

/// Conditions of pods and nodes; their messages may say anything.
pub(super) const CONDITIONS: Keep = Keep::Fields(&[
    ("type", EXACT),
    ("status", EXACT),
    ("reason", EXACT),
    ("lastTransitionTime", EXACT),
]);

const STATUS: Keep = Keep::Fields(&[
    ("phase", EXACT),
    ("reason", EXACT),
    ("podIP", EXACT),
    ("podIPs", EXACT),
    ("conditions", CONDITIONS),
    ("containerStatuses", CONTAINER_STATUS),
    ("initContainerStatuses", CONTAINER_STATUS),
    ("ephemeralContainerStatuses", CONTAINER_STATUS),
]);

/// A pod, but for `apiVersion` and `kind`.
pub(super) const POD: Keep = Keep::Fields(&[
    ("apiVersion", EXACT),
    ("kind", EXACT),
    ("metadata", META),
    ("spec", SPEC),
    ("status", STATUS),
]);

/// A pod template.
pub(super) const TEMPLATE: Keep = Keep::Fields(&[("metadata", META), ("spec", SPEC)]);

/// Only volumes that hold a claim count.
pub(super) fn claims(volumes: Value) -> Value {
    let Value::Array(all) = volumes else {
        return Value::Null;
    };
    let claim = Keep::Fields(&[
        ("name", EXACT),
        (
            "persistentVolumeClaim",
            Keep::Fields(&[("claimName", EXACT)]),
        ),
    ]);
    let all = all
        .into_iter()
        .filter(|volume| volume["persistentVolumeClaim"].is_object());
    Value::Array(all.map(|volume| apply(claim, volume)).collect())
}

/// Containers of any kind.
pub(super) fn containers(all: Value) -> Value {
    match all {
        Value::Array(items) => items.into_iter().map(container).collect(),
        other => apply(CONTAINER, other),
    }
}

/// What a container runs in place of a signal or beside it: the hook's command names its variables.
fn hook(container: &Value) -> Vec<String> {
    let words = container["lifecycle"]["preStop"]["exec"]["command"].as_array();
    let words = words.into_iter().flatten().filter_map(Value::as_str);
    words.map(str::to_owned).collect()
}

fn container(value: Value) -> Value {
    let hook = hook(&value);
    let mut kept = apply(CONTAINER, value);
    if let Some(env) = kept.get_mut("env") {
        *env = variables(env.take(), &hook);
    }
    kept
}

/// Does a text name a variable, in whatever way?
fn names(text: &str, variable: &str) -> bool {
    let part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    text.split(|sign| !part(sign)).any(|word| word == variable)
}

/// `env`: the names, and the values of those that somebody reads here. `valueFrom: {}` says that there is a value.
pub(super) fn variables(env: Value, hook: &[String]) -> Value {
    let Value::Array(all) = env else {
        return Value::Null;
    };
    let kept = all.into_iter().map(|variable| {
        let name = variable["name"].as_str().unwrap_or_default().to_owned();
        let read = sources::reads_variable(&name)
            || proxies::VARIABLES.contains(&name.as_str())
            || hook.iter().any(|word| names(word, &name));
        let secret = is_secret(&name);
        let mut kept = Map::new();
        kept.insert("name".to_owned(), name.into());
        match variable["value"].as_str() {
            // Nothing is said, which is an empty text.
            None | Some("") if variable["valueFrom"].is_null() => {}
            // A hook that asks whether there is a value, or compares it with another that is masked, ends as before.
            Some(value) if read && variable["valueFrom"].is_null() => {
                let value = if secret {
                    MASK.to_owned()
                } else {
                    words::text(value)
                };
                kept.insert("value".to_owned(), value.into());
            }
            _ => {
                kept.insert("valueFrom".to_owned(), Map::new().into());
            }
        }
        Value::Object(kept)
    });
    Value::Array(kept.collect())
}
