//! DC215: a readiness gate does not delay SIGTERM.

use super::pods::{Delay, Pods};
use super::{Check, Finding, Rule, Severity, When};

pub(super) static RULE: Rule = Rule {
    id: "DC215",
    slug: "gate-gives-no-time",
    severity: Severity::Info,
    when: When::Next,
    summary: "A load balancer's readiness gate delays only becoming ready; nothing delays SIGTERM.",
    page: include_str!("../../docs/rules/DC215.md"),
    check: Check::Workload(check),
};

/// The conditions that load balancers' controllers write.
const GATES: [&str; 3] = [
    "target-health.elbv2.k8s.aws/",
    "target-health.alb.ingress.k8s.aws/",
    "cloud.google.com/load-balancer-neg-ready",
];

fn check(pods: &Pods<'_, '_>) -> Vec<Finding> {
    let gate = pods
        .check
        .spec
        .readiness_gates
        .iter()
        .find(|gate| GATES.iter().any(|known| gate.starts_with(known)));
    let Some(gate) = gate else {
        return Vec::new();
    };
    pods.check.serves
        .iter()
        .filter_map(|serves| {
            let end = pods.end(&serves.container.name)?;
            // DC204 judges whether a delay is long enough.
            if end.sigterm_at.max() > 0 || pods.delay(serves) == Delay::Useless {
                return None;
            }
            let finding = Finding {
                severity: Severity::Info,
                path: Some(pods.spec_field("readinessGates").into()),
                message: format!(
                    "readiness gate {gate} only delays when a new pod becomes ready; it does not delay SIGTERM: container {} gets it {} after the delete.",
                    serves.container.name, end.sigterm_at
                ),
                why: "The kubelet and the controllers use readiness gates while a pod becomes ready. A delete does not wait for them, and the load balancer deregisters the target in its own time."
                    .to_owned(),
                help: format!(
                    "Add a preStop delay of {} s: the readiness gate does not delay SIGTERM.",
                    serves.notice_seconds()
                ),
                ..RULE.about_workload(pods.check)
            };
            Some(finding)
        })
        .collect()
}
