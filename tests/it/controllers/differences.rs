//! DC104 and DC105: which differences between pods, slices and Endpoints are faults, and which does the API make itself?

use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;

use drain_check::analysis::Assumptions;
use drain_check::rules::Severity;

use crate::rules::{Found, bad, findings, found, good, judge, read};

/// What DC104 and DC105 say of a fixture, pretending a version.
fn differences(yaml: &str, version: &str) -> Found {
    let assumptions = Assumptions {
        version: Some(version.parse().expect("a version")),
        ..Assumptions::default()
    };
    judge(&read(yaml), &assumptions)
        .into_iter()
        .filter(|(id, ..)| matches!(*id, "DC104" | "DC105"))
        .collect()
}

#[test]
fn a_difference_of_unknown_age_is_info() {
    let yaml = bad("DC104")
        .replace("  creationTimestamp: \"2026-11-21T00:00:00Z\"\n", "")
        .replace(", lastTransitionTime: \"2026-11-21T00:00:05Z\"", "");
    assert_eq!(found("DC104", &findings(&yaml)), Some(Severity::Info));
}

#[test]
fn a_difference_younger_than_the_tolerance_is_the_controllers_work() {
    for seconds in ["00:08:31Z", "00:08:35Z"] {
        let yaml = bad("DC105").replace("00:09:00Z", seconds);
        assert_eq!(found("DC105", &findings(&yaml)), None, "{seconds}");
    }
    let yaml = bad("DC105").replace("00:09:00Z", "00:08:36Z");
    assert_eq!(found("DC105", &findings(&yaml)), Some(Severity::Warning));
}

#[test]
fn a_terminating_pod_that_endpoints_leave_out_is_no_difference() {
    let yaml = good("DC105")
        + "---\napiVersion: v1\nkind: Endpoints\nmetadata: {name: web, namespace: shop}\nsubsets: []\n";
    let all = findings(&yaml);
    assert_eq!(found("DC104", &all), None, "{all:?}");
    // With publishNotReadyAddresses it belongs in both objects, as ready.
    let published = yaml
        .replace(
            "  selector: {app: web}",
            "  selector: {app: web}\n  publishNotReadyAddresses: true",
        )
        .replace("{ready: false, serving: true", "{ready: true, serving: true")
        .replace(
            "subsets: []",
            "subsets: [{addresses: [{ip: 10.244.1.5, targetRef: {kind: Pod, namespace: shop, name: web-1}}], \
             ports: [{name: http, port: 8080}]}]",
        );
    let all = findings(&published);
    assert_eq!(found("DC104", &all), None, "{all:?}");
    assert_eq!(found("DC105", &all), None, "{all:?}");
}

#[test]
fn an_endpoint_that_moves_between_slices_is_no_difference() {
    let yaml = good("DC104");
    let slice = yaml
        .split("---\n")
        .find(|document| document.contains("kind: EndpointSlice"))
        .expect("the slice");
    let moved = slice
        .replace("name: web-abc", "name: web-def")
        .replace("ready: true, serving: true", "ready: false, serving: false");
    let all = findings(&format!("{yaml}---\n{moved}"));
    assert_eq!(found("DC104", &all), None, "{all:?}");
    assert_eq!(found("DC105", &all), None, "{all:?}");
}

#[test]
fn mirrored_and_foreign_slices_are_not_faults() {
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: db, namespace: shop}\n\
                   spec: {clusterIP: 10.96.0.30, ports: [{name: sql, port: 5432}]}\n---\n\
                   apiVersion: v1\nkind: Endpoints\nmetadata: {name: db, namespace: shop}\n\
                   subsets: [{addresses: [{ip: 192.0.2.10}], ports: [{name: sql, port: 5432}]}]\n---\n";
    let slice = |manager: &str, address: &str, condition: &str| {
        format!(
            "apiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: db-{manager}, namespace: shop, \
             labels: {{kubernetes.io/service-name: db, endpointslice.kubernetes.io/managed-by: {manager}}}}}\n\
             addressType: IPv4\nports: [{{name: sql, port: 5432, protocol: TCP}}]\n\
             endpoints: [{{addresses: [{address}], conditions: {{{condition}}}}}]\n"
        )
    };
    let mirror = "endpointslicemirroring-controller.k8s.io";
    let mirrored = slice(mirror, "192.0.2.10", "ready: true");
    assert_eq!(findings(&format!("{service}{mirrored}")), []);
    let foreign = slice("my-operator", "192.0.2.99", "ready: true");
    assert_eq!(findings(&format!("{service}{foreign}")), []);
    let stale = slice(mirror, "192.0.2.11", "ready: true");
    let all = findings(&format!("{service}{stale}"));
    assert_eq!(found("DC104", &all), Some(Severity::Info), "{all:?}");
}

#[test]
fn a_missing_endpoints_object_is_a_difference_only_for_a_cluster_that_writes_them() {
    let yaml = good("DC104");
    let without = yaml
        .split("---\n")
        .filter(|document| !document.contains("kind: Endpoints\n"))
        .collect::<Vec<_>>()
        .join("---\n");
    let version = |text: &str| Assumptions {
        version: Some(text.parse().expect("a version")),
        ..Assumptions::default()
    };
    let mut snapshot = read(&without);
    let all = judge(&snapshot, &version("1.30"));
    assert_eq!(found("DC104", &all), None, "not in the files");
    // A cluster that was asked for everything.
    snapshot.gaps.clear();
    snapshot.complete = true;
    let all = judge(&snapshot, &version("1.30"));
    assert_eq!(found("DC104", &all), Some(Severity::Warning), "{all:?}");
    assert_eq!(found("DC104", &judge(&snapshot, &version("1.33"))), None);
}

#[test]
fn pods_without_slices_are_not_compared_with_slices_that_were_not_read() {
    let yaml = good("DC105");
    let without = yaml
        .split("---\n")
        .filter(|document| !document.contains("kind: EndpointSlice"))
        .collect::<Vec<_>>()
        .join("---\n");
    for rule in ["DC104", "DC105"] {
        assert_eq!(found(rule, &findings(&without)), None);
    }
}

#[test]
fn slices_of_pods_that_files_leave_out_name_no_missing_pods() {
    // Pods of another namespace are in the file, as with kube-proxy's own.
    let yaml = good("DC102").replace(
        "addressType: IPv4",
        "addressType: IPv4 # as the controller writes it",
    ) + "---\napiVersion: v1\nkind: Pod\nmetadata: {name: other, namespace: kube-system, labels: {a: b}}\nspec: {containers: []}\n";
    let managed = yaml.replace(
        "labels: {kubernetes.io/service-name: web}",
        "labels: {kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}",
    );
    assert_eq!(findings(&managed), []);
}

#[test]
fn the_second_family_is_in_slices_only() {
    let yaml = good("DC104")
        .replace(
            "  clusterIP: 10.96.0.10",
            "  clusterIP: 10.96.0.10\n  clusterIPs: [10.96.0.10, \"fd00::a\"]\n  ipFamilies: [IPv4, IPv6]",
        )
        .replace(
            "  podIP: 10.244.1.5",
            "  podIP: 10.244.1.5\n  podIPs: [{ip: 10.244.1.5}, {ip: \"fd00::5\"}]",
        );
    let slice = yaml
        .split("---\n")
        .find(|document| document.contains("kind: EndpointSlice"))
        .expect("the slice")
        .to_owned();
    let missing = differences(&yaml, "1.36");
    assert_eq!(found("DC105", &missing), Some(Severity::Warning));
    let second = slice
        .replace("web-abc", "web-six")
        .replace("IPv4", "IPv6")
        .replace("[10.244.1.5]", "[\"fd00::5\"]");
    assert_eq!(differences(&format!("{yaml}---\n{second}"), "1.36"), []);
}

#[test]
fn a_pod_on_which_no_port_resolves_is_in_slices_only() {
    let yaml = good("DC104")
        .replace("targetPort: 8080", "targetPort: http")
        .replace(
            "ports: [{name: http, port: 8080, protocol: TCP}]\nendpoints",
            "ports: []\nendpoints",
        );
    let (before, _) = yaml.split_once("subsets:").expect("the Endpoints");
    assert_eq!(differences(&format!("{before}subsets: []\n"), "1.36"), []);
}

#[test]
fn ports_of_native_sidecars_are_found_for_endpoints_one_version_earlier() {
    let sidecar = good("DC104")
        .replace("targetPort: 8080", "targetPort: http")
        .replace(
            "  containers: [{name: app, image: web}]",
            "  containers: [{name: app, image: web}]\n  initContainers: \
             [{name: proxy, restartPolicy: Always, ports: [{name: http, containerPort: 8080}]}]",
        );
    let without_port = sidecar.replace(
        "ports: [{name: http, port: 8080, protocol: TCP}]\nendpoints",
        "ports: []\nendpoints",
    );
    assert_eq!(differences(&without_port, "1.32"), []);
    assert_eq!(differences(&sidecar, "1.33"), []);
    assert_ne!(differences(&without_port, "1.33"), []);
    assert_ne!(differences(&sidecar, "1.32"), []);
}

#[test]
fn endpoints_that_were_cut_lack_nothing() {
    let mut yaml = String::from(
        "apiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n\
         spec: {clusterIP: 10.96.0.10, selector: {app: web}, ports: [{port: 80}]}\n",
    );
    // A slice has at most 1000 endpoints.
    let (mut slices, mut addresses) = ([String::new(), String::new()], String::new());
    for number in 0..1001 {
        let ip = format!("10.1.{}.{}", number / 250, number % 250 + 1);
        let target = format!("targetRef: {{kind: Pod, namespace: shop, name: web-{number}}}");
        write!(
            yaml,
            "---\napiVersion: v1\nkind: Pod\n\
             metadata: {{name: web-{number}, namespace: shop, labels: {{app: web}}}}\n\
             status: {{phase: Running, podIP: {ip}, conditions: [{{type: Ready, status: \"True\"}}]}}\n"
        )
        .expect("a text");
        writeln!(
            slices[number / 1000],
            "- {{addresses: [{ip}], {target}, conditions: {{ready: true, serving: true, terminating: false}}}}"
        )
        .expect("a text");
        if number > 0 {
            writeln!(addresses, "  - {{ip: {ip}, {target}}}").expect("a text");
        }
    }
    for (number, endpoints) in slices.iter().enumerate() {
        write!(
            yaml,
            "---\napiVersion: discovery.k8s.io/v1\nkind: EndpointSlice\nmetadata: {{name: web-{number}, namespace: shop, labels: \
             {{kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}}}}\n\
             addressType: IPv4\nports: [{{name: \"\", port: 80}}]\nendpoints:\n{endpoints}"
        )
        .expect("a text");
    }
    write!(
        yaml,
        "---\napiVersion: v1\nkind: Endpoints\n\
         metadata: {{name: web, namespace: shop, annotations: {{endpoints.kubernetes.io/over-capacity: truncated}}}}\n\
         subsets:\n- ports: [{{port: 80}}]\n  addresses:\n{addresses}"
    )
    .expect("a text");
    assert_eq!(differences(&yaml, "1.36"), []);
    let all = findings(&yaml);
    assert_eq!(found("DC110", &all), Some(Severity::Warning));
    assert!(
        all[0].2.contains("1000 addresses") && all[0].2.contains("1001 endpoints"),
        "{all:?}"
    );
    // 1.21 cut nothing, so there an address is missing.
    assert_ne!(differences(&yaml, "1.21"), []);
}

#[test]
fn a_pod_that_ended_belongs_in_neither_object_since_1_24_2() {
    let yaml = good("DC104").replace("phase: Running", "phase: Failed");
    assert_ne!(differences(&yaml, "1.24.2"), []);
    assert_eq!(differences(&good("DC104"), "1.24.2"), []);
}

#[test]
fn nothing_that_a_real_api_server_and_its_controllers_wrote_is_a_difference() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/recordings");
    let mut recordings = 0;
    for entry in std::fs::read_dir(folder).expect("the recordings") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|extension| extension != "gz") {
            continue;
        }
        let mut text = String::new();
        flate2::read::GzDecoder::new(std::fs::File::open(&path).expect("a recording"))
            .read_to_string(&mut text)
            .expect("gzip");
        // The server that was recorded.
        assert_eq!(differences(&text, "1.36.3"), [], "{}", path.display());
        recordings += 1;
    }
    assert!(recordings >= 11, "{recordings}");
}
