//! How are the API server's answers read?

use serde::Deserialize;

use super::read::Raw;
use super::typed::{self, DecodeError};
use crate::facts::ObjectName;
use crate::words::without_value;

/// Reads one object of an answer; the error says at which field it does not fit.
pub(crate) fn answer<T>(
    read: impl Fn(Raw<'_>) -> Result<T, DecodeError>,
) -> impl Fn(&str) -> Result<T, String> {
    move |text| read(Raw::Text(text)).map_err(String::from)
}

/// Namespace and name of any object.
pub(crate) fn name(text: &str) -> Result<ObjectName, String> {
    #[derive(Deserialize)]
    struct Named {
        metadata: Name,
    }
    #[derive(Deserialize)]
    struct Name {
        #[serde(default)]
        namespace: String,
        name: String,
    }
    let Named { metadata } = typed::text(text)?;
    Ok(ObjectName::new(metadata.namespace, metadata.name))
}

/// The server's version, from its `/version`.
pub(crate) fn git_version(body: &[u8]) -> Result<String, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Version {
        git_version: String,
    }
    serde_json::from_slice::<Version>(body)
        .map(|version| version.git_version)
        .map_err(|error| without_value(&error.to_string()))
}
