//! Is what a selector or a reference names an error of typing for what was read?
//!
//! What is named may as well be elsewhere: the pods of a custom resource, of a chart, of another repository. So only a difference that
//! fingers make counts, and none that people choose: another word, a number, a letter of its own (`worker-a`), `http` beside `https`.

use std::collections::BTreeMap;

/// Protocols whose secure form only has an `s` more.
const WITH_A_SECURE_FORM: [&str; 10] = [
    "http", "grpc", "ws", "ldap", "smtp", "imap", "ftp", "mqtt", "amqp", "redis",
];

/// Labels by which an application and its parts are told apart, and that nobody sets while a pod runs, as operators do with `role`.
const IDENTITY: [&str; 8] = [
    "app",
    "app.kubernetes.io/component",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/name",
    "component",
    "k8s-app",
    "name",
    "tier",
];

/// May it stand in a manifest as it is, or does a tool put something else there first (`${NAME}`, `{{ .name }}`, `@NAME@`)? Names and
/// labels consist of letters, digits, `-`, `_` and `.`; the key of a label may have a `/`.
pub(super) fn is_plain(text: &str) -> bool {
    let sign = |sign: char| sign.is_ascii_alphanumeric() || "-_./".contains(sign);
    text.chars().all(sign)
}

fn parts(name: &str) -> Vec<&str> {
    name.split(['-', '_', '.', '/']).collect()
}

/// One has an `s` more, and means the same.
fn plural(one: &str, other: &str) -> bool {
    let of = |more: &str, less: &str| {
        let root = more.strip_suffix('s');
        root == Some(less) || root.and_then(|root| root.strip_suffix('e')) == Some(less)
    };
    one.len().min(other.len()) >= 3 && (of(one, other) || of(other, one))
}

/// One is the secure form of the other.
fn secure(one: &str, other: &str) -> bool {
    let of = |more: &str, less: &str| {
        WITH_A_SECURE_FORM.contains(&less) && more.strip_suffix('s') == Some(less)
    };
    of(one, other) || of(other, one)
}

/// Letters that changed places, one too many or too few, and in a long word another one. The first is rarely mistyped.
fn slip(one: &str, other: &str) -> bool {
    let digits = |word: &str| word.contains(|sign: char| sign.is_ascii_digit());
    let short = one.len().min(other.len());
    if short < 4 || one.as_bytes().first() != other.as_bytes().first() {
        return false;
    }
    if one.len().abs_diff(other.len()) > 2 || digits(one) || digits(other) {
        return false;
    }
    let substituted = one.len() == other.len() && strsim::hamming(one, other) == Ok(1);
    match strsim::osa_distance(one, other) {
        1 => !substituted || short >= 8,
        2 => short >= 10,
        _ => false,
    }
}

/// Is one name an error of typing for the other: one word of it in the plural, with a slip, or other signs between the words?
pub(super) fn mistyped(one: &str, other: &str) -> bool {
    let first = |name: &str| name.bytes().next().map(|sign| sign.to_ascii_lowercase());
    // Far apart, as most are.
    if one == other || first(one) != first(other) || one.len().abs_diff(other.len()) > 4 {
        return false;
    }
    let joined = |name: &str| parts(name).concat().to_ascii_lowercase();
    if joined(one) == joined(other) {
        return true;
    }
    let (one, other) = (parts(one), parts(other));
    let mut apart = one.iter().zip(&other).filter(|(a, b)| a != b);
    let (Some((a, b)), None) = (apart.next(), apart.next()) else {
        return false;
    };
    one.len() == other.len() && !secure(a, b) && (plural(a, b) || slip(a, b))
}

/// Is one word cut off, as `front` for `frontend`?
fn shortened(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let letters = |rest: &str| rest.bytes().all(|sign| sign.is_ascii_lowercase());
    short.len() >= 4 && long.strip_prefix(short).is_some_and(letters)
}

/// How labels miss a selector by one label that looks mistyped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Miss<'l> {
    /// They have this one instead.
    Other(&'l str, &'l str),
    /// They lack this one.
    Lacks(&'l str, &'l str),
}

impl std::fmt::Display for Miss<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Other(key, value) => write!(f, "with {key}={value}"),
            Self::Lacks(key, value) => write!(f, "without {key}={value}"),
        }
    }
}

/// The one label by which pods' labels miss a selector, if it is evident that they are meant.
pub(super) fn nearly<'l>(
    selector: &'l BTreeMap<String, String>,
    labels: &'l BTreeMap<String, String>,
) -> Option<Miss<'l>> {
    let mut missed = selector
        .iter()
        .filter(|(key, value)| labels.get(*key) != Some(*value));
    let (Some((key, value)), None) = (missed.next(), missed.next()) else {
        return None;
    };
    let mut texts = selector.iter().chain(labels);
    if !texts.all(|(key, value)| is_plain(key) && is_plain(value)) {
        return None;
    }
    let others_are_there = selector.len() > 1;
    if let Some((key, other)) = labels.get_key_value(key) {
        let near = mistyped(value, other) || (others_are_there && shortened(value, other));
        return near.then_some(Miss::Other(key, other));
    }
    let renamed = labels.iter().find(|(other, same)| {
        *same == value && !selector.contains_key(*other) && mistyped(key, other)
    });
    if let Some((key, value)) = renamed {
        return Some(Miss::Other(key, value));
    }
    (others_are_there && IDENTITY.contains(&key.as_str())).then_some(Miss::Lacks(key, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_a_plural_and_another_separator_are_mistyped() {
        for (one, other) in [
            ("cart", "carts"),
            ("carts-db", "cart-db"),
            ("frontend", "frotnend"),
            ("storefront", "storefornt"),
            ("payment", "paymnet"),
            ("order-service", "orderservice"),
            ("order_service", "order-service"),
            ("Web", "web"),
            ("recommendation", "recomendaton"),
            ("app.kubernetes.io/name", "app.kubernets.io/name"),
            ("backend", "backnd"),
        ] {
            assert!(
                mistyped(one, other) && mistyped(other, one),
                "{one} {other}"
            );
        }
    }

    #[test]
    fn what_people_name_differently_on_purpose_is_not_mistyped() {
        for (one, other) in [
            ("web", "web"),
            ("web-1", "web-2"),
            ("web-v1", "web-v2"),
            ("worker-a", "worker-b"),
            ("frontend", "frontend-api"),
            ("web", "web-canary"),
            ("api", "app"),
            ("mysql", "mssql"),
            ("leader", "reader"),
            ("worker", "docker"),
            ("web-http", "web-https"),
            ("stable", "canary"),
            ("reader", "writer"),
            ("producer", "reducer"),
            ("webapp", "webapi"),
            ("postgres", "postgresql"),
        ] {
            assert!(
                !mistyped(one, other) && !mistyped(other, one),
                "{one} {other}"
            );
        }
    }

    fn labels(text: &str) -> BTreeMap<String, String> {
        let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
        pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn labels_miss_a_selector_by_one_that_looks_mistyped() {
        for (selector, of_pods, expected) in [
            ("app=carts", "app=cart", Some(Miss::Other("app", "cart"))),
            (
                "app=web,tier=front",
                "app=web,tier=frontend",
                Some(Miss::Other("tier", "frontend")),
            ),
            (
                "app=web,teir=front",
                "app=web,tier=front",
                Some(Miss::Other("tier", "front")),
            ),
            (
                "app=web,tier=front",
                "app=web",
                Some(Miss::Lacks("tier", "front")),
            ),
            // Alone it says too little, and what is shorter may be another one.
            ("app=front", "app=frontend", None),
            ("app=web", "name=web", None),
            // Two apart.
            ("app=carts,tier=fronts", "app=cart,tier=front", None),
            ("app=web,track=canary", "app=web,track=stable", None),
            // An operator, or the application itself, sets it while the pod runs.
            ("app=vault,vault-active=true", "app=vault", None),
            ("app=db,role=master", "app=db", None),
            ("app=db,version=15", "app=db", None),
            ("app=${NAME}s", "app=${NAME}", None),
            ("app=@NAME@,tier=front", "app=@NAME@", None),
        ] {
            let (selector, of_pods) = (labels(selector), labels(of_pods));
            assert_eq!(nearly(&selector, &of_pods), expected, "{selector:?}");
        }
    }
}
