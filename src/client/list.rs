//! What does one object hold, or a whole list? Lists are read page by page; an object that cannot be read does not hide the
//! others.

use http::StatusCode;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::api::Api;
use super::failure::Failure;
use super::paths::with_query;
use super::record::RawObject;
use crate::words::{plain, without_value};

/// kubectl's own page size.
const PAGE: u32 = 500;

/// Reads one object of a list; the error says what does not fit.
type Reader<'r, T> = &'r mut dyn FnMut(&str) -> Result<T, String>;

/// A list that was read to its end.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    /// What could be read.
    pub(crate) items: Vec<T>,
    /// What could not.
    pub(crate) unread: Unread,
    /// The version of all of it, from which a watch goes on.
    pub(crate) version: Option<String>,
}

/// What could not be read: how many, and what is wrong with the first. All of them may be as many as a server likes.
#[derive(Debug, Default)]
pub(crate) struct Unread {
    pub(crate) count: usize,
    pub(crate) first: Option<String>,
}

impl Unread {
    /// One that could not.
    pub(crate) const fn one(said: String) -> Self {
        Self {
            count: 1,
            first: Some(said),
        }
    }
}

/// So much text of objects is read before others have their turn: the clock, and Ctrl-C.
const STEP: usize = 1024 * 1024;

/// A page of a list.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<'a> {
    #[serde(default)]
    api_version: String,
    kind: String,
    #[serde(default)]
    metadata: PageMeta,
    /// Go writes an empty list as null.
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
struct PageMeta {
    #[serde(default, rename = "continue")]
    next: Option<String>,
    #[serde(default, rename = "resourceVersion")]
    version: Option<String>,
}

#[derive(Deserialize)]
struct NamedItem {
    metadata: Name,
}

#[derive(Deserialize)]
struct Name {
    #[serde(default)]
    namespace: String,
    #[serde(default)]
    name: String,
}

/// What an object is called, for messages.
pub(crate) fn called(raw: &RawValue) -> String {
    match serde_json::from_str(raw.get()) {
        Ok(NamedItem { metadata }) if metadata.namespace.is_empty() => plain(&metadata.name),
        Ok(NamedItem { metadata }) => plain(&format!("{}/{}", metadata.namespace, metadata.name)),
        Err(_) => "one without a name".to_owned(),
    }
}

/// Reads one object. What is another one, or none, is no answer: proxies and login pages send JSON too.
pub(crate) async fn get<T>(
    api: &Api,
    path: &str,
    name: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    let body = api.get(path).await?;
    let raw: &RawValue = serde_json::from_slice(&body).map_err(|error| {
        Failure::Unreadable(format!(
            "it is no JSON: {}",
            without_value(&error.to_string())
        ))
    })?;
    match serde_json::from_str(raw.get()) {
        Ok(NamedItem { metadata }) if metadata.name == name => {
            let found = read(raw.get()).map_err(Failure::Unreadable)?;
            if api.records() {
                api.record(vec![RawObject {
                    text: raw.get().to_owned(),
                    of_list: None,
                }]);
            }
            Ok(found)
        }
        _ => Err(Failure::Unreadable(format!(
            "it is no object called {name}"
        ))),
    }
}

/// Reads all pages. Where the server forgot what the next one was (410), starts over without pages, as client-go's pager does
/// (`tools/pager/pager.go`, `FullListIfExpired`); kubectl itself gives up.
pub(crate) async fn list<T>(
    api: &Api,
    path: &str,
    query: &[(&str, String)],
    read: Reader<'_, T>,
) -> Result<Listed<T>, Failure> {
    let mut listed = Listed {
        items: Vec::new(),
        unread: Unread::default(),
        version: None,
    };
    let whole = with_query(path, query);
    let mut records = Vec::new();
    let mut paged = true;
    let mut next: Option<String> = None;
    loop {
        let mut query = query.to_vec();
        if paged {
            query.push(("limit", PAGE.to_string()));
        }
        if let Some(token) = &next {
            query.push(("continue", token.clone()));
        }
        let body = match api.get(&with_query(path, &query)).await {
            Err(failure) if paged && next.is_some() && failure.is(StatusCode::GONE) => {
                listed.items.clear();
                listed.unread = Unread::default();
                records.clear();
                paged = false;
                next = None;
                continue;
            }
            answer => answer?,
        };
        let page: Page<'_> = serde_json::from_slice(&body).map_err(|error| {
            Failure::Unreadable(format!(
                "it is no list: {}",
                without_value(&error.to_string())
            ))
        })?;
        let Some(kind) = page.kind.strip_suffix("List") else {
            return Err(Failure::Unreadable(format!(
                "it is no list but {}",
                plain(&page.kind)
            )));
        };
        let items = page.items.unwrap_or_default();
        api.connected().budget.objects(items.len())?;
        let before = listed.items.len();
        let mut text = 0;
        for raw in items {
            text += raw.get().len();
            if text > STEP {
                text = 0;
                tokio::task::yield_now().await;
            }
            match read(raw.get()) {
                Ok(item) => {
                    listed.items.push(item);
                    if api.records() {
                        records.push(RawObject {
                            text: raw.get().to_owned(),
                            of_list: Some((page.api_version.clone(), kind.to_owned())),
                        });
                    }
                }
                Err(said) => {
                    listed.unread.count += 1;
                    let first = || format!("{}: {said}", called(raw));
                    listed.unread.first.get_or_insert_with(first);
                }
            }
        }
        api.connected().progress.read(listed.items.len() - before);
        let token = page.metadata.next.filter(|token| !token.is_empty());
        listed.version = page.metadata.version.filter(|text| !text.is_empty());
        if token.is_none() {
            api.record(records);
            if let Some(version) = &listed.version {
                api.mark(&whole, version);
            }
            return Ok(listed);
        }
        if token == next {
            return Err(Failure::Unreadable(
                "the next page is the same again".to_owned(),
            ));
        }
        next = token;
    }
}
