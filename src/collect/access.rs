//! What does a failed request mean: the end, or a hole in the snapshot?

use http::StatusCode;

use crate::client::api::Api;
use crate::client::connection::Connection;
use crate::client::error::ClusterError;
use crate::client::failure::Failure;
use crate::client::list::{Listed, Unread};
use crate::decode::kube_proxy::NAMESPACE;
use crate::facts::{Gap, GapReason, Resource};

/// What was read of something that may be missing.
#[derive(Debug)]
pub(crate) struct Part<T> {
    /// What there is.
    pub(crate) items: Vec<T>,
    /// What is missing, if anything.
    pub(crate) gap: Option<Gap>,
}

/// Why a request for something that may be missing failed.
pub(crate) fn reason(failure: Failure) -> GapReason {
    match failure {
        Failure::Status(StatusCode::FORBIDDEN, _) => GapReason::Forbidden,
        Failure::Status(StatusCode::NOT_FOUND, _) => GapReason::NotFound,
        Failure::TimedOut(_)
        | Failure::Status(StatusCode::GATEWAY_TIMEOUT | StatusCode::REQUEST_TIMEOUT, _) => {
            GapReason::TimedOut
        }
        Failure::Status(status, said) => GapReason::Failed(format!("{}: {said}", status.as_u16())),
        Failure::Transport(said) | Failure::Broken(said) | Failure::Unreadable(said) => {
            GapReason::Failed(said)
        }
        Failure::TooLarge(limit) => GapReason::Failed(format!("{limit}; {}", limit.help())),
    }
}

/// A hole.
pub(crate) fn gap(resource: Resource, verb: &'static str, failure: Failure) -> Gap {
    Gap {
        resource,
        verb,
        namespace: None,
        reason: reason(failure),
    }
}

/// The hole with the namespace that was asked, where that follows from the resource; what asks for one object or one kind
/// (`ask`) knows it better.
pub(crate) fn placed(gap: Gap, asked: Option<&str>) -> Gap {
    let namespace = match gap.resource {
        Resource::Services
        | Resource::EndpointSlices
        | Resource::Endpoints
        | Resource::Pods
        | Resource::Events
        | Resource::Budgets
        | Resource::PodMakers(_) => asked.map(str::to_owned),
        Resource::KubeProxyPods | Resource::KubeProxyConfig => Some(NAMESPACE.to_owned()),
        _ => gap.namespace,
    };
    Gap { namespace, ..gap }
}

/// Objects that could not be read make a hole too: the answer does not count them.
pub(crate) fn unread(resource: Resource, verb: &'static str, unread: &Unread) -> Option<Gap> {
    let first = unread.first.as_ref()?;
    Some(Gap {
        resource,
        verb,
        namespace: None,
        reason: GapReason::Failed(match unread.count {
            1 => format!("one could not be read: {first}"),
            many => format!("{many} could not be read, the first of them: {first}"),
        }),
    })
}

/// A list of something that may be missing.
pub(crate) fn part<T>(resource: Resource, listed: Result<Listed<T>, Failure>) -> Part<T> {
    match listed {
        Ok(listed) => Part {
            gap: unread(resource, "list", &listed.unread),
            items: listed.items,
        },
        Err(failure) => Part {
            items: Vec::new(),
            gap: Some(gap(resource, "list", failure)),
        },
    }
}

/// What was asked for, as errors name it.
pub(crate) struct Wanted<'a> {
    /// `get` or `list`.
    pub(crate) verb: &'static str,
    /// As `kubectl auth can-i` takes it.
    pub(crate) resource: String,
    /// The namespace; `None` is all of them.
    pub(crate) namespace: Option<&'a str>,
    /// As a person would say it: `service web`.
    pub(crate) what: String,
}

/// The error for something without which there is no answer.
pub(crate) fn fatal(
    api: &Api,
    connection: &Connection,
    wanted: &Wanted<'_>,
    failure: Failure,
) -> ClusterError {
    let server = api.connected().server.clone();
    let what = wanted.what.clone();
    match failure {
        Failure::Status(StatusCode::UNAUTHORIZED, said) => ClusterError::Unauthorized {
            server,
            said,
            flags: connection.as_kubectl_flags(),
        },
        Failure::Status(StatusCode::FORBIDDEN, said) => ClusterError::Forbidden {
            verb: wanted.verb,
            resource: wanted.resource.clone(),
            namespace: wanted.namespace.map(str::to_owned),
            said,
            flags: connection.as_kubectl_flags(),
        },
        Failure::Status(status, said) => ClusterError::Refused {
            server,
            what,
            code: status.as_u16(),
            said,
        },
        Failure::TimedOut(limit) => ClusterError::TimedOut {
            server,
            what,
            limit,
        },
        Failure::Transport(said) | Failure::Broken(said) => {
            ClusterError::Unreachable { server, said }
        }
        Failure::TooLarge(limit) => ClusterError::TooLarge {
            server,
            what,
            limit,
        },
        Failure::Unreadable(said) => ClusterError::Unreadable { server, what, said },
    }
}
