//! What can be explained? Each topic with its names and its page, in groups.

use std::fmt::Write as _;

use super::{gate, questions};
use crate::gates::Gate;
use crate::gates::table::GATES;
use crate::rules;
use crate::rules::Rule;

/// The page with a section for each word that answers use.
const WORDS: &str = include_str!("../../../docs/words.md");

/// The pages with a section for each fixed id of a report, and for each one about a pod that is being deleted.
const REASONS: [&str; 2] = [
    include_str!("../../../docs/reasons.md"),
    include_str!("../../../docs/terminating.md"),
];

/// The page with a section for each traffic source.
const SOURCES: &str = include_str!("../../../docs/sources.md");

/// The labels of what a traffic source's section says, as its page writes them.
const LABELS: [&str; 6] = ["Does", "Until", "Refused", "Tune", "Do", "Source"];

/// Topics of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Group {
    Rules,
    Words,
    Reasons,
    Sources,
    Gates,
    Questions,
}

impl Group {
    pub(super) const ALL: [Self; 6] = [
        Self::Rules,
        Self::Words,
        Self::Reasons,
        Self::Sources,
        Self::Gates,
        Self::Questions,
    ];

    /// By which word its list is asked for.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Rules => "rules",
            Self::Words => "words",
            Self::Reasons => "reasons",
            Self::Sources => "sources",
            Self::Gates => "gates",
            Self::Questions => "faq",
        }
    }

    const fn title(self) -> &'static str {
        match self {
            Self::Rules => "Rules",
            Self::Words => "Words",
            Self::Reasons => "States, reasons and causes",
            Self::Sources => "Traffic sources",
            Self::Gates => "Feature gates",
            Self::Questions => "Questions",
        }
    }

    /// Its topics under its title.
    pub(super) fn list(self) -> String {
        match self {
            Self::Questions => questions::list(),
            group => {
                let topics = topics();
                let of = topics.iter().filter(|topic| topic.group == group);
                list(group.title(), of)
            }
        }
    }
}

/// Something that can be explained.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) group: Group,
    /// Its names.
    pub(super) names: Vec<String>,
    text: Text,
}

/// Where its page comes from.
#[derive(Debug)]
enum Text {
    Rule(&'static Rule),
    Section(&'static str),
    Source(&'static str),
    Gate(&'static Gate),
}

impl Topic {
    /// Its page as Markdown.
    pub(super) fn page(&self) -> String {
        match self.text {
            Text::Rule(rule) => rule.page.to_owned(),
            Text::Section(text) => {
                format!("# {}\n{}\n", self.names.join(", "), text.trim_end())
            }
            Text::Source(text) => source_page(&self.names[0], text),
            Text::Gate(gate) => gate::page(gate),
        }
    }
}

/// The sections of a page: the heading, which may be several names, and the text.
fn sections(page: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = page.split("\n## ").skip(1);
    sections.filter_map(|section| section.split_once('\n'))
}

/// The sections of the page about traffic sources: the id in the catalogue and its text.
fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let sections = SOURCES.split("\n### `").skip(1);
    sections.filter_map(|section| {
        let (id, rest) = section.split_once("`\n")?;
        // The last one of a class is followed by the next class.
        Some((id, rest.split("\n## ").next()?))
    })
}

/// The page of a traffic source, with the terms of its figures.
fn source_page(id: &str, text: &str) -> String {
    let mut paragraphs = SOURCES.split("\n\n");
    let figures = paragraphs.find(|paragraph| paragraph.starts_with("Seconds count"));
    // In print the label is bold; here a colon sets it off.
    let text = LABELS.iter().fold(text.trim().to_owned(), |text, label| {
        text.replace(&format!("- **{label}** "), &format!("- {label}: "))
    });
    format!(
        "# {id}\n\n{text}\n\n## The figures\n\n{}\n",
        figures.unwrap_or_default()
    )
}

/// Every topic but the questions and the versions, which are asked for in other words.
pub(super) fn topics() -> Vec<Topic> {
    let one = |group, names: &[&str], text| Topic {
        group,
        names: names.iter().map(|name| (*name).to_owned()).collect(),
        text,
    };
    let rules = rules::ALL.iter().map(|rule| {
        let names = [rule.id, rule.slug];
        one(Group::Rules, &names, Text::Rule(rule))
    });
    let words = sections(WORDS).map(|(heading, text)| {
        let names: Vec<_> = heading.split(", ").collect();
        one(Group::Words, &names, Text::Section(text))
    });
    let reasons = REASONS
        .into_iter()
        .flat_map(sections)
        .map(|(id, text)| one(Group::Reasons, &[id], Text::Section(text)));
    let sources = sources().map(|(id, text)| one(Group::Sources, &[id], Text::Source(text)));
    let gates = GATES
        .iter()
        .map(|gate| one(Group::Gates, &[gate.name], Text::Gate(gate)));
    let all = rules
        .chain(words)
        .chain(reasons)
        .chain(sources)
        .chain(gates);
    all.collect()
}

/// The names of topics: rules in columns, each with its slug, everything else in a row.
fn names(topics: &[&Topic]) -> String {
    let (rules, others): (Vec<&Topic>, Vec<&Topic>) =
        topics.iter().partition(|topic| topic.group == Group::Rules);
    let mut text = String::new();
    // Writing to a text does not fail.
    if !rules.is_empty() {
        text.push_str("```columns\n");
        for rule in rules {
            let _ = writeln!(text, "{}", rule.names.join(" "));
        }
        text.push_str("```\n");
    }
    if !others.is_empty() {
        let others: Vec<_> = others.iter().map(|topic| topic.names.join(", ")).collect();
        let _ = writeln!(text, "{}", others.join(", "));
    }
    text
}

/// Topics under a title.
pub(super) fn list<'t>(title: &str, topics: impl IntoIterator<Item = &'t Topic>) -> String {
    let topics: Vec<_> = topics.into_iter().collect();
    format!(
        "# {title}\n\n{}\n`kubectl drain-check explain NAME` prints one of them.\n",
        names(&topics)
    )
}

/// Every topic in its group.
pub(super) fn contents() -> String {
    let topics = topics();
    let keys = Group::ALL.map(Group::key).join(", ");
    let mut text = format!(
        "# What can be explained\n\n`kubectl drain-check explain NAME` prints the page of a name below, or of a Kubernetes version (1.26). \
         The beginning of a name, or of a part of it, lists all names that have it. One list: {keys}.\n"
    );
    // Writing to a text does not fail.
    for group in Group::ALL {
        let _ = write!(text, "\n## {}\n\n", group.title());
        if group == Group::Questions {
            text.push_str("`explain faq` lists them; some words of a question find it: `explain how long preStop sleep`.\n");
        } else {
            let of: Vec<_> = topics.iter().filter(|topic| topic.group == group).collect();
            text.push_str(&names(&of));
        }
    }
    text
}
