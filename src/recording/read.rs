//! Reads a recording: bytes → its head and changes, line by line.

use std::io::{BufRead, BufReader, Cursor, Read, Take};

use chrono::{DateTime, Utc};
use flate2::bufread::MultiGzDecoder;
use serde_json::Value;

use super::head::{Head, moved};
use super::line::{END, Line, List, Said, Text, item_kind, of_kind};
use crate::collect::snapshot::{add, purpose};
use crate::decode::objects::Placed;
use crate::decode::read::{Kind, Raw};
use crate::facts::Snapshot;
use crate::facts::moments::later;
use crate::facts::purpose::Purpose;
use crate::manifest::Problem;
use crate::timeline::change::{Change, What};

/// What gzip files begin with (RFC 1952, 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// The longest line, in bytes: a first list of many thousand pods.
const LONGEST_LINE: u64 = 512 << 20;

/// So many bytes of a text are read: what -f takes of objects.
const MOST: u64 = 2048 << 20;

/// What is packed may have so many times its size unpacked, and some more where it is small. Real recordings have twenty
/// times their size (tests/fixtures/rollouts), pods that hardly change a hundred times; a bomb has a thousand (RFC 1951, 3.2.5).
const MOST_UNPACKED: u64 = 200;
const MOST_UNPACKED_BESIDE: u64 = 16 << 20;

/// So much of a first line is looked at to know what it is.
const LONGEST_BEGINNING: u64 = 8 << 20;

/// So many problems are told one by one.
const MOST_PROBLEMS: usize = 20;

/// What a recording holds.
#[derive(Debug, Default)]
pub struct Recording {
    /// What it says of itself; `None` for one that somebody else's watch wrote.
    pub head: Option<Head>,
    /// What was said, in the order of arrival.
    pub changes: Vec<Change>,
    /// Until when somebody listened, where they say so: whoever was killed does not.
    pub until: Option<DateTime<Utc>>,
    /// What could not be read.
    pub problems: Vec<Problem>,
}

/// Is this the beginning of a recording: lines of JSON, the first of which is a head or says a moment and a type?
#[must_use]
pub fn begins(bytes: &[u8]) -> bool {
    let mut first = Vec::new();
    // What is packed ends early where it is cut; what came before counts.
    let _ = BufReader::new(unpacked(bytes).take(LONGEST_BEGINNING)).read_until(b'\n', &mut first);
    match serde_json::from_slice::<Value>(&first) {
        Ok(value) => Head::is_one(&value) || (value["t"].is_number() && value["type"].is_string()),
        // The first list of a large cluster is longer than a beginning.
        Err(_) => first.starts_with(b"{\"t\":") && !first.ends_with(b"\n"),
    }
}

/// So many bytes are read of it, unpacked.
fn most(bytes: &[u8]) -> u64 {
    if !bytes.starts_with(&GZIP) {
        return MOST;
    }
    let packed = bytes.len() as u64;
    packed
        .saturating_mul(MOST_UNPACKED)
        .saturating_add(MOST_UNPACKED_BESIDE)
        .min(MOST)
}

/// What to say of what has more.
fn too_long(file: &str, number: u32, most: u64) -> Problem {
    let said = format!("it has more than {} MB", most >> 20);
    let help =
        "the lines before were read; unpack it first (gunzip) where it is packed, or split it";
    Problem::at(file, (number, 1), said, help)
}

fn unpacked(bytes: &[u8]) -> Box<dyn Read + '_> {
    if bytes.starts_with(&GZIP) {
        Box::new(MultiGzDecoder::new(Cursor::new(bytes)))
    } else {
        Box::new(Cursor::new(bytes))
    }
}

/// Reads a recording at once.
#[must_use]
pub fn read(file: &str, bytes: &[u8]) -> Recording {
    let mut reader = Reader::new(file, bytes);
    let changes = reader.by_ref().collect();
    Recording {
        changes,
        ..reader.end()
    }
}

/// Reads a recording, plain or packed by gzip, and hands over one change after the other: what is packed may hold far more than whoever
/// follows it keeps. A line that cannot be read is a problem, and the others are read; one that was cut at the end, by a kill, is left
/// out.
pub struct Reader<'b> {
    file: String,
    lines: BufReader<Take<Box<dyn Read + 'b>>>,
    /// So many bytes are read, unpacked.
    most: u64,
    /// The number of the last line.
    number: u32,
    /// A head or a change was read.
    begun: bool,
    /// There is no more to read.
    ended: bool,
    /// The change that was read to know that there is no head.
    next: Option<Change>,
    /// What was read beside changes.
    told: Recording,
    /// Problems that are not told one by one.
    more: usize,
}

impl<'b> Reader<'b> {
    /// Begins to read.
    #[must_use]
    pub fn new(file: &str, bytes: &'b [u8]) -> Self {
        let most = most(bytes);
        // One more than is allowed tells that there is more.
        let lines = unpacked(bytes).take(most.saturating_add(1));
        Self {
            file: file.to_owned(),
            lines: BufReader::new(lines),
            most,
            number: 0,
            begun: false,
            ended: false,
            next: None,
            told: Recording::default(),
            more: 0,
        }
    }

    /// What the recording says of itself.
    pub fn head(&mut self) -> Option<&Head> {
        if !self.begun && self.next.is_none() {
            self.next = self.advance();
        }
        self.told.head.as_ref()
    }

    /// Reads the rest, and says what was read beside changes.
    #[must_use]
    pub fn end(mut self) -> Recording {
        while self.next().is_some() {}
        if self.lines.get_ref().limit() == 0 {
            let problem = too_long(&self.file, self.number, self.most);
            self.told.problems.push(problem);
        }
        if self.more > 0 {
            let said = format!("{} more lines cannot be read", self.more);
            let problem = Problem::of_file(&self.file, said, "record again");
            self.told.problems.push(problem);
        }
        self.told
    }

    /// The next change; it stops at a head.
    fn advance(&mut self) -> Option<Change> {
        while !self.ended {
            let mut text = Vec::new();
            let mut line = (&mut self.lines).take(LONGEST_LINE);
            let got = line.read_until(b'\n', &mut text);
            self.number = self.number.saturating_add(1);
            match got {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(_) => {}
                // What was read up to there stands.
                Err(error) => {
                    self.ended = true;
                    let said = format!("it ends early: {error}");
                    let help = "the lines before were read; record again to have the rest";
                    let problem = Problem::at(&self.file, (self.number, 1), said, help);
                    self.told.problems.push(problem);
                    break;
                }
            }
            let whole = text.ends_with(b"\n");
            match self.take(&text) {
                Ok(None) if self.told.head.is_some() && !self.begun => {
                    self.begun = true;
                    return None;
                }
                Ok(None) => {}
                Ok(change) => {
                    self.begun = true;
                    return change;
                }
                // A kill may have cut the last line.
                Err(_) if !whole && (text.len() as u64) < LONGEST_LINE => self.ended = true,
                Err(_) if self.told.problems.len() >= MOST_PROBLEMS => self.more += 1,
                Err(said) => {
                    let help = "the other lines were read";
                    let problem = Problem::at(&self.file, (self.number, 1), said, help);
                    self.told.problems.push(problem);
                }
            }
        }
        None
    }

    /// Takes a line in.
    fn take(&mut self, text: &[u8]) -> Result<Option<Change>, String> {
        let text = std::str::from_utf8(text).map_err(|_| "it is not UTF-8 text".to_owned())?;
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        if !self.begun && text.len() as u64 <= LONGEST_BEGINNING {
            let value = serde_json::from_str::<Value>(text).unwrap_or_default();
            if Head::is_one(&value) {
                let head = Head::read(&value);
                let head = head.map_err(|said| format!("the head of the recording: {said}"))?;
                self.told.head = Some(head);
                return Ok(None);
            }
        }
        let head = self.told.head.as_ref();
        let ahead = moved(head.and_then(|head| head.server_ahead_seconds));
        let place = (self.file.as_str(), self.number);
        let mut problems = Vec::new();
        let change = if let Some(change) = listed(text, place, &mut problems) {
            Some(change)
        } else {
            let line = Line::read(text)?;
            if line.resource == END && line.said == Said::Nothing {
                self.told.until = Some(later(line.at, ahead));
            }
            change(line, place, &mut problems)
        };
        let room = MOST_PROBLEMS.saturating_sub(self.told.problems.len());
        self.told.problems.extend(problems.into_iter().take(room));
        Ok(change.map(|change| change.by_clock(ahead)))
    }
}

impl Iterator for Reader<'_> {
    type Item = Change;

    fn next(&mut self) -> Option<Change> {
        if !self.begun && self.next.is_none() {
            // There may be a head first.
            self.next = self.advance();
        }
        self.next.take().or_else(|| self.advance())
    }
}

/// Facts of what a line says of a resource.
struct Facts<'p> {
    purpose: Purpose,
    /// The file, and the number of the line.
    place: (&'p str, u32),
    found: Box<Snapshot>,
    problems: &'p mut Vec<Problem>,
}

impl<'p> Facts<'p> {
    fn new(resource: &str, place: (&'p str, u32), problems: &'p mut Vec<Problem>) -> Self {
        // What was read for one thing only says so before its plural.
        let purpose = resource.split_once('/').and_then(|(id, _)| purpose(id));
        Self {
            purpose: purpose.unwrap_or_default(),
            place,
            found: Box::default(),
            problems,
        }
    }

    /// An object as a value.
    fn value(&mut self, value: &Value) {
        let text = |key: &str| value[key].as_str().unwrap_or_default();
        self.add(Raw::Value(value), (text("apiVersion"), text("kind")));
    }

    /// An object as it is written, and what the items of its list are.
    fn text(&mut self, text: &str, (version, kind): (&str, &str)) {
        let is = Kind::of(text);
        let version = is.api_version.as_deref().unwrap_or(version);
        self.add(
            Raw::Text(text),
            (version, is.kind.as_deref().unwrap_or(kind)),
        );
    }

    fn add(&mut self, raw: Raw<'_>, is: (&str, &str)) {
        let object = Placed {
            raw,
            is,
            place: self.place,
        };
        add(self.purpose, object, &mut self.found, self.problems);
    }
}

/// What a line with a list says, read item by item; `None` for another line, and for one that cannot be read.
fn listed(text: &str, place: (&str, u32), problems: &mut Vec<Problem>) -> Option<Change> {
    let list = List::read(text)?;
    let mut found = Vec::new();
    let mut is_read = true;
    let items = list.items().map_while(|item| {
        is_read = item.is_ok();
        item.ok()
    });
    let mut all = Facts::new(&list.resource, place, &mut found);
    items.for_each(|item| all.value(&item));
    let facts = all.found;
    is_read.then(|| {
        problems.append(&mut found);
        Change {
            at: list.at,
            what: What::Listed {
                facts,
                resource: list.resource,
            },
        }
    })
}

/// What a line says, as a change; `None` where it says nothing new.
#[must_use]
pub fn change(line: Line, place: (&str, u32), problems: &mut Vec<Problem>) -> Option<Change> {
    let resource = line.resource;
    let mut all = Facts::new(&resource, place, problems);
    let mut one = |object: &Text| {
        all.text(object.get(), ("", ""));
        std::mem::take(&mut all.found)
    };
    let what = match line.said {
        Said::Listed(list) => {
            for item in &items(list) {
                all.value(item);
            }
            let facts = all.found;
            What::Listed { resource, facts }
        }
        Said::Items(list) => {
            let is = (list.api_version.as_str(), list.kind.as_str());
            for item in &list.items {
                all.text(item.get(), is);
            }
            let facts = all.found;
            What::Listed { resource, facts }
        }
        Said::Applied(object) => What::Applied(one(&object)),
        Said::Deleted(object) => What::Deleted(one(&object)),
        Said::Lost(why) => What::Lost { resource, why },
        Said::Back => What::Back { resource },
        Said::Probed(probed) => What::Probed(probed),
        Said::Nothing => return None,
    };
    Some(Change { at: line.at, what })
}

/// The items of a list, each with what it is, which lists leave out.
fn items(mut list: Value) -> Vec<Value> {
    let items = match list.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) => items,
        _ => Vec::new(),
    };
    let version = list["apiVersion"].as_str().unwrap_or_default();
    let kind = item_kind(list["kind"].as_str().unwrap_or_default());
    let named = items.into_iter().map(|mut item| {
        of_kind(&mut item, version, kind);
        item
    });
    named.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line with a list, read whole.
    fn whole(text: &str, problems: &mut Vec<Problem>) -> Option<Change> {
        change(Line::read(text).expect("a line"), ("a.jsonl", 1), problems)
    }

    #[test]
    fn a_list_reads_the_same_item_by_item_and_whole() {
        let deep = format!("{}{}", "[".repeat(150), "]".repeat(150));
        for (object, is_read) in [
            (
                r#"{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"a","namespace":"b"}},{"metadata":{"name":"c"}}]}"#,
                true,
            ),
            (
                r#"{"apiVersion":"v1","kind":"PodList","items":[{"kind":"Service","metadata":{"name":"a"},"spec":{}},null,7]}"#,
                true,
            ),
            (
                r#"{"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"a"},"spec":{"containers":{}}}]}"#,
                true,
            ),
            (r#"{"apiVersion":"v1","kind":"PodList","items":[]}"#, true),
            (
                r#"{"apiVersion":"v1","kind":"PodList","items":null}"#,
                false,
            ),
            (r#"{"kind":"PodList","items":[]}"#, false),
            ("null", false),
        ] {
            let text = format!(r#"{{"t":1.5,"resource":"pods","type":"LIST","object":{object}}}"#);
            let (mut found, mut expected) = (Vec::new(), Vec::new());
            let list = listed(&text, ("a.jsonl", 1), &mut found);
            assert_eq!(list.is_some(), is_read, "{object}");
            if is_read {
                assert_eq!(list, whole(&text, &mut expected), "{object}");
                assert_eq!(found, expected, "{object}");
            }
        }
        // What is nested too deep is told by who reads the line whole.
        let items = format!(r#"{{"apiVersion":"v1","kind":"PodList","items":[{deep}]}}"#);
        let text = format!(r#"{{"t":1.5,"resource":"pods","type":"LIST","object":{items}}}"#);
        assert_eq!(listed(&text, ("a.jsonl", 1), &mut Vec::new()), None);
        assert!(Line::read(&text).is_err());
    }
}
