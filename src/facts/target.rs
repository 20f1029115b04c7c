//! Which object does a command name: `svc/web`, `deploy/web`, `pod/web-0` or a bare name?

use std::fmt;
use std::str::FromStr;

use super::workload::WorkloadKind;

/// One object that a command names. Every target resolves to Services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its kind.
    pub kind: TargetKind,
    /// Its name.
    pub name: String,
}

/// What a target can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetKind {
    /// A Service.
    Service,
    /// A pod: every Service that selects it.
    Pod,
    /// A workload: every Service that selects its pods.
    Workload(WorkloadKind),
}

impl TargetKind {
    /// The kind as manifests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Service => "Service",
            Self::Pod => "Pod",
            Self::Workload(kind) => kind.name(),
        }
    }
}

impl TargetKind {
    /// Reads kubectl's names of a kind: long, short, plural and with the API group, in any case.
    #[must_use]
    pub fn of_word(word: &str) -> Option<Self> {
        let kind =
            match word.to_lowercase().as_str() {
                "svc" | "service" | "services" => Self::Service,
                "po" | "pod" | "pods" => Self::Pod,
                "deploy" | "deployment" | "deployments" | "deployment.apps"
                | "deployments.apps" => Self::Workload(WorkloadKind::Deployment),
                "sts" | "statefulset" | "statefulsets" | "statefulset.apps"
                | "statefulsets.apps" => Self::Workload(WorkloadKind::StatefulSet),
                "ds" | "daemonset" | "daemonsets" | "daemonset.apps" | "daemonsets.apps" => {
                    Self::Workload(WorkloadKind::DaemonSet)
                }
                "rs" | "replicaset" | "replicasets" | "replicaset.apps" | "replicasets.apps" => {
                    Self::Workload(WorkloadKind::ReplicaSet)
                }
                _ => return None,
            };
        Some(kind)
    }
}

impl fmt::Display for Target {
    /// As kubectl writes it: `service/web`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.kind.name().to_lowercase(), self.name)
    }
}

/// Why a text is not a target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotATarget {
    /// The kind is not one that leads to Services.
    #[error("{0}: unsupported kind {1:?}; try svc, deploy, sts, ds, rs or pod")]
    UnknownKind(String, String),
    /// The first word is the kind of all others, and one of these has a kind of its own.
    #[error(
        "{0:?} is the kind of the words behind it, and {1} has one of its own; write KIND/NAME for each, or KIND NAME..."
    )]
    KindTwice(String, String),
    /// The name is missing.
    #[error("{0:?} has no name; write svc/NAME")]
    NoName(String),
}

impl FromStr for Target {
    type Err = NotATarget;

    /// Takes kubectl's names of the kinds, long, short, plural and with the API group; a bare name is a Service.
    fn from_str(text: &str) -> Result<Self, NotATarget> {
        let (kind, name) = text.split_once('/').unwrap_or(("svc", text));
        if name.is_empty() {
            return Err(NotATarget::NoName(text.to_owned()));
        }
        let kind = TargetKind::of_word(kind)
            .ok_or_else(|| NotATarget::UnknownKind(text.to_owned(), kind.to_lowercase()))?;
        Ok(Self {
            kind,
            name: name.to_owned(),
        })
    }
}

/// The kinds that the first of several words gives to the others, as in `svc web` and `svc,deploy web`.
///
/// A lone word is a name, so that a Service called `svc` can be named; beside other names it is written `svc/svc`.
#[must_use]
pub fn kinds(first: &str) -> Option<Vec<TargetKind>> {
    first.split(',').map(TargetKind::of_word).collect()
}

/// Reads what was named: `svc/web deploy/web`, or as kubectl also allows TYPE NAME...: `svc web cart`.
///
/// # Errors
///
/// Says which word is no target.
pub fn targets(words: &[String]) -> Result<Vec<Target>, NotATarget> {
    let (kinds, names) = match words {
        [first, names @ ..] if !names.is_empty() => match kinds(first) {
            Some(kinds) => (kinds, names),
            None => return words.iter().map(|word| word.parse()).collect(),
        },
        _ => return words.iter().map(|word| word.parse()).collect(),
    };
    let target = |kind: TargetKind, name: &String| match name.as_str() {
        "" => Err(NotATarget::NoName(words[0].clone())),
        name if name.contains('/') => Err(NotATarget::KindTwice(words[0].clone(), name.to_owned())),
        name => Ok(Target {
            kind,
            name: name.to_owned(),
        }),
    };
    let each = kinds
        .iter()
        .flat_map(|kind| names.iter().map(|name| target(*kind, name)));
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kubectls_names_of_kinds_are_taken_and_a_bare_name_is_a_service() {
        let read = |text: &str| text.parse::<Target>().map(|target| target.to_string());
        assert_eq!(read("web").as_deref(), Ok("service/web"));
        assert_eq!(read("svc/web").as_deref(), Ok("service/web"));
        assert_eq!(
            read("Deployments.apps/web").as_deref(),
            Ok("deployment/web")
        );
        assert_eq!(read("po/web-0").as_deref(), Ok("pod/web-0"));
        assert!(matches!(read("cm/web"), Err(NotATarget::UnknownKind(..))));
        assert!(matches!(read("svc/"), Err(NotATarget::NoName(_))));
    }

    #[test]
    fn the_first_of_several_words_may_be_the_kind_of_the_others() {
        let read = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
            let targets = targets(&words)?;
            let names: Vec<_> = targets.iter().map(ToString::to_string).collect();
            Ok(names.join(" "))
        };
        for (words, wanted) in [
            (&[][..], ""),
            (&["svc", "web"][..], "service/web"),
            (&["deploy", "web", "cart"], "deployment/web deployment/cart"),
            (&["svc,deploy", "web"], "service/web deployment/web"),
            (&["Pods", "web-0"], "pod/web-0"),
            // A lone word is a name, and so is a kind that is not the first word.
            (&["svc"], "service/svc"),
            (&["web", "svc"], "service/web service/svc"),
            (&["svc/svc", "web"], "service/svc service/web"),
            (&["svc", "svc"], "service/svc"),
            // What is no kind that leads to Services is a name.
            (&["cm", "web"], "service/cm service/web"),
        ] {
            assert_eq!(read(words).as_deref(), Ok(wanted), "{words:?}");
        }
        assert!(matches!(
            read(&["svc", "deploy/web"]),
            Err(NotATarget::KindTwice(..))
        ));
        assert!(matches!(read(&["svc", ""]), Err(NotATarget::NoName(_))));
    }
}
