//! Why could a cluster not be asked, and what helps?

use std::time::Duration;

use super::budget::Exceeded;
use crate::facts::can_i;

/// Why there is no snapshot. What only leaves a hole in it is a [`Gap`](crate::facts::Gap) instead.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// A kubeconfig cannot be read, or what it says cannot be used.
    #[error("{said}")]
    Kubeconfig {
        /// What is wrong.
        said: String,
        /// What to do.
        help: String,
    },
    /// Something named in a flag or in the kubeconfig is not in the kubeconfig.
    #[error("{what} {name:?} is not in the kubeconfig{}", in_files(.files))]
    NotInKubeconfig {
        /// `context`, `cluster` or `user`.
        what: &'static str,
        /// The name that was looked for.
        name: String,
        /// The files that were read.
        files: Vec<String>,
        /// The names that are there.
        known: Vec<String>,
    },
    /// No context is chosen.
    #[error("no cluster is chosen: the kubeconfig{} has no current-context", in_files(.files))]
    NoContext {
        /// The files that were read.
        files: Vec<String>,
        /// The contexts that are there.
        known: Vec<String>,
    },
    /// There is no kubeconfig.
    #[error("there is no kubeconfig: {}", .looked_at.join(" and "))]
    NoKubeconfig {
        /// Where it was looked for, each as a phrase.
        looked_at: Vec<String>,
    },
    /// The program that hands out credentials failed.
    #[error("the credential plugin {command:?} of the kubeconfig: {said}")]
    CredentialPlugin {
        /// The program.
        command: String,
        /// What is wrong.
        said: String,
        /// What to do.
        help: String,
    },
    /// A name that no object can have.
    #[error("{0:?} is not a name that an object can have")]
    NotAName(String),
    /// Things were named, and all namespaces were asked for.
    #[error("{0} was named, and all namespaces were asked for; a name is one namespace's")]
    NamedInAllNamespaces(String),
    /// 401.
    #[error("{server} refused the credentials: {said}")]
    Unauthorized {
        /// The server.
        server: String,
        /// Its words.
        said: String,
        /// Flags for kubectl.
        flags: String,
    },
    /// 403 on what was asked for.
    #[error("may not {verb} {resource}{}: {said}", in_namespace(.namespace.as_ref()))]
    Forbidden {
        /// `get` or `list`.
        verb: &'static str,
        /// As `kubectl auth can-i` takes it.
        resource: String,
        /// The namespace; `None` is all of them.
        namespace: Option<String>,
        /// The server's words.
        said: String,
        /// Flags for kubectl.
        flags: String,
    },
    /// 404 on what was asked for.
    #[error("{kind} {name:?} is not in namespace {namespace:?}")]
    NotFound {
        /// Its kind, in lower case.
        kind: String,
        /// Its name.
        name: String,
        /// Where it was looked for.
        namespace: String,
        /// Names there that are similar.
        near: Vec<String>,
        /// Other namespaces that have one of this name.
        elsewhere: Vec<String>,
    },
    /// No connection, or it broke.
    #[error("cannot talk to {server}: {said}")]
    Unreachable {
        /// The server.
        server: String,
        /// What is wrong.
        said: String,
    },
    /// No answer in time.
    #[error("{server} did not answer{} when asked for {what}", within(*.limit))]
    TimedOut {
        /// The server.
        server: String,
        /// What was asked for.
        what: String,
        /// `--request-timeout`; `None` where the connection itself was not made in time.
        limit: Option<Duration>,
    },
    /// Any other answer that is no success.
    #[error("{server} was asked for {what} and answered {code}: {said}")]
    Refused {
        /// The server.
        server: String,
        /// What was asked for.
        what: String,
        /// The HTTP status.
        code: u16,
        /// Its words.
        said: String,
    },
    /// An answer that is larger than is allowed.
    #[error("{server} was asked for {what}, and the answer is too large: {limit}")]
    TooLarge {
        /// The server.
        server: String,
        /// What was asked for.
        what: String,
        /// The limit.
        limit: Exceeded,
    },
    /// An answer that is not what a Kubernetes API server sends.
    #[error("{server} was asked for {what}, and the answer cannot be read: {said}")]
    Unreadable {
        /// The server.
        server: String,
        /// What was asked for.
        what: String,
        /// What is wrong with it.
        said: String,
    },
}

fn in_files(files: &[String]) -> String {
    if files.is_empty() {
        return String::new();
    }
    format!(" ({})", files.join(", "))
}

fn in_namespace(namespace: Option<&String>) -> String {
    namespace.map_or_else(
        || " in all namespaces".to_owned(),
        |namespace| format!(" in namespace {namespace:?}"),
    )
}

fn within(limit: Option<Duration>) -> String {
    limit.map_or_else(String::new, |limit| format!(" within {limit:?}"))
}

/// So many names are told of those that are there.
const KNOWN: usize = 20;

fn known_or(what: &str, known: &[String], otherwise: &str) -> String {
    if known.is_empty() {
        return otherwise.to_owned();
    }
    let more = match known.len().saturating_sub(KNOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let known = &known[..known.len().min(KNOWN)];
    format!("there {what} {}{more}", known.join(", "))
}

impl ClusterError {
    /// Is it about the object that was asked for, while others may well be read?
    pub(crate) const fn is_about_one_object(&self) -> bool {
        matches!(
            self,
            Self::NotFound { .. }
                | Self::Forbidden { .. }
                | Self::Refused { .. }
                | Self::TooLarge { .. }
                | Self::Unreadable { .. }
        )
    }

    /// What to do about it, as one sentence without a full stop.
    #[must_use]
    pub fn help(&self) -> String {
        match self {
            Self::Kubeconfig { help, .. } | Self::CredentialPlugin { help, .. } => help.clone(),
            Self::NotInKubeconfig { known, .. } => known_or(
                if known.len() == 1 { "is" } else { "are" },
                known,
                "there is none; --kubeconfig or KUBECONFIG names another file",
            ),
            Self::NoContext { known, .. } => format!(
                "name one with --context, or choose one with kubectl config use-context; {}",
                known_or(
                    if known.len() == 1 { "is" } else { "are" },
                    known,
                    "there is none in it",
                )
            ),
            Self::NoKubeconfig { .. } => {
                "name a kubeconfig with --kubeconfig or KUBECONFIG, or read files with -f".to_owned()
            }
            Self::NotAName(_) => {
                "write svc/NAME or NAME; names have no slash and no percent sign".to_owned()
            }
            Self::NamedInAllNamespaces(_) => {
                "leave out -A and name the namespace with -n, or leave out the names".to_owned()
            }
            Self::Unauthorized { flags, .. } => format!(
                "the token or certificate may have expired: log in again as you do for kubectl, and try kubectl auth whoami{flags}"
            ),
            Self::Forbidden {
                verb,
                resource,
                namespace,
                flags,
                ..
            } => {
                let can_i = can_i(verb, resource, namespace.as_deref(), flags);
                format!(
                    "check with {can_i} and ask for a role that allows it; the built-in ClusterRole view does"
                )
            }
            Self::NotFound {
                near, elsewhere, ..
            } => {
                let mut helps = Vec::new();
                if !near.is_empty() {
                    helps.push(format!("there is {}", near.join(", ")));
                }
                if !elsewhere.is_empty() {
                    helps.push(format!(
                        "one of this name is in {}: add -n {}",
                        elsewhere.join(", "),
                        elsewhere[0]
                    ));
                }
                if helps.is_empty() {
                    helps.push(
                        "look at the names with kubectl get, or name another namespace with -n"
                            .to_owned(),
                    );
                }
                helps.join("; ")
            }
            Self::Unreachable { said, .. } => reach_help(said).to_owned(),
            Self::TimedOut { limit: Some(_), .. } => {
                "allow more with --request-timeout; kubectl get --raw /readyz says whether the server is well"
                    .to_owned()
            }
            Self::TimedOut { limit: None, .. } => {
                "check the address, the network, VPN and proxy; kubectl cluster-info asks the same server"
                    .to_owned()
            }
            Self::Refused { .. } => {
                "kubectl get with the same flags shows whether it is this command or the server"
                    .to_owned()
            }
            Self::TooLarge { limit, .. } => limit.help(),
            Self::Unreadable { .. } => {
                "check that the address is a Kubernetes API server's and not a proxy's or a login page's"
                    .to_owned()
            }
        }
    }
}

fn reach_help(said: &str) -> &'static str {
    let said = said.to_lowercase();
    if said.contains("certificaterequired") {
        "the server wants a client certificate: name one with --client-certificate and --client-key, or in the kubeconfig's user"
    } else if said.contains("certificate") {
        "name the authority with --certificate-authority, or the name in the certificate with --tls-server-name"
    } else if said.contains("dns") || said.contains("lookup") {
        "check the name in the kubeconfig's server field, and DNS or VPN"
    } else if said.contains("refused") {
        "check that the API server runs at this address; kubectl config view --minify shows where it comes from"
    } else {
        "check the network, VPN and proxy, and try again; kubectl cluster-info asks the same server"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_not_to_reach_a_server_has_its_cure() {
        for (said, cure) in [
            (
                "received fatal alert: CertificateRequired",
                "--client-certificate",
            ),
            (
                "invalid peer certificate: UnknownIssuer",
                "--certificate-authority",
            ),
            ("dns error: failed to lookup address", "DNS"),
            ("Connection refused (os error 111)", "API server runs"),
            ("connection closed before message completed", "try again"),
        ] {
            assert!(reach_help(said).contains(cure), "{said}");
        }
    }
}
