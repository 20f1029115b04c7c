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
