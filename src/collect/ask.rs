//! What does the server answer to a question that may come to nothing? A kind or an object that is not there is no gap.

use futures_util::future::join_all;
use http::StatusCode;
use serde_json::Value;

use super::access::{gap, unread};
use super::kinds::Known;
use crate::client::api::Api;
use crate::client::discovery::Installed;
use crate::client::failure::Failure;
use crate::client::list::{get, list};
use crate::client::paths::{checked, collection, one_of};
use crate::decode::read::named;
use crate::facts::{Gap, Resource};

/// One object, or all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    One {
        /// `None` for what belongs to the whole cluster.
        namespace: Option<String>,
        name: String,
    },
    All {
        /// `None` is all namespaces.
        namespace: Option<String>,
        query: Vec<(&'static str, String)>,
    },
}

/// A question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ask {
    /// What is missing if it fails.
    pub(crate) resource: Resource,
    /// API paths; the first that knows the resource answers.
    pub(crate) apis: Vec<String>,
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) what: What,
}

impl Ask {
    /// All objects of a kind; `None` where it is not installed.
    pub(crate) fn all(
        installed: &Installed,
        known: &Known,
        namespace: Option<&str>,
    ) -> Option<Self> {
        let only = known
            .only
            .map(|name| ("fieldSelector", format!("metadata.name={name}")));
        Self::of(
            installed,
            known,
            What::All {
                namespace: namespace.map(str::to_owned),
                query: only.into_iter().collect(),
            },
        )
    }

    /// One object of a kind.
    pub(crate) fn one(
        installed: &Installed,
        known: &Known,
        namespace: &str,
        name: &str,
    ) -> Option<Self> {
        Self::of(
            installed,
            known,
            What::One {
                namespace: Some(namespace.to_owned()),
                name: name.to_owned(),
            },
        )
    }

    fn of(installed: &Installed, known: &Known, what: What) -> Option<Self> {
        let apis = installed.apis(known.group(), known.plural());
        (!apis.is_empty()).then_some(Self {
            resource: Resource::TrafficObjects(known.resource),
            apis,
            kind: known.kind,
            plural: known.plural(),
            what,
        })
    }

    /// A hole is where this was asked.
    fn here(&self, gap: Gap) -> Gap {
        let (What::One { namespace, .. } | What::All { namespace, .. }) = &self.what;
        Gap {
            namespace: namespace.clone(),
            ..gap
        }
    }

    const fn verb(&self) -> &'static str {
        match self.what {
            What::One { .. } => "get",
            What::All { .. } => "list",
        }
    }
}

/// What came back.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Objects with `apiVersion` and `kind`, as files have them.
    pub(crate) values: Vec<Value>,
    pub(crate) gap: Option<Gap>,
}

/// Without what nobody looks at: it is often the larger half, and lists are kept until all is read.
fn value(text: &str) -> Result<Value, String> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if let Some(fields) = value.as_object_mut() {
        fields.remove("status");
    }
    if let Some(fields) = value.get_mut("metadata").and_then(Value::as_object_mut) {
        fields.remove("managedFields");
    }
    Ok(value)
}

/// `apiVersion` from the path of an API.
fn version(api: &str) -> &str {
    api.trim_start_matches("/apis/").trim_start_matches("/api/")
}

async fn at(api: &Api, ask: &Ask, path: &str) -> Result<Answer, Failure> {
    let mut answer = match &ask.what {
        What::One { namespace, name } => {
            let path = one_of(path, namespace.as_deref(), ask.plural, name);
            Answer {
                values: vec![get(api, &path, name, value).await?],
                gap: None,
            }
        }
        What::All { namespace, query } => {
            let path = collection(path, namespace.as_deref(), ask.plural);
            let listed = list(api, &path, query, &mut value).await?;
            Answer {
                gap: unread(ask.resource, "list", &listed.unread).map(|gap| ask.here(gap)),
                values: listed.items,
            }
        }
    };
    for object in &mut answer.values {
        named(object, version(path), ask.kind);
    }
    Ok(answer)
}

/// Asks; what is not there is no objects.
pub(crate) async fn ask(api: &Api, ask: &Ask) -> Answer {
    // Names come from other objects here, which anybody may have written.
    let names = match &ask.what {
        What::One { namespace, name } => [namespace.as_deref(), Some(name.as_str())],
        What::All { namespace, .. } => [namespace.as_deref(), None],
    };
    if names
        .into_iter()
        .flatten()
        .any(|name| checked(name).is_err())
    {
        return Answer::default();
    }
    for path in &ask.apis {
        match at(api, ask, path).await {
            Ok(answer) => return answer,
            Err(failure) if failure.is(StatusCode::NOT_FOUND) => {}
            Err(failure) => {
                return Answer {
                    values: Vec::new(),
                    gap: Some(ask.here(gap(ask.resource, ask.verb(), failure))),
                };
            }
        }
    }
    Answer::default()
}

/// Asks side by side.
pub(crate) async fn ask_all(api: &Api, asks: &[Ask]) -> Vec<Answer> {
    join_all(asks.iter().map(|one| ask(api, one))).await
}
