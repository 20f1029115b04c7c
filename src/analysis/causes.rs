//! Why is no pod ready, or why are there fewer than wanted?

use std::borrow::Cow;

use super::workload::WorkloadAnalysis;
use crate::facts::ObjectRef;

/// Why a Service has no ready pod, or fewer than its workloads want.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What is the case.
    pub kind: CauseKind,
    /// The object that shows it.
    pub object: ObjectRef,
    /// The field that shows it.
    pub path: Option<Cow<'static, str>>,
    /// The pods that it holds back, by name; empty where none was made.
    pub pods: Vec<String>,
}

/// What holds pods back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CauseKind {
    /// A workload wants no pods: `spec.replicas` is 0.
    ReplicasZero,
}

impl Cause {
    /// The stable id that reports and `explain` use.
    #[must_use]
    pub const fn id(&self) -> &'static str {
        match self.kind {
            CauseKind::ReplicasZero => "replicas-zero",
        }
    }

    /// A clause for people, as it follows a colon.
    #[must_use]
    pub fn message(&self) -> String {
        match self.kind {
            CauseKind::ReplicasZero => {
                format!(
                    "{}/{} wants 0 replicas",
                    self.object.kind, self.object.name.name
                )
            }
        }
    }

    /// What to do about it: an imperative clause without a full stop.
    #[must_use]
    pub fn action(&self) -> String {
        match self.kind {
            CauseKind::ReplicasZero => {
                format!("Scale {}/{} up", self.object.kind, self.object.name.name)
            }
        }
    }
}

/// The causes that the workloads behind a Service show, the ones that hold back most pods first.
#[must_use]
pub fn causes(workloads: &[std::rc::Rc<WorkloadAnalysis<'_>>]) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    for each in workloads {
        let Some(workload) = each.workload else {
            continue;
        };
        let object = ObjectRef::from(workload);
        if workload.replicas == Some(0) && !causes.iter().any(|known| known.object == object) {
            causes.push(Cause {
                kind: CauseKind::ReplicasZero,
                object,
                path: Some("spec.replicas".into()),
                pods: Vec::new(),
            });
        }
    }
    causes
}
