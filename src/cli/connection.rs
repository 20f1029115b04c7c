//! Which of kubectl's own flags say how to reach the cluster? They mean here what they mean there.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::client::{Connection, Progress, Secret};

/// kubectl's flags for the connection.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Connection (as in kubectl)")]
pub struct ConnectionArgs {
    /// The kubeconfig file to use
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub kubeconfig: Option<PathBuf>,
    /// The context of the kubeconfig to use
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub context: Option<String>,
    /// The cluster of the kubeconfig to use
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub cluster: Option<String>,
    /// The user of the kubeconfig to use
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub user: Option<String>,
    /// The address of the API server
    #[arg(short = 's', long, value_name = "URL", hide_short_help = true)]
    pub server: Option<String>,
    /// The bearer token for the API server
    #[arg(long, hide_short_help = true)]
    pub token: Option<Secret>,
    /// The user to impersonate
    #[arg(long = "as", value_name = "USER", hide_short_help = true)]
    pub impersonate: Option<String>,
    /// A group to impersonate; may be repeated
    #[arg(long = "as-group", value_name = "GROUP", hide_short_help = true)]
    pub impersonate_groups: Vec<String>,
    /// The UID to impersonate
    #[arg(long = "as-uid", value_name = "UID", hide_short_help = true)]
    pub impersonate_uid: Option<String>,
    /// An extra field of the user to impersonate; may be repeated, also with the same key
    #[arg(long = "as-user-extra", value_name = "KEY=VALUE", value_parser = pair, hide_short_help = true)]
    pub impersonate_user_extra: Vec<(String, String)>,
    /// Timeout of one request: 1s, 2m, 1h30m, or seconds; 0 means no timeout, for the whole run too
    #[arg(long, value_name = "DURATION", value_parser = go_duration, hide_short_help = true)]
    pub request_timeout: Option<Duration>,
    /// Refuse answers larger than this; the limits of all answers together rise with it (not in kubectl)
    #[arg(long, value_name = "MB", hide_short_help = true, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub max_answer_size: Option<u32>,
    /// Do not verify the server's certificate
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_short_help = true
    )]
    pub insecure_skip_tls_verify: Option<bool>,
    /// The name to expect in the server's certificate
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub tls_server_name: Option<String>,
    /// The file of the certificate authority to trust
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub certificate_authority: Option<PathBuf>,
    /// The file of the client certificate
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub client_certificate: Option<PathBuf>,
    /// The file of the client certificate's key
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub client_key: Option<PathBuf>,
    /// The user name for basic authentication
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub username: Option<String>,
    /// The password for basic authentication
    #[arg(long, hide_short_help = true)]
    pub password: Option<Secret>,
    /// Ask the server not to compress its answers
    #[arg(
        long,
        value_name = "BOOL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true",
        hide_short_help = true
    )]
    pub disable_compression: Option<bool>,
    /// Log requests to the server on standard error; a level as in kubectl, 6 or above
    #[arg(
        short = 'v',
        long,
        visible_alias = "v",
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "6",
        hide_short_help = true
    )]
    pub verbose: Option<u8>,
}

/// From this level on kubectl tells what it asks for (client-go, `transport/round_trippers.go`: `DebugWrappers`).
const TELLS_REQUESTS: u8 = 6;

impl From<&ConnectionArgs> for Connection {
    fn from(args: &ConnectionArgs) -> Self {
        let args = args.clone();
        Self {
            kubeconfig: args.kubeconfig,
            context: args.context,
            cluster: args.cluster,
            user: args.user,
            server: args.server,
            token: args.token,
            username: args.username,
            password: args.password,
            impersonate: args.impersonate,
            impersonate_groups: args.impersonate_groups,
            impersonate_uid: args.impersonate_uid,
            impersonate_user_extra: args.impersonate_user_extra,
            request_timeout: args.request_timeout,
            deadline: None,
            max_answer_size: args.max_answer_size,
            insecure_skip_tls_verify: args.insecure_skip_tls_verify,
            tls_server_name: args.tls_server_name,
            certificate_authority: args.certificate_authority,
            client_certificate: args.client_certificate,
            client_key: args.client_key,
            disable_compression: args.disable_compression,
            progress: Progress::default(),
            verbose: args.verbose.is_some_and(|level| level >= TELLS_REQUESTS),
        }
    }
}

/// `key=value`; a value may hold `=` too.
fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_owned(), value.to_owned())),
        _ => Err(format!("{text:?} is not KEY=VALUE")),
    }
}

/// Reads what Go's `time.ParseDuration` reads, and plain seconds as kubectl does (client-go `tools/clientcmd/helpers.go`,
/// `ParseTimeout`). Without the flag kubectl waits for ever; here all of it has its end.
pub(super) fn go_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("{text:?} is not a duration: write 1s, 2m, 1h30m, or seconds");
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut total = Duration::ZERO;
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest.is_empty() {
        return Err(wrong());
    }
    while !rest.is_empty() {
        let digits = rest
            .find(|sign: char| !sign.is_ascii_digit() && sign != '.')
            .ok_or_else(wrong)?;
        let number: f64 = rest[..digits].parse().map_err(|_| wrong())?;
        rest = &rest[digits..];
        let letters = rest
            .find(|sign: char| sign.is_ascii_digit() || sign == '.')
            .unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "ns" => 1e-9,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1e-6,
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            _ => return Err(wrong()),
        };
        rest = &rest[letters..];
        total = Duration::try_from_secs_f64(number * unit)
            .ok()
            .and_then(|part| total.checked_add(part))
            .ok_or_else(wrong)?;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_are_read_as_kubectl_reads_them() {
        for (text, millis) in [
            ("0", 0),
            ("5", 5_000),
            ("1s", 1_000),
            ("2m", 120_000),
            ("1h30m", 5_400_000),
            ("1.5s", 1_500),
            ("250ms", 250),
            ("0s", 0),
            (".5s", 500),
            ("+1s", 1_000),
        ] {
            assert_eq!(
                go_duration(text),
                Ok(Duration::from_millis(millis)),
                "{text}"
            );
        }
        for text in [
            "", "s", "1x", "-1s", "1s2", "soon", "1..5s", "+", "++1s", ".s", "1h 30m",
        ] {
            assert!(go_duration(text).is_err(), "{text}");
        }
    }
}
