//! What may be said about how to reach a cluster?

use std::fmt::{self, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use super::progress::Progress;
use crate::words::quoted;

/// How to reach the cluster: what kubectl's flags of the same names say. Nothing said means what the kubeconfig says.
#[derive(Debug, Clone, Default)]
pub struct Connection {
    /// `--kubeconfig`: this file only, instead of `KUBECONFIG` or `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`.
    pub context: Option<String>,
    /// `--cluster`.
    pub cluster: Option<String>,
    /// `--user`.
    pub user: Option<String>,
    /// `--server`.
    pub server: Option<String>,
    /// `--token`.
    pub token: Option<Secret>,
    /// `--username`.
    pub username: Option<String>,
    /// `--password`.
    pub password: Option<Secret>,
    /// `--as`.
    pub impersonate: Option<String>,
    /// `--as-group`.
    pub impersonate_groups: Vec<String>,
    /// `--as-uid`.
    pub impersonate_uid: Option<String>,
    /// `--as-user-extra`: keys with one value each; a key may occur again.
    pub impersonate_user_extra: Vec<(String, String)>,
    /// `--request-timeout`: how long one request may take; zero is as long as it takes, and so is all of it then.
    pub request_timeout: Option<Duration>,
    /// How long all of it may take; `None` is what follows from the request's limit.
    pub deadline: Option<Duration>,
    /// `--insecure-skip-tls-verify`.
    pub insecure_skip_tls_verify: Option<bool>,
    /// `--max-answer-size`: how many megabytes one answer may have; all else that a server may make us hold follows.
    pub max_answer_size: Option<u32>,
    /// `--tls-server-name`.
    pub tls_server_name: Option<String>,
    /// `--certificate-authority`.
    pub certificate_authority: Option<PathBuf>,
    /// `--client-certificate`.
    pub client_certificate: Option<PathBuf>,
    /// `--client-key`.
    pub client_key: Option<PathBuf>,
    /// `--disable-compression`.
    pub disable_compression: Option<bool>,
    /// Where to say what is being read.
    pub progress: Progress,
    /// `--verbose`: each request is told on standard error.
    pub verbose: bool,
}

impl Connection {
    /// The flags with which kubectl would ask the same server as the same user, each with a space before it.
    pub(crate) fn as_kubectl_flags(&self) -> String {
        let file = self.kubeconfig.as_ref().map(|path| path.to_string_lossy());
        // An address may hold a password.
        let server = self.server.as_deref().filter(|url| !url.contains('@'));
        let one = [
            ("--kubeconfig", file.as_deref()),
            ("--server", server),
            ("--context", self.context.as_deref()),
            ("--cluster", self.cluster.as_deref()),
            ("--user", self.user.as_deref()),
            ("--as", self.impersonate.as_deref()),
            ("--as-uid", self.impersonate_uid.as_deref()),
        ];
        let groups = self.impersonate_groups.iter();
        let groups = groups.map(|group| ("--as-group", Some(group.as_str())));
        // Writing to a String cannot fail.
        let mut flags = String::new();
        for (flag, value) in one.into_iter().chain(groups) {
            if let Some(value) = value {
                let _ = write!(flags, " {flag} {}", quoted(value));
            }
        }
        for (key, value) in &self.impersonate_user_extra {
            let pair = quoted(&format!("{key}={value}"));
            let _ = write!(flags, " --as-user-extra {pair}");
        }
        flags
    }
}

/// A text that must not be printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// The text itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_for_kubectl_can_be_pasted_into_a_shell() {
        let connection = Connection {
            kubeconfig: Some("my files/config".into()),
            impersonate: Some("system:serviceaccount:a:b".to_owned()),
            impersonate_groups: vec!["it's".to_owned()],
            impersonate_user_extra: vec![("why".to_owned(), "a b".to_owned())],
            ..Connection::default()
        };
        assert_eq!(
            connection.as_kubectl_flags(),
            r" --kubeconfig 'my files/config' --as system:serviceaccount:a:b --as-group 'it'\''s' --as-user-extra 'why=a b'"
        );
    }

    #[test]
    fn a_token_is_not_printed_with_the_connection() {
        let connection = Connection {
            token: Some(Secret::from("s3cret".to_owned())),
            ..Connection::default()
        };
        assert!(!format!("{connection:?}").contains("s3cret"));
    }
}
