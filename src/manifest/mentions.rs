//! Which hosts do texts name: in addresses of requests (`http://web:8080/`), with a port (`web:8080`), or with the suffix of a cluster
//! (`web.shop.svc`)? And which Services does an API server ask while pods are made and deleted?
//!
//! Any text that was read counts, as a ConfigMap may hold the configuration of a proxy and an annotation an address. It is only a sign that
//! somebody sends requests, and never the ground of an error.

use memchr::{memchr_iter, memmem};
use serde_json::Value;

use super::ManifestObject;
use super::cores::side_by_side;
use super::locate::Texts;
use crate::facts::mentions::Mentions;

/// The longest name that DNS knows (RFC 1035, 2.3.4).
const LONGEST: usize = 253;

const fn in_host(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'.'
}

/// The host that begins a text.
fn ahead(text: &str) -> &str {
    let bytes = text.bytes().take(LONGEST);
    let length = bytes.take_while(|byte| in_host(*byte)).count();
    text[..length].trim_end_matches(['.', '-'])
}

/// The host that ends a text, if it stands by itself.
fn behind(text: &str) -> Option<&str> {
    let bytes = text.bytes().rev().take(LONGEST);
    let length = bytes.take_while(|byte| in_host(*byte)).count();
    let (before, host) = text.split_at(text.len() - length);
    let part_of_more =
        before.ends_with(|last: char| last.is_alphanumeric() || "/:_$}".contains(last));
    (!part_of_more && host.starts_with(|first: char| first.is_ascii_lowercase())).then_some(host)
}

/// So many bytes before a host are looked through: a line may be as long as the text, with a host in every word.
const NEAR: usize = 4096;

/// The end of what stands before a host.
fn near(before: &str) -> &str {
    let mut start = before.len().saturating_sub(NEAR);
    while !before.is_char_boundary(start) {
        start += 1;
    }
    &before[start..]
}

/// `redis:7.2` beside `image:` is no host with a port.
fn is_image(before: &str) -> bool {
    let line = near(before).rsplit('\n').next().unwrap_or_default();
    line.contains("image") || line.contains("Image")
}

/// Does a line belong to the list of names that a certificate of cert-manager is for (`spec.dnsNames`)? They are asked by nobody.
fn is_of_certificate(before: &str) -> bool {
    let mut lines = near(before).rsplit('\n').map(str::trim);
    let own = lines.next().unwrap_or_default();
    let mut others = lines.take(NAMES_OF_CERTIFICATE);
    own.starts_with("dnsNames:")
        || own.starts_with('-') && others.find(|line| !line.starts_with('-')) == Some("dnsNames:")
}

/// So many names of one certificate are looked through.
const NAMES_OF_CERTIFICATE: usize = 50;

/// The hosts in one text.
fn of_text(text: &str) -> Mentions {
    let mut found = Mentions::default();
    for at in memchr_iter(b':', text.as_bytes()) {
        let (before, after) = (&text[..at], &text[at + 1..]);
        if let Some(address) = after.strip_prefix("//") {
            // A user and a password may stand before the host.
            let authority = address.split(['/', '"', '\'', ' ', '\n', '?']).next();
            let host = authority.and_then(|authority| authority.rsplit('@').next());
            found.add_host(ahead(host.unwrap_or_default()));
            continue;
        }
        let digits = after.bytes().take(6).take_while(u8::is_ascii_digit).count();
        let goes_on = |next: char| next.is_alphanumeric() || ".-_".contains(next);
        if (2..=5).contains(&digits)
            && !after[digits..].starts_with(goes_on)
            && let Some(host) = behind(before)
            && !is_image(before)
        {
            found.add_host(host);
        }
    }
    for at in memmem::find_iter(text.as_bytes(), ".svc") {
        let before = &text[..at];
        if let Some(host) = behind(before)
            && !is_of_certificate(before)
        {
            found.add_host(&format!("{host}.svc"));
        }
    }
    found
}

/// Does a webhook judge what rollouts and drains make and delete, and stop them where it does not answer? Those of an operator judge its own
/// objects, which a user applies again, and `failurePolicy: Ignore` goes on without an answer.
fn judges_pods(webhook: &Value) -> bool {
    if webhook["failurePolicy"] == "Ignore" {
        return false;
    }
    let rules = webhook["rules"].as_array().into_iter().flatten();
    let mut groups = rules.flat_map(|rule| rule["apiGroups"].as_array().into_iter().flatten());
    groups.any(|group| {
        let group = group.as_str();
        group.is_some_and(|group| ["", "*", "apps", "batch", "policy"].contains(&group))
    })
}

/// The Services that an API server asks.
pub(crate) fn of_webhooks(object: &ManifestObject, found: &mut Mentions) {
    let kind = object.value["kind"].as_str();
    if !kind.is_some_and(|kind| kind.ends_with("WebhookConfiguration")) {
        return;
    }
    let webhooks = object.value["webhooks"].as_array().into_iter().flatten();
    for webhook in webhooks {
        let service = &webhook["clientConfig"]["service"];
        if let Some(name) = service["name"].as_str() {
            let namespace = service["namespace"].as_str();
            found.add_webhook(name, namespace, judges_pods(webhook));
            if webhook["failurePolicy"] != "Ignore" {
                found.add_strict_webhook(name, namespace);
            }
        }
    }
}

/// All that is named in what was read.
#[must_use]
pub fn mentions(texts: &Texts, objects: &[ManifestObject]) -> Mentions {
    // What Docker runs on a developer's machine reaches no Service.
    let texts = texts.iter().filter(|(file, _)| !file.contains("compose"));
    let texts: Vec<_> = texts.map(|(_, text)| text).collect();
    let mut found = Mentions::default();
    for more in side_by_side(&texts, |text| of_text(text)) {
        found.extend(more);
    }
    for object in objects {
        of_webhooks(object, &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ObjectName;

    fn names(text: &str, service: &str) -> bool {
        of_text(text).name(&ObjectName::new("shop", service))
    }

    #[test]
    fn hosts_of_requests_are_services() {
        for text in [
            "value: http://web:8080/path",
            "value: https://web",
            "url: \"postgres://user:pass@web/db\"",
            "- --upstream=web:8080",
            "value: web:80",
            "host: web.shop.svc.cluster.local",
            "host: web.shop:8080",
            "seeds: [web-0.web.shop.svc.cluster.local]",
            "proxy_pass http://web.shop.svc;",
            "value: 'tcp://web:9000'",
            "dnsNames:\n- other.shop.svc\nhosts:\n- web.shop.svc\n",
        ] {
            assert!(names(text, "web"), "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_a_host_is_none() {
        for text in [
            "image: web:8080",
            "  - image: \"web:14\"",
            "name: web",
            "web: 8080",
            "image: example.com/web:80",
            "value: http://web.other:8080",
            "value: http://web.example.com/",
            "value: my-web:8080",
            "value: web-2:8080",
            "version: web:1.29",
            "at: web:8080x",
            "time: 12:30",
            "value: ${host}web:80",
            "dnsNames:\n- other.shop.svc\n- web.shop.svc.cluster.local\n",
            "dnsNames: [web.shop.svc]",
        ] {
            assert!(!names(text, "web"), "{text}");
        }
    }

    #[test]
    fn an_api_server_asks_those_webhooks_that_judge_pods() {
        let object = |group: &str| ManifestObject {
            value: serde_json::json!({"kind": "ValidatingWebhookConfiguration", "webhooks": [{
                "clientConfig": {"service": {"name": "web", "namespace": "shop"}},
                "rules": [{"apiGroups": [group], "resources": ["*"]}],
            }]}),
            ..ManifestObject::default()
        };
        let service = ObjectName::new("shop", "web");
        let named = |group| mentions(&Texts::new(), &[object(group)]).name(&service);
        assert!(named("") && named("policy") && named("*"));
        assert!(!named("example.com"));
        let mut ignored = object("");
        ignored.value["webhooks"][0]["failurePolicy"] = "Ignore".into();
        assert!(!mentions(&Texts::new(), &[ignored]).name(&service));
        // A certificate is for the same name.
        let args = Texts::from([(
            "web.yaml".to_owned(),
            "- --dns-names=web.shop.svc\n".to_owned(),
        )]);
        assert!(mentions(&args, &[]).name(&service));
        assert!(!mentions(&args, &[object("example.com")]).name(&service));
    }
}
