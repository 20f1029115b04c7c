//! Which figures does the catalogue hold of a traffic source, and where can its owners set them?

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::amount::Amount;
use super::formula::Formula;

/// When a traffic source stops sending anything new, in seconds from the delete.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stop {
    /// The formula; `None` where there is no number.
    #[serde(deserialize_with = "formula")]
    pub formula: Option<Formula>,
    /// What it comes to when nothing is set, rounded up.
    #[serde(deserialize_with = "amount")]
    pub default: Option<Amount>,
    /// What is usual, where `default` is the worst case.
    pub typical: Option<f64>,
    /// When the formula holds, in words.
    pub when: String,
    /// How much longer the node gets traffic after the pod is gone.
    #[serde(default, deserialize_with = "formula")]
    pub after_pod_end: Option<Formula>,
    /// What holds instead; the first whose conditions hold counts.
    #[serde(default)]
    pub variants: Vec<Variant>,
}

/// Does a setting's word meet a condition of the catalogue? `set` stands for any word.
pub(super) fn meets(word: &str, wanted: &str) -> bool {
    wanted == "set" || word.eq_ignore_ascii_case(wanted)
}

/// What holds instead under conditions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// The condition in words.
    pub when: String,
    /// The condition as names and values; empty where no object shows it, and the variant is only mentioned.
    #[serde(default, rename = "if")]
    pub conditions: BTreeMap<String, String>,
    /// The formula.
    #[serde(deserialize_with = "formula")]
    pub formula: Option<Formula>,
    /// What it comes to when nothing else is set.
    #[serde(deserialize_with = "amount")]
    pub default: Option<Amount>,
}

/// How long a traffic source lets in-flight requests and open connections go on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// The formula; `None` where there is no number.
    #[serde(deserialize_with = "formula")]
    pub formula: Option<Formula>,
    /// What it comes to when nothing is set.
    #[serde(deserialize_with = "amount")]
    pub default: Option<Amount>,
    /// From when the formula counts.
    #[serde(default)]
    pub from: DrainFrom,
    /// What the number leaves out, in words.
    pub says: Option<String>,
    /// What holds instead.
    #[serde(default)]
    pub variants: Vec<Variant>,
}

/// From when a drain counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrainFrom {
    /// From the last new connection.
    #[default]
    Stop,
    /// From the delete.
    Delete,
    /// From the end of the pod.
    PodEnd,
    /// From the removal of a node; a pod's end changes nothing.
    NodeRemoval,
}

/// What something limits that sends no traffic itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// The pod's grace period.
    GracePeriod,
    /// For how long after the delete anything reaches the application.
    Inbound,
}

/// Time that something provides, so that preStop need not.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Credit {
    /// How long.
    #[serde(deserialize_with = "formula")]
    pub formula: Option<Formula>,
    /// How it counts.
    pub kind: CreditKind,
}

/// How a credit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CreditKind {
    /// It delays the delete: traffic sources stop meanwhile, and preStop can be shorter by as much.
    Holds,
    /// It takes the place of preStop, where the traffic sources need no longer than that.
    Covers,
}

/// A name in a formula.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Param {
    /// Its value when it is not set.
    #[serde(deserialize_with = "amount")]
    pub default: Option<Amount>,
    /// Its unit: `s`, `count`, `1/s`, `percent`.
    pub unit: String,
    /// Where it is set, or who chose it.
    pub from: String,
}

/// A setting, and where its owner can write it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tuning {
    /// On what.
    pub at: TuningPlace,
    /// The kind, for [`TuningPlace::Field`].
    pub kind: Option<String>,
    /// Its API group.
    pub group: Option<String>,
    /// The object's name, where it is fixed.
    pub name: Option<String>,
    /// The annotation, label, key, argument, variable or path.
    pub key: String,
    /// The key inside of the value, for lists of attributes and YAML.
    pub attribute: Option<String>,
    /// How the value is written.
    pub format: TuningFormat,
    /// The unit of a number.
    pub unit: Option<String>,
    /// The value when it is not set.
    pub default: Option<Value>,
    /// The parameter or condition that it sets; `None` where it changes no figure.
    pub sets: Option<String>,
    /// What it does.
    pub effect: Option<String>,
}

/// Where a setting is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuningPlace {
    /// An annotation of the Service; `{port}` in its key is each of its ports.
    Service,
    /// A label of the Service.
    ServiceLabel,
    /// An annotation of an Ingress that has the Service as a backend.
    Ingress,
    /// An annotation of the Service, else of the Ingress.
    IngressOrService,
    /// An annotation of an `OpenShift` Route.
    Route,
    /// An annotation of the pods.
    Pod,
    /// An annotation of the pods, else of their namespace.
    PodOrNamespace,
    /// A label of the namespace.
    NamespaceLabel,
    /// A label of nodes.
    NodeLabel,
    /// An environment variable in the pods.
    PodEnv,
    /// A key of a `ConfigMap`.
    ConfigMap,
    /// An argument of some workload's container.
    Args,
    /// An environment variable of some workload's container.
    Env,
    /// A field of an object.
    Field,
    /// A plugin's option in `CoreDNS`' Corefile.
    Corefile,
    /// Istio's `MeshConfig`.
    MeshConfig,
    /// Outside the cluster: only `--source` can say it.
    Outside,
}

/// How the value of a setting is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TuningFormat {
    /// A number; one with a unit of time is taken as well.
    Number,
    /// Seconds, with or without a unit.
    Seconds,
    /// `1m30s`.
    GoDuration,
    /// `1m 30s`; a bare number is seconds.
    NginxTime,
    /// `30s`; a bare number is milliseconds.
    HaproxyTime,
    /// `true` or `false`.
    Bool,
    /// A word.
    Word,
    /// `k=v,k2=v2`.
    Attributes,
    /// YAML with an attribute.
    Yaml,
    /// JSON.
    Json,
}

fn formula<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Formula>, D::Error> {
    Option::<String>::deserialize(input)?
        .map(|text| text.parse().map_err(serde::de::Error::custom))
        .transpose()
}

fn amount<'de, D: serde::Deserializer<'de>>(input: D) -> Result<Option<Amount>, D::Error> {
    match Value::deserialize(input)? {
        Value::Null => Ok(None),
        Value::Number(number) => Ok(number.as_f64().map(Amount::Seconds)),
        Value::String(text) if text == "tGPS" => Ok(Some(Amount::UntilPodIsGone)),
        Value::String(text) if text == "unlimited" => Ok(Some(Amount::Unlimited)),
        // The value of the data plane in use, which only a cluster has.
        Value::String(text) if text == "DP" => Ok(None),
        other => Err(serde::de::Error::custom(format!("{other} is no amount"))),
    }
}
