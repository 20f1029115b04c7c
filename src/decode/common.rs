//! What do the parts mean that many kinds have: names, owners, addresses, ports, moments?

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;

use super::parts::{self, Meta, ObjectReference, OwnerReference};
use crate::facts::ObjectName;
use crate::facts::pod::{Condition, Owner};
use crate::facts::service::Protocol;
use crate::facts::slice::PodRef;
use crate::facts::workload::Amount;

pub(super) fn name(meta: &Meta) -> ObjectName {
    ObjectName::new(
        meta.namespace.clone().unwrap_or_default(),
        meta.name.clone().unwrap_or_default(),
    )
}

/// Items as a list without room for more: while JSON is read there is room for four, most lists have one item, and there are many.
pub(super) fn exact<T>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = items.into_iter().collect();
    all.shrink_to_fit();
    all
}

/// The owner that controls an object, else its first one.
pub(super) fn owner(meta: &Meta) -> Option<Owner> {
    let owners = meta.owner_references.as_deref().unwrap_or_default();
    let controls = |owner: &&OwnerReference| owner.controller == Some(true);
    let owner = owners.iter().find(controls).or(owners.first())?;
    Some(Owner {
        kind: owner.kind.clone(),
        name: owner.name.clone(),
        controller: controls(&owner),
    })
}

/// A number, or a text such as `25%`; `None` for any other text.
pub(super) fn amount(amount: Option<IntOrString>) -> Option<Amount> {
    match amount? {
        IntOrString::Int(count) => Some(Amount::Count(i64::from(count))),
        IntOrString::String(text) => text
            .strip_suffix('%')
            .and_then(|share| share.parse().ok())
            .map(Amount::Percent),
    }
}

/// A port number; `None` for what no port can be.
pub(super) fn port_number(number: i32) -> Option<u16> {
    u16::try_from(number).ok().filter(|port| *port != 0)
}

pub(super) fn protocol(text: Option<&str>) -> Protocol {
    match text {
        Some("UDP") => Protocol::Udp,
        Some("SCTP") => Protocol::Sctp,
        _ => Protocol::Tcp,
    }
}

pub(super) fn ips<'a>(texts: impl IntoIterator<Item = &'a String>) -> Vec<IpAddr> {
    texts
        .into_iter()
        .filter_map(|text| text.parse().ok())
        .collect()
}

pub(super) fn time(time: &Time) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(time.0.as_second(), 0)
}

/// `conditions` of any object.
pub(super) fn conditions(all: Option<Vec<parts::Condition>>) -> Vec<Condition> {
    let all = all.unwrap_or_default().into_iter();
    let all = all.map(|condition| Condition {
        is_true: condition.status == "True",
        reason: condition.reason.unwrap_or_default(),
        message: condition.message.unwrap_or_default(),
        changed: condition.last_transition_time.as_ref().and_then(time),
        kind: condition.type_,
    });
    all.collect()
}

/// A `targetRef` to a pod; `None` for other kinds.
pub(super) fn pod_ref(target: ObjectReference) -> Option<PodRef> {
    (target.kind.as_deref() == Some("Pod")).then(|| PodRef {
        name: ObjectName::new(
            target.namespace.unwrap_or_default(),
            target.name.unwrap_or_default(),
        ),
        uid: target.uid,
    })
}
