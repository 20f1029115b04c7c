//! Is the `ClusterRole` in the docs enough for every request, and not more than get, list and watch?

use std::path::Path;

use serde_json::Value;

use super::harness::Setup;
use crate::fake_api::FakeApi;

pub(crate) fn role() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/clusterrole.yaml");
    let text = std::fs::read_to_string(path).expect("the role");
    serde_yaml::from_str(&text).expect("YAML")
}

fn holds(list: &Value, wanted: &str) -> bool {
    list.as_array()
        .is_some_and(|all| all.iter().any(|each| each == wanted))
}

/// Does some rule of the role allow this GET?
pub(crate) fn allowed(role: &Value, path: &str) -> bool {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let parts: Vec<_> = path.trim_matches('/').split('/').collect();
    let (group, rest) = match parts.as_slice() {
        ["api", "v1", rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => {
            let rules = role["rules"].as_array().expect("rules");
            return rules
                .iter()
                .any(|rule| holds(&rule["nonResourceURLs"], path) && holds(&rule["verbs"], "get"));
        }
    };
    let (resource, name) = match rest {
        ["namespaces", _, resource, name] | [resource, name] => (*resource, Some(*name)),
        ["namespaces", _, resource] | [resource] => (*resource, None),
        _ => return false,
    };
    let verb = match name {
        Some(_) => "get",
        None if query.contains("watch=true") => "watch",
        None => "list",
    };
    role["rules"].as_array().expect("rules").iter().any(|rule| {
        let named = rule["resourceNames"].is_null()
            || name.is_some_and(|name| holds(&rule["resourceNames"], name));
        holds(&rule["apiGroups"], group)
            && holds(&rule["resources"], resource)
            && holds(&rule["verbs"], verb)
            && named
    })
}

#[test]
fn the_role_of_the_docs_allows_every_request() {
    let role = role();
    for arguments in [
        &["svc/web"][..],
        &["deploy/web"],
        &["rs/web-5cdf74f576"],
        &["pod/web-6b8546897-7jr6l"],
        &["-A"],
        &[],
        // Whatever may have been meant is looked up too.
        &["svc/wbe"],
        &["deploy/wbe"],
    ] {
        let api = FakeApi::of("rollout-midway");
        let setup = Setup::new(&api, "rollout");
        setup.run(arguments);
        let paths = api.paths();
        assert!(!paths.is_empty(), "{arguments:?}");
        for path in paths {
            assert!(allowed(&role, &path), "{arguments:?}: {path}");
        }
    }
}

#[test]
fn the_role_gives_no_more_than_get_list_and_watch_and_no_secret() {
    for rule in role()["rules"].as_array().expect("rules") {
        assert!(!holds(&rule["resources"], "secrets"), "{rule}");
        assert!(!holds(&rule["resources"], "*"), "{rule}");
        for verb in rule["verbs"].as_array().expect("verbs") {
            assert!(["get", "list", "watch"].contains(&verb.as_str().unwrap_or_default()));
        }
    }
}
