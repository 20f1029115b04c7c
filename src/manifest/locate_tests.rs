//! Is everything found where it is written?

use super::*;

const TEXT: &str = "\
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
    annotations: {example.com/a.b: x}
  spec:
    template:
      spec:
        containers:
        - name: app
          lifecycle:
            preStop:
              sleep: {seconds: 5}
        - image: y
---
apiVersion: v1
kind: ServiceList
items: [{metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}]
";

/// The place of an object called `web`, given by its group, kind and namespace.
fn site(text: &str, [group, kind, namespace]: [&str; 3], path: Option<&str>) -> Option<Site> {
    let loaded = super::super::load_text("a.yaml", text);
    let texts = Texts::from([("a.yaml".to_owned(), text.to_owned())]);
    let found = loaded.objects.iter().find_map(|object| {
        let identity = Identity::of(&object.value)?;
        let same = [&identity.group, &identity.kind, &identity.namespace];
        (same == [group, kind, namespace] && identity.name == "web").then_some((object, identity))
    });
    let (object, identity) = found?;
    let written = Written {
        file: &object.file,
        line: object.line,
        identity: &identity,
    };
    Locator::new(&texts).locate(written, path)
}

fn found(kind: &str, namespace: &str, path: Option<&str>) -> Option<String> {
    let group = if kind == "Deployment" { "apps" } else { "" };
    let site = site(TEXT, [group, kind, namespace], path)?;
    Some(TEXT[site.bytes].to_owned())
}

#[test]
fn a_field_is_its_key_with_its_value() {
    let of = |path: &str| found("Deployment", "", Some(path)).expect("a place");
    let container = "spec.template.spec.containers[0]";
    assert_eq!(
        of(&format!("{container}.lifecycle.preStop.sleep.seconds")),
        "seconds: 5"
    );
    assert_eq!(
        of(&format!("{container}.lifecycle.preStop")),
        "preStop:\n              sleep: {seconds: 5}"
    );
    for path in [
        "metadata.annotations[example.com/a.b]",
        "metadata.annotations.example.com/a.b",
    ] {
        assert_eq!(of(path), "example.com/a.b: x");
    }
}

#[test]
fn what_is_missing_is_shown_at_the_name_of_what_lacks_it() {
    for (path, place) in [
        (
            "spec.template.spec.containers[0].readinessProbe",
            "name: app",
        ),
        (
            "spec.template.spec.containers[0].lifecycle.postStart",
            "name: app",
        ),
        (
            "spec.template.spec.containers[1].readinessProbe",
            "image: y",
        ),
        ("spec.replicas", "name: web"),
    ] {
        let found = found("Deployment", "", Some(path));
        assert_eq!(found.as_deref(), Some(place), "{path}");
    }
    assert_eq!(found("Deployment", "", None).as_deref(), Some("name: web"));
}

#[test]
fn items_of_typed_lists_are_found_without_a_kind_of_their_own() {
    let port = found("Service", "shop", Some("spec.ports[0].port"));
    assert_eq!(port.as_deref(), Some("port: 80"));
    assert_eq!(found("Service", "other", None), None);
}

#[test]
fn kinds_of_the_same_name_are_told_apart_by_their_group() {
    let text = "\
apiVersion: serving.knative.dev/v1
kind: Service
metadata: {name: web}
---
apiVersion: v1
kind: Service
metadata: {name: web}
";
    let line = |group| site(text, [group, "Service", ""], None).map(|site| site.start.0);
    assert_eq!((line("serving.knative.dev"), line("")), (Some(3), Some(7)));
}

#[test]
fn an_alias_is_shown_where_it_stands() {
    let text = "a: &x {b: 1}\nkind: K\nmetadata: {name: web}\nspec:\n  c: *x\n";
    let site = site(text, ["", "K", ""], Some("spec.c")).expect("a place");
    assert_eq!((&text[site.bytes], site.start), ("c", (5, 3)));
}
