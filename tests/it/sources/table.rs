//! The table of all traffic sources in `docs/sources.md`. `UPDATE_DOCS=1 cargo test sources` writes it anew.

use std::path::Path;

use drain_check::sources::catalogue::{Confidence, TrafficSource};
use drain_check::sources::figures::{Drain, DrainFrom, Stop};
use drain_check::sources::rule::{ClassTest, DetectionRule, FieldTest, RuleCondition};
use drain_check::sources::{Amount, catalogue};

const BEGIN: &str = "<!-- sources: this table is generated -->\n";
const END: &str = "<!-- /sources -->";

/// How many pieces of evidence a cell names.
const SHOWN: usize = 2;

/// What a condition asks for; `None` for what only narrows the others down.
fn condition(one: &RuleCondition) -> Option<String> {
    let kind = &one.kind;
    if one.none || one.guess {
        return None;
    }
    match (&one.class, &one.field) {
        (Some(ClassTest::Controller(name) | ClassTest::GatewayController(name)), _) => {
            Some(format!("{kind} of `{name}`"))
        }
        (Some(ClassTest::Names(names)), _) => {
            let names = names.iter().filter(|name| !name.is_empty());
            let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
            Some(format!("{kind} of class {}", names.join(" or ")))
        }
        (Some(ClassTest::UnknownName(name)), _) => Some(format!("{kind} of class `{name}`")),
        (Some(ClassTest::GatewayPrefix(name)), _) => Some(format!("{kind} of a class `{name}...`")),
        (None, Some((_, FieldTest::Absent | FieldTest::NotContains(_)))) => {
            one.name.as_ref().map(|name| format!("{kind} `{name}`"))
        }
        (None, Some((field, test))) => {
            let field = field.to_string();
            let key = |begin: &str| Some(field.strip_prefix(begin)?.strip_suffix(']')?.to_owned());
            let field = key("metadata.annotations[")
                .or_else(|| key("metadata.labels["))
                .unwrap_or(field);
            if ["spec.type", "spec.externalTrafficPolicy"].contains(&field.as_str()) {
                return None;
            }
            let value = match test {
                FieldTest::Prefix(begin) => format!(" `{begin}...`"),
                FieldTest::Contains(part) => format!(" with `{part}`"),
                FieldTest::In(all) if !all.iter().any(|one| one.starts_with('$')) => {
                    format!(" `{}`", all.join("` or `"))
                }
                _ => String::new(),
            };
            Some(format!("{kind} `{field}`{value}"))
        }
        (None, None) => one
            .name
            .as_ref()
            .map(|name| format!("{kind} `{name}`"))
            .or_else(|| Some(kind.clone())),
    }
}

fn evidence(source: &TrafficSource) -> String {
    if catalogue().is_unidentified(&source.id) {
        return "what nothing else accounts for".to_owned();
    }
    let detect = &source.detect;
    let rules = if detect.service.is_empty() {
        &detect.cluster
    } else {
        &detect.service
    };
    let mut found: Vec<String> = Vec::new();
    for rule in rules {
        let rule: &DetectionRule = rule;
        let parts: Vec<_> = rule.conditions().filter_map(condition).collect();
        let text = parts.join(" and ");
        if !text.is_empty() && !found.contains(&text) {
            found.push(text);
        }
    }
    let more = found.len().saturating_sub(SHOWN);
    found.truncate(SHOWN);
    match (found.is_empty(), more) {
        (true, _) => "`--source` only".to_owned(),
        (false, 0) => found.join("; "),
        (false, more) => format!("{}; {more} more", found.join("; ")),
    }
}

fn amount(amount: Option<Amount>, formula: Option<String>) -> String {
    match (amount, formula) {
        (Some(Amount::Seconds(_)), _) => amount.map(|one| one.to_string()).unwrap_or_default(),
        (Some(Amount::UntilPodIsGone), _) => "until the pod is gone".to_owned(),
        (Some(Amount::Unlimited), _) => "no limit".to_owned(),
        (None, Some(_)) => "as the data plane".to_owned(),
        _ => "not known".to_owned(),
    }
}

fn stop(stop: &Stop) -> String {
    amount(stop.default, stop.formula.as_ref().map(ToString::to_string))
}

fn drain(drain: &Drain) -> String {
    match drain.from {
        DrainFrom::PodEnd | DrainFrom::NodeRemoval => "until the pod is gone".to_owned(),
        DrainFrom::Delete => amount(drain.default, None),
        DrainFrom::Stop => match drain.default {
            Some(Amount::Seconds(seconds)) if seconds > 0.0 => format!("{seconds} s more"),
            Some(Amount::Seconds(_)) => "cut off".to_owned(),
            other => amount(other, None),
        },
    }
}

fn row(source: &TrafficSource) -> String {
    let (new, old) = if source.class.sends() {
        (stop(&source.stop), drain(&source.drain))
    } else {
        ("sends nothing".to_owned(), "-".to_owned())
    };
    let sure = match source.confidence {
        Confidence::C | Confidence::D => "sure",
        Confidence::M | Confidence::A | Confidence::Unverified => "assumed",
    };
    let id = &source.id;
    format!(
        "| [{id}](#{id}) | {} | {new} | {old} | {sure}: {} |\n",
        evidence(source).replace('|', "\\|"),
        source.confidence.words()
    )
}

#[test]
fn the_table_of_all_sources_is_the_catalogues() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/sources.md");
    let page = std::fs::read_to_string(&path).expect("docs/sources.md");
    let (before, rest) = page.split_once(BEGIN).expect("the table's begin");
    let (found, after) = rest.split_once(END).expect("the table's end");
    let all = catalogue().sources.iter().chain(&catalogue().unidentified);
    let rows: String = all.map(row).collect();
    let wanted = format!(
        "\n| source | evidence | last new connection | in-flight | sure or assumed |\n|---|---|---|---|---|\n{rows}\n"
    );
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{wanted}{END}{after}")).expect("written");
        return;
    }
    assert_eq!(found, wanted, "UPDATE_DOCS=1 cargo test sources");
}
