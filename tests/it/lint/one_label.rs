//! Many Services and Deployments of one label: everything that each says alone is said of all, and lists are folded.

use serde_json::Value;

use super::lint;

/// So many Services that select the pods of each of so many Deployments.
fn manifests(services: usize, deployments: usize) -> String {
    let service = |index| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{name: s{index:02}, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{{port: 80, targetPort: 8080}}]}}\n"
        )
    };
    let deployment = |index| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{index}, namespace: shop}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}}}\n    spec: {{containers: [{{name: web, image: example.com/web:1, ports: [{{containerPort: 8080}}]}}]}}\n"
        )
    };
    let services = (0..services).map(service);
    let documents: Vec<_> = services.chain((0..deployments).map(deployment)).collect();
    documents.join("---\n")
}

fn findings(manifests: &str) -> Vec<Value> {
    let report = lint(&["-f", "-", "--fail-on", "never"], manifests);
    report["findings"].as_array().expect("findings").clone()
}

/// What a finding says, without its object, its place, and the Services.
fn says(finding: &Value) -> [&Value; 6] {
    ["rule", "severity", "path", "why", "help", "patch"].map(|field| &finding[field])
}

#[test]
fn each_workload_gets_what_it_gets_alone() {
    let alone = findings(&manifests(1, 1));
    assert!(
        alone.iter().any(|each| each["rule"] == "DC201"),
        "{alone:?}"
    );
    let all = findings(&manifests(25, 3));
    for name in ["d0", "d1", "d2"] {
        let own = all.iter().filter(|each| each["object"]["name"] == name);
        let own: Vec<_> = own.map(says).collect();
        let expected: Vec<_> = alone.iter().map(says).collect();
        assert_eq!(own, expected, "{name}");
    }
    assert_eq!(all.len(), alone.len() * 3);
}

#[test]
fn of_very_many_related_objects_the_first_are_listed_and_all_are_counted() {
    for (services, listed) in [(1, 1), (20, 20), (25, 20)] {
        for finding in findings(&manifests(services, 2)) {
            let related = finding["related"].as_array().expect("a list");
            let names: Vec<_> = related.iter().map(|each| each["name"].clone()).collect();
            let expected: Vec<_> = (0..listed).map(|index| format!("s{index:02}")).collect();
            assert_eq!(names, expected, "{finding}");
            assert_eq!(finding["relatedCount"], services, "{finding}");
        }
    }
}

#[test]
fn messages_name_the_first_services_and_count_the_rest() {
    let all = findings(&manifests(1000, 1));
    let longest = all.iter().map(|each| each.to_string().len()).max();
    assert!(longest < Some(6000), "{longest:?}");
}

/// A Service called like this, with such a port, for the pods of the label.
fn service(name: &str, port: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: {name}, namespace: shop}}\nspec: {{selector: {{app: web}}, ports: [{port}]}}\n"
    )
}

/// A Deployment of the label, whose pods have these annotations and run this image.
fn deployment(name: &str, annotations: &str, image: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}, namespace: shop}}\nspec:\n  replicas: 2\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web}}, annotations: {{{annotations}}}}}\n    spec: {{containers: [{{name: web, image: {image}, ports: [{{containerPort: 8080}}, {{containerPort: 9090}}]}}]}}\n"
    )
}

/// The Deployments that need a delay, as nothing else than requests can be lost without one.
fn without_delay(documents: &[String]) -> Vec<String> {
    let found = findings(&documents.join("---\n")).into_iter();
    let found = found.filter(|each| each["rule"] == "DC201");
    let name = |each: Value| each["object"]["name"].as_str().map(str::to_owned);
    found.filter_map(name).collect()
}

#[test]
fn workloads_that_differ_in_who_asks_them_are_not_taken_for_alike() {
    let scraped = r#"prometheus.io/scrape: "true", prometheus.io/port: "9090""#;
    let requests = r#"prometheus.io/scrape: "true", prometheus.io/port: "8080""#;
    let workloads = [
        deployment("app", "", "shop/web:1"),
        deployment("exporter", "", "shop/web-exporter:1"),
        deployment("scraped", scraped, "shop/web:1"),
        deployment("told-another-port", requests, "shop/web:1"),
    ];
    let behind = |service: String| without_delay(&[&[service], workloads.as_slice()].concat());
    // By number, so that only the image and the annotations tell who asks.
    let port = "{port: 80, targetPort: 9090}";
    assert_eq!(behind(service("web", port)), ["app", "told-another-port"]);
    let named = "{name: metrics, port: 80, targetPort: 9090}";
    assert!(behind(service("web", named)).is_empty());
    assert!(behind(service("web-metrics", port)).is_empty());
    // Requests come through another Service of the same label, or another port of the same one.
    let another = service("web-metrics", port) + "---\n" + &service("web", "{port: 8080}");
    assert_eq!(behind(another), ["app", "scraped"]);
    let both = format!("{named}, {{name: http, port: 8080}}");
    assert_eq!(behind(service("web", &both)), ["app", "scraped"]);
}

#[test]
fn a_port_of_dapr_leads_to_the_application_only_where_dapr_is_off_or_says_so() {
    let workloads = [
        deployment("dapr", r#"dapr.io/enabled: "true""#, "shop/web:1"),
        deployment("not-of-dapr", r#"dapr.io/enabled: "false""#, "shop/web:1"),
        deployment(
            "own",
            r#"dapr.io/enabled: "true", dapr.io/app-port: "3500""#,
            "shop/web:1",
        ),
    ];
    let port = "{port: 80, targetPort: 3500}";
    let documents = [&[service("web", port)], workloads.as_slice()].concat();
    assert_eq!(without_delay(&documents), ["not-of-dapr", "own"]);
}
