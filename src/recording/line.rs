//! One line of a recording: what the API server, or a probe, said at a moment.
//!
//! The watch protocol's own `ADDED`, `MODIFIED` and `BOOKMARK` are read too.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::timeline::change::{Outcome, Probed};
use crate::words::without_value;

/// The resource of the line that says until when somebody listened.
pub(super) const END: &str = "watch";

/// What was said, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Line {
    /// When it was heard.
    pub at: DateTime<Utc>,
    /// The resource, in the plural: `pods`; `probe` for a probe.
    pub resource: String,
    /// What was said.
    pub said: Said,
}

/// An object as it is written. As values, large ones take many times the room and the time.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Text(Box<RawValue>);

impl Text {
    /// JSON.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }

    /// As this type, or why it does not fit.
    fn fits<'t, T: Deserialize<'t>>(&'t self) -> Result<T, String> {
        serde_json::from_str(self.get()).map_err(|error| without_value(&error.to_string()))
    }

    /// As this type; as nothing where it does not fit.
    pub(crate) fn read<'t, T: Deserialize<'t> + Default>(&'t self) -> T {
        serde_json::from_str(self.get()).unwrap_or_default()
    }

    /// As a value; null for one that is nested too deep.
    #[must_use]
    pub fn value(&self) -> Value {
        self.read()
    }
}

impl From<Box<RawValue>> for Text {
    fn from(raw: Box<RawValue>) -> Self {
        Self(raw)
    }
}

impl From<&Value> for Text {
    fn from(value: &Value) -> Self {
        // Values have no error to tell.
        Self(to_raw_value(value).unwrap_or_default())
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A whole list: an object of kind `PodList` and the like.
    Listed(Value),
    /// The same, with items that nobody has read yet.
    Items(Items),
    /// An object is there, and looks like this.
    Applied(Text),
    /// It is gone, and looked like this.
    Deleted(Text),
    /// Nothing is heard of the resource from now on, and why.
    Lost(String),
    /// It is heard of again.
    Back,
    /// A connection of the probe ended.
    Probed(Probed),
    /// Nothing new.
    Nothing,
}

/// A list whose items are texts: as values, those of a large cluster take many times their length.
#[derive(Debug, Clone, PartialEq)]
pub struct Items {
    /// `apiVersion`, of the list and its items.
    pub api_version: String,
    /// What the items are: `Pod`.
    pub kind: String,
    /// The items.
    pub items: Vec<Text>,
}

/// A list as an API server writes it, its fields in the order of a value's.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct WrittenList<'a> {
    api_version: &'a str,
    items: &'a [Text],
    kind: String,
    metadata: NoFields,
}

#[derive(Serialize)]
struct NoFields {}

#[derive(Serialize)]
struct Written<'a, O> {
    t: f64,
    resource: &'a str,
    #[serde(rename = "type")]
    kind: &'a str,
    object: O,
}

/// The same, with texts that may hold escapes.
#[derive(Deserialize)]
struct Read {
    t: f64,
    #[serde(default)]
    resource: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    object: Option<Text>,
}

/// A line with a list, whose items are left as they are.
#[derive(Deserialize)]
struct ReadList<'a> {
    t: f64,
    #[serde(default)]
    resource: String,
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    object: ReadItems<'a>,
}

#[derive(Deserialize)]
struct ReadItems<'a> {
    #[serde(rename = "apiVersion")]
    version: String,
    kind: String,
    #[serde(borrow)]
    items: Vec<&'a RawValue>,
}

/// A list that was said, with items that nobody has read yet: as values, the first list of a large cluster takes many times its length.
pub(super) struct List<'a> {
    /// When it was heard.
    pub(super) at: DateTime<Utc>,
    pub(super) resource: String,
    version: String,
    kind: String,
    items: Vec<&'a RawValue>,
}

impl<'a> List<'a> {
    /// Reads a line; `None` for any that holds no list as API servers write them, or nothing that can be read.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        // Most lines hold none, and are not gone through twice.
        text.contains("\"LIST\"").then_some(())?;
        let read: ReadList<'a> = serde_json::from_str(text).ok()?;
        let list = read.object;
        (read.kind == "LIST").then_some(())?;
        Some(Self {
            at: moment(read.t)?,
            resource: read.resource,
            version: list.version,
            kind: item_kind(&list.kind).to_owned(),
            items: list.items,
        })
    }

    /// Each item, with what it is, which lists leave out.
    ///
    /// # Errors
    ///
    /// Of one that is nested too deep.
    pub(super) fn items(&self) -> impl Iterator<Item = Result<Value, serde_json::Error>> {
        self.items.iter().map(|raw| {
            let mut item = serde_json::from_str(raw.get())?;
            of_kind(&mut item, &self.version, &self.kind);
            Ok(item)
        })
    }
}

/// What the items of such a list are.
pub(super) fn item_kind(list: &str) -> &str {
    list.strip_suffix("List").unwrap_or(list)
}

/// An item with what it is.
pub(super) fn of_kind(item: &mut Value, version: &str, kind: &str) {
    if let Some(fields) = item.as_object_mut() {
        fields.entry("apiVersion").or_insert_with(|| version.into());
        fields.entry("kind").or_insert_with(|| kind.into());
    }
}

#[derive(Serialize, Deserialize)]
struct WrittenGap {
    lost: bool,
    #[serde(default)]
    text: String,
}

#[derive(Serialize, Deserialize)]
struct WrittenProbe {
    url: String,
    opened: f64,
    seconds: f64,
    outcome: String,
    status: Option<u16>,
}

/// Seconds since the epoch as a moment, to the millisecond; `None` beyond what dates can hold.
fn moment(seconds: f64) -> Option<DateTime<Utc>> {
    let millis = (seconds * 1000.0).round();
    // A few thousand years around the epoch.
    #[allow(clippy::cast_possible_truncation)]
    (millis.abs() < 1e14).then(|| DateTime::from_timestamp_millis(millis as i64))?
}

/// A moment as seconds since the epoch.
#[allow(clippy::cast_precision_loss)]
fn seconds(moment: DateTime<Utc>) -> f64 {
    moment.timestamp_millis() as f64 / 1000.0
}

fn outcome(id: &str, status: Option<u16>) -> Option<Outcome> {
    Some(match (id, status) {
        ("ok", status) => Outcome::Answered(status.unwrap_or(200)),
        ("status", Some(status)) => Outcome::Status(status),
        ("refused", _) => Outcome::Refused,
        ("reset", _) => Outcome::Reset,
        ("timeout", _) => Outcome::Timeout,
        ("tls", _) => Outcome::Tls,
        ("other", _) => Outcome::Other,
        _ => return None,
    })
}

impl Line {
    /// Reads a line.
    ///
    /// # Errors
    ///
    /// Says what does not fit.
    pub fn read(text: &str) -> Result<Self, String> {
        let read: Read =
            serde_json::from_str(text).map_err(|error| without_value(&error.to_string()))?;
        let at = moment(read.t).ok_or("t is no moment")?;
        let object = read.object.unwrap_or_default();
        let said = match read.kind.as_str() {
            "LIST" => Said::Listed(object.fits()?),
            "ADDED" | "MODIFIED" | "APPLIED" => Said::Applied(object),
            "DELETED" => Said::Deleted(object),
            "BOOKMARK" | "ERROR" => Said::Nothing,
            "GAP" => {
                let gap: WrittenGap = object.fits()?;
                if gap.lost {
                    Said::Lost(gap.text)
                } else {
                    Said::Back
                }
            }
            "PROBE" => {
                let probe: WrittenProbe = object.fits()?;
                Said::Probed(Probed {
                    outcome: outcome(&probe.outcome, probe.status)
                        .ok_or("object.outcome is none that a probe has")?,
                    opened: moment(probe.opened).ok_or("object.opened is no moment")?,
                    seconds: probe.seconds,
                    url: probe.url,
                })
            }
            _ => return Err("type is none of LIST, APPLIED, DELETED, GAP, PROBE".to_owned()),
        };
        Ok(Self {
            at,
            resource: read.resource,
            said,
        })
    }

    /// The line as it is written, without its end.
    #[must_use]
    pub fn written(&self) -> String {
        match &self.said {
            Said::Listed(object) => self.with("LIST", object),
            Said::Items(list) => {
                let object = WrittenList {
                    api_version: &list.api_version,
                    items: &list.items,
                    kind: format!("{}List", list.kind),
                    metadata: NoFields {},
                };
                self.with("LIST", object)
            }
            Said::Applied(object) => self.with("APPLIED", object),
            Said::Deleted(object) => self.with("DELETED", object),
            Said::Lost(text) => {
                let object = WrittenGap {
                    lost: true,
                    text: text.clone(),
                };
                self.with("GAP", json!(object))
            }
            Said::Back => {
                let object = WrittenGap {
                    lost: false,
                    text: String::new(),
                };
                self.with("GAP", json!(object))
            }
            Said::Probed(probed) => {
                let object = json!(WrittenProbe {
                    url: probed.url.clone(),
                    opened: seconds(probed.opened),
                    seconds: probed.seconds,
                    outcome: probed.outcome.id().to_owned(),
                    status: probed.outcome.status(),
                });
                self.with("PROBE", object)
            }
            Said::Nothing => self.with("BOOKMARK", Value::Null),
        }
    }

    fn with(&self, kind: &str, object: impl Serialize) -> String {
        let written = Written {
            t: seconds(self.at),
            resource: &self.resource,
            kind,
            object,
        };
        // Texts, numbers and values have no error to tell.
        serde_json::to_string(&written).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> DateTime<Utc> {
        DateTime::from_timestamp_millis(millis).expect("a moment")
    }

    #[test]
    fn what_is_written_is_read_again() {
        let object = json!({"metadata": {"name": "web"}});
        let probed = |outcome| {
            Said::Probed(Probed {
                url: "https://shop.example/".to_owned(),
                opened: at(1_795_333_023_000),
                seconds: 0.25,
                outcome,
            })
        };
        for said in [
            Said::Listed(json!({"kind": "PodList", "items": []})),
            Said::Applied((&object).into()),
            Said::Deleted((&object).into()),
            Said::Lost("the connection broke".to_owned()),
            Said::Back,
            Said::Nothing,
            probed(Outcome::Answered(204)),
            probed(Outcome::Status(503)),
            probed(Outcome::Refused),
            probed(Outcome::Reset),
            probed(Outcome::Timeout),
            probed(Outcome::Tls),
            probed(Outcome::Other),
        ] {
            let line = Line {
                at: at(1_795_333_023_031),
                resource: "pods".to_owned(),
                said,
            };
            assert_eq!(Line::read(&line.written()), Ok(line));
        }
    }

    #[test]
    fn a_list_of_texts_is_written_as_one_of_values() {
        let item = json!({"metadata": {"name": "web"}, "spec": {"a": 1, "b": [null, 1.5]}});
        let line = |said| Line {
            at: at(1500),
            resource: "pods".to_owned(),
            said,
        };
        let texts = line(Said::Items(Items {
            api_version: "v1".to_owned(),
            kind: "Pod".to_owned(),
            items: vec![(&item).into()],
        }));
        let list = json!({"apiVersion": "v1", "kind": "PodList", "metadata": {}, "items": [item]});
        assert_eq!(texts.written(), line(Said::Listed(list)).written());
    }

    #[test]
    fn the_watch_protocols_own_words_are_read() {
        for (kind, applied) in [("ADDED", true), ("MODIFIED", true), ("BOOKMARK", false)] {
            let text =
                format!(r#"{{"t": 1.5, "resource": "pods", "type": "{kind}", "object": {{}}}}"#);
            let line = Line::read(&text).expect("a line");
            assert_eq!(line.at, at(1500));
            assert_eq!(matches!(line.said, Said::Applied(_)), applied, "{kind}");
        }
    }

    #[test]
    fn what_does_not_fit_is_said_without_its_value() {
        for (text, said) in [
            (r#"{"t": 1e300, "type": "LIST"}"#, "t is no moment"),
            (r#"{"t": 1, "type": "WHAT"}"#, "type is none of"),
            (
                r#"{"t": 1, "type": "PROBE", "object": {"url": 5}}"#,
                "invalid type",
            ),
        ] {
            let error = Line::read(text).expect_err(text);
            assert!(error.contains(said), "{error}");
        }
    }
}
