//! What `.drain-check.yaml` declares of webhooks: does lint, and a check of files, take it for granted where it applies, and only there?

use std::process::Command;

use serde_json::Value;

/// A Service in front of a Deployment with one container; `more` is in the container.
fn web(more: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Service\nmetadata: {{name: web, namespace: shop}}\n\
         spec: {{clusterIP: 10.96.0.10, selector: {{app: web}}, ports: [{{port: 80, targetPort: 8080}}]}}\n---\n\
         apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: web, namespace: shop}}\n\
         spec:\n  selector: {{matchLabels: {{app: web}}}}\n  template:\n    metadata: {{labels: {{app: web, tier: front}}}}\n    \
         spec: {{containers: [{{name: app, image: 'nginx:1.27', ports: [{{containerPort: 8080}}], {more}}}]}}\n"
    )
}

/// The program in a folder with these settings and `web.yaml`: its exit code, its JSON and its errors.
fn ran(settings: &str, manifest: &str, arguments: &[&str]) -> (Option<i32>, Value, String) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("web.yaml"), manifest).expect("a file");
    std::fs::write(folder.path().join(".drain-check.yaml"), settings).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_kubectl-drain_check"))
        .args(arguments)
        .args(["-f", "web.yaml", "-o", "json"])
        .env_clear()
        .current_dir(folder.path())
        .output()
        .expect("the binary");
    let report = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), report, said)
}

fn rules(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().expect("a list").iter();
    let rules = findings.filter_map(|finding| finding["rule"].as_str());
    rules.filter(|rule| rule.starts_with("DC2")).collect()
}

#[test]
fn lint_takes_an_injected_pre_stop_for_granted_where_it_is_for() {
    let without = ran("", &web(""), &["lint"]).1;
    assert!(rules(&without).contains(&"DC201"), "{without}");
    for (entry, delayed) in [
        ("preStop: 10", true),
        (
            "preStop: 10, namespace: shop, selector: 'app=web,tier in (front)', container: app",
            true,
        ),
        ("preStop: 10, namespace: other", false),
        ("preStop: 10, selector: app=other", false),
        ("preStop: 10, container: other", false),
        ("gracePeriod: 60", false),
    ] {
        let settings = format!("injects:\n- {{{entry}}}\n");
        let report = ran(&settings, &web(""), &["lint"]).1;
        assert_eq!(!rules(&report).contains(&"DC201"), delayed, "{entry}");
    }
}

#[test]
fn an_injected_pre_stop_is_judged_like_another_and_no_patch_replaces_it() {
    // kube-proxy may send for 2 s, and 5 s are the margin.
    let (_, report, _) = ran("injects: [{preStop: 1}]", &web(""), &["lint"]);
    let findings = report["findings"].as_array().expect("a list");
    let found = findings.iter().find(|finding| finding["rule"] == "DC204");
    let found = found.unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(found["patch"], Value::Null);
    assert_eq!(found["location"]["file"], "web.yaml");
    // 30 s is the grace period by default.
    let (_, report, _) = ran("injects: [{preStop: 30}]", &web(""), &["lint"]);
    assert!(rules(&report).contains(&"DC202"), "{report}");
    let longer = "injects: [{preStop: 30, gracePeriod: 90}]";
    let (_, report, _) = ran(longer, &web(""), &["lint"]);
    assert!(!rules(&report).contains(&"DC202"), "{report}");
}

#[test]
fn a_pre_stop_that_is_written_stays_and_a_pod_of_a_server_is_as_it_is() {
    let shutdown = |manifest: &str| {
        let (_, report, said) = ran("injects: [{preStop: 10}]", manifest, &[]);
        let of = &report["services"][0]["shutdown"][0]["containers"][0]["preStop"];
        assert_ne!(report, Value::Null, "{said}");
        of.clone()
    };
    let injected = shutdown(&web(""));
    assert_eq!(injected["handler"], "injected");
    assert_eq!(injected["seconds"]["max"], 10);
    let own = shutdown(&web("lifecycle: {preStop: {sleep: {seconds: 7}}}"));
    assert_eq!(own["handler"], "sleep");
    let (service, _) = web("")
        .split_once("---\n")
        .map(|(one, two)| (one.to_owned(), two.len()))
        .expect("two documents");
    let pod = |uid: &str| {
        format!(
            "{service}---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web-1, namespace: shop, labels: {{app: web}}, {uid}}}\n\
             spec: {{containers: [{{name: app, image: web, ports: [{{containerPort: 8080}}]}}]}}\n"
        )
    };
    assert_eq!(shutdown(&pod(""))["handler"], "injected");
    assert_eq!(shutdown(&pod("uid: 7f1c")), Value::Null);
}

#[test]
fn what_cannot_be_is_an_error_that_names_the_entry() {
    for (settings, said) in [
        (
            "injects: [{namespace: shop}]",
            "injects[0]: write preStop or gracePeriod",
        ),
        (
            "injects: [{preStop: 1}, {preStop: -1}]",
            "injects[1]: seconds are not negative",
        ),
        ("injects: [{preStop: 1, selector: 'a b c'}]", "injects[0]"),
        ("injects: [{prestop: 1}]", "prestop"),
    ] {
        for command in [&["lint"][..], &[]] {
            let (code, _, errors) = ran(settings, &web(""), command);
            assert_eq!(code, Some(2), "{settings}");
            assert!(errors.contains(said), "{settings}: {errors}");
        }
    }
}

#[test]
fn the_example_of_the_page_is_what_the_file_may_say() {
    let page = include_str!("../../../docs/suppress.md");
    let (_, block) = page.split_once("```yaml\ninjects:").expect("the block");
    let (block, _) = block.split_once("```").expect("its end");
    let manifest = web("").replace("tier: front", "tier: web");
    let (code, report, said) = ran(&format!("injects:{block}"), &manifest, &["lint"]);
    assert_ne!(code, Some(2), "{said}");
    assert!(!rules(&report).contains(&"DC201"), "{report}");
}
