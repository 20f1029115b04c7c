//! What does a recording say of itself? The first line: when it began, which server, what could not be read.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::collect::snapshot::{API_VERSION, Tool, WrittenGap};
use crate::decode::typed;
use crate::facts::Snapshot;
use crate::facts::moments::later;
use crate::facts::version::KubeVersion;

/// Its kind.
pub const KIND: &str = "Recording";

/// The first line of a recording.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Head {
    /// `drain-check/v1`.
    pub api_version: String,
    /// `Recording`.
    pub kind: String,
    /// What wrote it.
    pub tool: Tool,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// The API server's version; nothing where it was not told.
    pub server: Option<String>,
    /// What could not be read.
    pub gaps: Vec<WrittenGap>,
    /// What was asked for: `svc/web`; nothing is everything in the namespace.
    pub targets: Vec<String>,
    /// The namespace; nothing for all of them.
    pub namespace: Option<String>,
    /// By how many seconds the server's clock was ahead of the one that recorded, where that was seen: to a second.
    pub server_ahead_seconds: Option<f64>,
}

/// From how many seconds on a difference of clocks is told from the rounding of what the server writes, in whole seconds, and from the
/// time that an answer takes.
const APART: f64 = 2.0;

/// By how many milliseconds what was heard is moved, so that it stands beside what the server wrote: nothing where the clocks may as well be
/// together.
#[must_use]
#[allow(clippy::cast_possible_truncation)] // a century's milliseconds fit
pub fn moved(server_ahead_seconds: Option<f64>) -> i64 {
    let seconds = server_ahead_seconds.filter(|seconds| seconds.abs() >= APART);
    let century = 100.0 * 365.25 * 86_400.0;
    let seconds = seconds.map(|seconds| seconds.clamp(-century, century));
    seconds.map_or(0, |seconds| (seconds * 1000.0).round() as i64)
}

impl Head {
    /// Of a recording that begins now, of which nothing else is known.
    #[must_use]
    pub fn begun(started_at: DateTime<Utc>) -> Self {
        Self {
            api_version: API_VERSION.to_owned(),
            kind: KIND.to_owned(),
            tool: Tool {
                name: env!("CARGO_PKG_NAME").to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            started_at,
            server: None,
            gaps: Vec::new(),
            targets: Vec::new(),
            namespace: None,
            server_ahead_seconds: None,
        }
    }

    /// Is this object the head of a recording, of whatever version?
    #[must_use]
    pub fn is_one(value: &Value) -> bool {
        let version = value["apiVersion"].as_str().unwrap_or_default();
        version.starts_with("drain-check/") && value["kind"] == KIND
    }

    /// Reads it.
    ///
    /// # Errors
    ///
    /// Says what does not fit.
    pub fn read(value: &Value) -> Result<Self, String> {
        if value["apiVersion"] != API_VERSION {
            return Err(format!("it is none that this version reads: {API_VERSION}"));
        }
        typed::value(value).map_err(|error| error.to_string())
    }

    /// What it says, as facts.
    ///
    /// # Errors
    ///
    /// Says what does not fit.
    pub fn facts(&self) -> Result<Snapshot, String> {
        let server = self.server.as_deref().map(str::parse::<KubeVersion>);
        let server = server
            .transpose()
            .map_err(|error| format!("server: {error}"))?;
        let gaps = self.gaps.iter().map(WrittenGap::read);
        Ok(Snapshot {
            // A cluster told it: what is neither here nor among the gaps was not there.
            complete: true,
            taken_at: Some(later(self.started_at, moved(self.server_ahead_seconds))),
            server,
            gaps: gaps.collect::<Result<_, _>>()?,
            ..Snapshot::default()
        })
    }
}
