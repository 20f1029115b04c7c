//! What may be secret in the parts of objects that are read? The mask takes its place; everything else is written as it was read.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::names::is_secret;
use super::{MASK, annotations, words};
use crate::decode::parts::{
    Container, EnvVar, Exec, HttpGet, Meta, PodSpec, Present, Template, Volume,
};
use crate::decode::read::Raw;
use crate::shutdown::proxies;
use crate::sources;

/// What is read of an object, or a part of one, after `mask`; `None` for what does not fit, which nobody reads.
pub(super) fn masked<T: DeserializeOwned>(raw: Raw<'_>, mask: impl FnOnce(&mut T)) -> Option<T> {
    let mut parts = raw.typed().ok()?;
    mask(&mut parts);
    Some(parts)
}

/// The same as a value.
pub(super) fn read<T: DeserializeOwned + Serialize>(
    raw: Raw<'_>,
    mask: impl FnOnce(&mut T),
) -> Option<Value> {
    serde_json::to_value(masked(raw, mask)?).ok()
}

/// `metadata`.
pub(super) fn meta(meta: &mut Meta) {
    if let Some(all) = &mut meta.annotations {
        annotations::keep_known(all);
    }
}

/// A pod template.
pub(super) fn template(template: &mut Template) {
    if let Some(of_template) = &mut template.metadata {
        meta(of_template);
    }
    if let Some(spec) = &mut template.spec {
        pod_spec(spec);
    }
}

/// `spec` of a pod or a template.
pub(super) fn pod_spec(spec: &mut PodSpec) {
    let other = [&mut spec.init_containers, &mut spec.ephemeral_containers];
    let other = other.into_iter().flatten().flatten();
    spec.containers.iter_mut().chain(other).for_each(container);
    if let Some(volumes) = &mut spec.volumes {
        claims(volumes);
    }
}

/// Only volumes that hold a claim, or that go with the pod, count.
pub(super) fn claims(volumes: &mut Vec<Volume>) {
    volumes.retain(|volume| volume.persistent_volume_claim.is_some() || volume.empty_dir.is_some());
}

/// Containers of any kind.
pub(super) fn containers(all: &mut [Container]) {
    all.iter_mut().for_each(container);
}

fn container(container: &mut Container) {
    let lifecycle = &mut container.lifecycle;
    let mut pre_stop = lifecycle.as_mut().and_then(|all| all.pre_stop.as_mut());
    // What runs in place of a signal or beside it names its variables.
    let hook = pre_stop
        .as_ref()
        .and_then(|handler| handler.exec.as_ref()?.command.clone())
        .unwrap_or_default();
    if let Some(env) = &mut container.env {
        variables(env, &hook);
    }
    if let Some(image) = &mut container.image {
        *image = words::image(image);
    }
    for command in [&mut container.command, &mut container.args] {
        words::command(command.iter_mut().flatten());
    }
    if let Some(handler) = &mut pre_stop {
        action(&mut handler.exec, &mut handler.http_get);
    }
    let probes = [
        &mut container.readiness_probe,
        &mut container.liveness_probe,
        &mut container.startup_probe,
    ];
    for probe in probes.into_iter().flatten() {
        action(&mut probe.exec, &mut probe.http_get);
    }
}

/// What a probe or a hook runs, or asks for.
fn action(exec: &mut Option<Exec>, http_get: &mut Option<HttpGet>) {
    if let Some(exec) = exec {
        words::command(exec.command.iter_mut().flatten());
    }
    if let Some(http_get) = http_get {
        let texts = [&mut http_get.host, &mut http_get.path];
        for text in texts.into_iter().flatten() {
            *text = words::text(text);
        }
    }
}

/// Does a text name a variable, in whatever way?
fn names(text: &str, variable: &str) -> bool {
    let part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    text.split(|sign| !part(sign)).any(|word| word == variable)
}

/// `env`: the names, and the values of those that somebody reads here. `valueFrom: {}` says that there is a value.
pub(super) fn variables(env: &mut [EnvVar], hook: &[String]) {
    for variable in env {
        let name = &variable.name;
        let read = sources::reads_variable(name)
            || proxies::VARIABLES.contains(&name.as_str())
            || hook.iter().any(|word| names(word, name));
        let value = variable.value.take().filter(|value| !value.is_empty());
        match value {
            // Nothing is said, which is an empty text.
            None if variable.value_from.is_none() => {}
            // A hook that asks whether there is a value, or compares it with another that is masked, ends as before.
            Some(value) if read && variable.value_from.is_none() => {
                variable.value = Some(if is_secret(name) {
                    MASK.to_owned()
                } else {
                    words::text(&value)
                });
            }
            _ => variable.value_from = Some(Present),
        }
    }
}
