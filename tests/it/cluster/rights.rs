//! Weak permissions: whatever is refused, nothing looks better than it is, and the right that is missing is named.

use std::collections::BTreeSet;

use super::ended::Ended;
use super::harness::Setup;
use super::situations::{Situation, situations};
use crate::fake_api::{FakeApi, Fault};

/// What RBAC allows or not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Right {
    verb: &'static str,
    /// As `kubectl auth can-i` takes it, without a name.
    resource: String,
    /// `None` is all namespaces.
    namespace: Option<String>,
}

impl Right {
    /// The right that a GET needs.
    fn of(path: &str) -> Self {
        let path = path.split('?').next().unwrap_or_default();
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (group, rest) = match parts.as_slice() {
            ["api", "v1", rest @ ..] => ("", rest),
            ["apis", group, _, rest @ ..] => (*group, rest),
            _ => {
                return Self {
                    verb: "get",
                    resource: path.to_owned(),
                    namespace: None,
                };
            }
        };
        let (namespace, rest) = match rest {
            ["namespaces", namespace, rest @ ..] if !rest.is_empty() => (Some(*namespace), rest),
            rest => (None, rest),
        };
        let resource = match group {
            "" => rest[0].to_owned(),
            group => format!("{}.{group}", rest[0]),
        };
        Self {
            verb: if rest.len() > 1 { "get" } else { "list" },
            resource,
            namespace: namespace.map(str::to_owned),
        }
    }

    /// Does it only tell why pods are missing? That never changes where connections go, so that alone it is enough to try.
    fn tells_causes_only(&self) -> bool {
        let kinds = [
            "deployments.apps",
            "statefulsets.apps",
            "replicasets.apps",
            "horizontalpodautoscalers.autoscaling",
            "events",
        ];
        self.verb == "list" && kinds.contains(&self.resource.as_str())
    }

    /// Is it what such a command asks about?
    fn is_named_by(&self, text: &str) -> bool {
        let start = format!("kubectl auth can-i {} {}", self.verb, self.resource);
        let scope = match &self.namespace {
            _ if self.resource.starts_with('/') => String::new(),
            Some(namespace) => format!(" -n {namespace}"),
            None => " -A".to_owned(),
        };
        text.match_indices(&start).any(|(at, _)| {
            let rest = &text[at + start.len()..];
            // The name of an object may follow.
            let name = rest.find(' ').filter(|_| rest.starts_with('/'));
            rest[name.unwrap_or_default()..].starts_with(&scope)
        })
    }
}

fn deny(api: &FakeApi, rights: &[Right]) {
    api.start_over();
    let rights = rights.to_vec();
    let which = move |path: &str, _: &str| rights.contains(&Right::of(path));
    api.fault_where(which, usize::MAX, Fault::Status(403, "forbidden"));
}

fn judge(situation: &Situation) -> Vec<String> {
    let api = FakeApi::serving(situation.objects.clone());
    api.is_version(situation.server);
    let setup = Setup::new(&api, situation.namespace);
    let mut wrong = Vec::new();
    for target in situation.targets {
        for fail_on in ["error", "warning"] {
            let flags = ["--fail-on", fail_on, target];
            let arguments = &flags[..if target.is_empty() { 2 } else { 3 }];
            api.start_over();
            let whole = Ended::of(&setup, arguments);
            assert!(whole.code < 2, "{}: {whole:?}", situation.name);
            let rights: BTreeSet<Right> = api.paths().iter().map(|path| Right::of(path)).collect();
            let rights: Vec<Right> = rights.into_iter().collect();
            assert!(rights.len() > 8, "{rights:?}");
            let mut removed: Vec<Vec<Right>> =
                rights.iter().map(|right| vec![right.clone()]).collect();
            // What pairs hide does not depend on what fails the run, and little on what was asked for.
            let thorough = ["healthy", "terminating pods", "Local policies"];
            let first = *target == situation.targets[0];
            let pairs = fail_on == "error" && (first || thorough.contains(&situation.name));
            let mut telling = rights.clone();
            telling.retain(|right| pairs && !right.tells_causes_only());
            for (index, one) in telling.iter().enumerate() {
                let others = &telling[index + 1..];
                removed.extend(others.iter().map(|other| vec![one.clone(), other.clone()]));
            }
            for missing in removed {
                deny(&api, &missing);
                let ended = Ended::of(&setup, arguments);
                let place = || format!("{} {arguments:?} without {missing:?}", situation.name);
                if let Err(said) = ended.is_no_better_than(&whole) {
                    wrong.push(format!("{}: {said}", place()));
                }
                let commands: Vec<_> = ended
                    .gaps()
                    .iter()
                    .filter_map(|gap| gap["canI"].as_str().map(str::to_owned))
                    .collect();
                let asked: Vec<Right> = api.paths().iter().map(|path| Right::of(path)).collect();
                for right in missing.iter().filter(|right| asked.contains(right)) {
                    let named = commands.iter().any(|command| right.is_named_by(command));
                    // What was asked for is an error, and that says one thing.
                    let fatal = ended.report.is_none()
                        && missing.iter().any(|one| one.is_named_by(&ended.said));
                    if !named && !fatal {
                        wrong.push(format!(
                            "{}: {right:?} is not named: {commands:?} {}",
                            place(),
                            ended.said
                        ));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn without_any_right_or_any_two_nothing_looks_better_than_it_is_and_the_right_is_named() {
    let situations = situations();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = situations
            .iter()
            .map(|situation| scope.spawn(|| judge(situation)))
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a judgement"))
            .collect()
    });
    let number = wrong.len();
    assert_eq!(number, 0, "{}", wrong.join("\n"));
}

/// As [`deny`], but of all that is asked only these are allowed.
fn allow(api: &FakeApi, allowed: impl Fn(&str) -> bool + Send + 'static) {
    api.start_over();
    let which = move |path: &str, _: &str| !allowed(path);
    api.fault_where(which, usize::MAX, Fault::Status(403, "forbidden"));
}

fn situation(name: &str) -> (FakeApi, Setup) {
    let mut all = situations().into_iter();
    let found = all.find(|one| one.name == name).expect("a situation");
    let setup = |api: &FakeApi| Setup::new(api, found.namespace);
    let api = FakeApi::serving(found.objects.clone());
    let setup = setup(&api);
    (api, setup)
}

fn commands(ended: &Ended) -> Vec<String> {
    let gaps = ended.gaps().into_iter();
    // Without the flags that lead to the server.
    let commands = gaps.filter_map(|gap| gap["canI"].as_str()?.split(" --").next());
    commands.map(str::to_owned).collect()
}

#[test]
fn who_may_read_one_namespace_only_is_told_that_all_is_well_where_nothing_else_can_change_it() {
    let (api, setup) = situation("healthy");
    allow(&api, |path| {
        path.contains("/namespaces/shop/") || ["/apis", "/version"].contains(&path)
    });
    for arguments in [&["svc/web"][..], &[], &["deploy/web"]] {
        let ended = Ended::of(&setup, arguments);
        assert_eq!(ended.code, 0, "{arguments:?}: {}", ended.said);
        assert_eq!(ended.states(), [("\"shop\"/\"web\"".to_owned(), "healthy")]);
        assert_eq!(
            commands(&ended),
            [
                "kubectl auth can-i list nodes -A",
                "kubectl auth can-i list pods -n kube-system",
                "kubectl auth can-i get configmaps/kube-proxy -n kube-system",
                "kubectl auth can-i list daemonsets.apps -n kube-system",
                "kubectl auth can-i list mutatingwebhookconfigurations.admissionregistration.k8s.io -A",
                "kubectl auth can-i list validatingwebhookconfigurations.admissionregistration.k8s.io -A",
                "kubectl auth can-i list apiservices.apiregistration.k8s.io -A",
            ],
            "{arguments:?}"
        );
        let strict = Ended::of(&setup, &[arguments, &["--fail-on", "warning"]].concat());
        assert_eq!(strict.code, 2);
        assert!(strict.said.contains("could not be read"), "{}", strict.said);
    }
    let ended = Ended::of(&setup, &["-A"]);
    assert_eq!(ended.code, 2);
    let command = "kubectl auth can-i list services -A";
    assert!(ended.said.contains(command), "{}", ended.said);
}

#[test]
fn who_may_read_one_namespace_only_is_told_what_becomes_of_terminating_pods_as_far_as_that_shows() {
    let (api, setup) = situation("terminating pods");
    allow(&api, |path| {
        path.contains("/namespaces/all-terminating/") || ["/apis", "/version"].contains(&path)
    });
    let ended = Ended::of(&setup, &["svc/the-app"]);
    assert_eq!(ended.code, 2);
    let service = &ended.report()["services"][0];
    assert_eq!(service["state"], "unknown");
    let summary = service["summary"].as_str().expect("a summary");
    for words in [
        "New connections go to 7 Terminating pods",
        "without daemonsets.apps in kube-system",
        "refused: no usable endpoint",
    ] {
        assert!(summary.contains(words), "{words}: {summary}");
    }
    let table = setup.run(&["svc/the-app"]);
    assert!(
        table
            .out
            .starts_with("? NOT CERTAIN: WARNING, AS READ  svc/the-app -n all-terminating "),
        "{}",
        table.out
    );
    // The pods' own part of the answer is whole.
    let whole = situation("terminating pods");
    let whole = Ended::of(&whole.1, &["svc/the-app"]);
    let seconds =
        |ended: &Ended| ended.report()["services"][0]["shutdown"][0]["endsBySeconds"].clone();
    assert_ne!(seconds(&ended), serde_json::Value::Null);
    assert_eq!(seconds(&ended), seconds(&whole));
}

#[test]
fn who_may_get_by_name_and_list_nothing_learns_which_lists_it_takes() {
    let (api, setup) = situation("healthy");
    let named = ["services", "endpoints"].map(|kind| format!("/api/v1/namespaces/shop/{kind}/web"));
    allow(&api, move |path| named.iter().any(|one| one == path));
    let ended = Ended::of(&setup, &["svc/web"]);
    assert_eq!(ended.code, 2);
    assert_eq!(ended.states(), [("\"shop\"/\"web\"".to_owned(), "unknown")]);
    let commands = commands(&ended);
    for command in [
        "kubectl auth can-i list endpointslices.discovery.k8s.io -n shop",
        "kubectl auth can-i list pods -n shop",
        "kubectl auth can-i get /version",
        "kubectl auth can-i get /apis",
    ] {
        assert!(
            commands.iter().any(|one| one == command),
            "{command}: {commands:?}"
        );
    }
    assert!(!commands.iter().any(|one| one.contains("endpoints -n")));
}

#[test]
fn the_command_stands_in_a_line_of_its_own_with_the_flags_that_lead_to_the_server() {
    let (api, setup) = situation("healthy");
    api.fault("/api/v1/nodes", Fault::Status(403, "forbidden"));
    let ran = setup.run(&["svc/web", "-o", "wide", "--as", "it's me"]);
    let file = setup.kubeconfig.display();
    let line =
        format!("    kubectl auth can-i list nodes -A --kubeconfig {file} --as 'it'\\''s me'");
    assert!(ran.out.lines().any(|one| one == line), "{}", ran.out);
    // The answer on one screen names what is missing.
    let short = setup.run(&["svc/web", "--as", "it's me"]);
    assert!(
        short.out.contains("could not be read: nodes"),
        "{}",
        short.out
    );
}

/// A few numbers in no order.
fn dice(seed: &mut u64) -> u64 {
    *seed = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    *seed >> 33
}

#[test]
fn nothing_looks_better_than_it_is_whichever_rights_are_missing() {
    let mut seed = 7;
    for situation in situations() {
        let api = FakeApi::serving(situation.objects.clone());
        api.is_version(situation.server);
        let setup = Setup::new(&api, situation.namespace);
        let target = situation.targets[0];
        let whole = Ended::of(&setup, &[target]);
        let rights: BTreeSet<Right> = api.paths().iter().map(|path| Right::of(path)).collect();
        for _ in 0..12 {
            let missing: Vec<Right> = rights
                .iter()
                .filter(|_| dice(&mut seed).is_multiple_of(2))
                .cloned()
                .collect();
            deny(&api, &missing);
            let ended = Ended::of(&setup, &[target]);
            let better = ended.is_no_better_than(&whole);
            assert_eq!(
                better,
                Ok(()),
                "{}: {target} without {missing:?}",
                situation.name
            );
        }
    }
}
