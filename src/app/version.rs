//! `kubectl drain-check version`: which version is this, which Kubernetes does it know, and which does the server have?

use std::io::Write;

use serde::Serialize;

use super::Io;
use super::wait::{Interrupted, wait};
use crate::cli::{VersionArgs, VersionOutput};
use crate::client::{ClusterError, Connection};
use crate::collect as api;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{NEWEST_MINOR, OLDEST_MINOR};
use crate::render;

/// The answer. Unknown is null, as in a report.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    api_version: &'static str,
    kind: &'static str,
    client: &'static str,
    kubernetes: KnownVersions,
    server: Option<String>,
    /// Why the server's is not known; null where it is, and where nobody asked.
    server_error: Option<String>,
}

/// The versions whose behaviour is known.
#[derive(Serialize)]
struct KnownVersions {
    oldest: String,
    newest: String,
}

fn table(version: &Versions, help: Option<&str>, out: &mut dyn Write) -> std::io::Result<()> {
    let known = &version.kubernetes;
    writeln!(out, "Client Version: {}", version.client)?;
    writeln!(
        out,
        "Kubernetes Versions Known: {} to {}",
        known.oldest, known.newest
    )?;
    if let Some(server) = &version.server {
        writeln!(out, "Server Version: {}", render::safe(server))?;
    }
    if let Some(error) = &version.server_error {
        writeln!(out, "Server Version: not known: {}", render::safe(error))?;
    }
    if let Some(help) = help {
        writeln!(out, "  help: {}", render::safe(help))?;
    }
    Ok(())
}

/// Prints the versions. A server that does not answer is no failure: people who ask for versions often have none.
pub(super) fn run(args: &VersionArgs, io: &mut Io<'_>) -> anyhow::Result<()> {
    let asked = if args.client {
        None
    } else {
        let connection = Connection::from(&args.connection);
        let answer = api::server_version(&connection);
        Some(wait(answer, &connection, io))
    };
    let (server, error) = match asked {
        None => (None, None),
        Some(Ok(server)) => (Some(server), None),
        Some(Err(error)) if error.is::<Interrupted>() => return Err(error),
        Some(Err(error)) => (None, Some(error)),
    };
    let help = error
        .as_ref()
        .and_then(|error| error.downcast_ref::<ClusterError>())
        .map(ClusterError::help);
    let version = Versions {
        api_version: "drain-check/v1",
        kind: "Version",
        client: env!("CARGO_PKG_VERSION"),
        kubernetes: KnownVersions {
            oldest: KubeVersion::minor(OLDEST_MINOR).to_string(),
            newest: KubeVersion::minor(NEWEST_MINOR).to_string(),
        },
        server,
        server_error: error.map(|error| format!("{error:#}")),
    };
    match args.output {
        VersionOutput::Table => table(&version, help.as_deref(), io.out)?,
        VersionOutput::Json => render::json::value(&version, io.out)?,
        VersionOutput::Yaml => render::yaml::value(&version, io.out)?,
    }
    Ok(())
}
