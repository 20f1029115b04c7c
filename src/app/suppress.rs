//! Flags, `.drain-check.yaml` and annotations → what decides about findings.

use std::time::SystemTime;

use anyhow::{Context, anyhow};
use chrono::{DateTime, NaiveDate, Utc};

use crate::cli::RuleArgs;
use crate::rules::Location;
use crate::settings;
use crate::settings::{Ignore, Settings};
use crate::suppress::choice::{Choice, Level, RuleRequest};
use crate::suppress::flaw::Flaw;
use crate::suppress::names::Named;
use crate::suppress::{Filter, Origin, Suppression, config};

fn named(text: &str, from: &str) -> anyhow::Result<Named> {
    text.parse().with_context(|| format!("{from} {text}"))
}

fn level((rule, level): (&str, &str), from: &str) -> anyhow::Result<(Named, Level)> {
    let said = level
        .parse()
        .map_err(|error: String| anyhow!("{from} {rule}: {error}"))?;
    Ok((named(rule, from)?, said))
}

/// Which rules are wanted.
pub(super) fn choice(flags: &RuleArgs, settings: &Settings) -> anyhow::Result<Choice> {
    let all = |names: &[String], from: &str| {
        let names = names.iter().map(|name| named(name, from));
        names.collect::<anyhow::Result<Vec<_>>>()
    };
    let severities = flags.severity.iter().map(|text| {
        let parts = text.split_once('=');
        let form = || format!("--severity {text}: write RULE=SEVERITY, as DC201=info");
        level(parts.with_context(form)?, "--severity")
    });
    let flags = RuleRequest {
        select: all(&flags.select, "--select")?,
        ignore: all(&flags.ignore, "--ignore")?,
        severities: severities.collect::<anyhow::Result<_>>()?,
    };
    let name = |part: &str| {
        let file = settings.file.as_ref();
        let file = file.map_or_else(String::new, |file| file.display().to_string());
        format!("{file}: {part}:")
    };
    let from = name("severities");
    let severities = settings.severities.iter();
    let file = RuleRequest {
        select: all(&settings.select, &name("select"))?,
        ignore: Vec::new(),
        severities: severities
            .map(|(rule, said)| level((rule, said), &from))
            .collect::<anyhow::Result<_>>()?,
    };
    Ok(Choice::new(flags, file)?)
}

fn entry(ignore: &Ignore) -> config::Entry {
    let Ignore {
        rule,
        reason,
        owner,
        paths,
        objects,
        until,
        place: _,
    } = ignore.clone();
    config::Entry {
        rule,
        reason,
        owner,
        paths,
        objects,
        until,
    }
}

/// The day by which expiry dates are judged: today, or that of a moment or day that was given.
#[allow(clippy::disallowed_methods, reason = "today, unless a day is given")]
pub(super) fn day(as_of: Option<&str>) -> anyhow::Result<NaiveDate> {
    let Some(text) = as_of else {
        return Ok(DateTime::<Utc>::from(SystemTime::now()).date_naive());
    };
    let moment = DateTime::parse_from_rfc3339(text).map(|moment| moment.to_utc().date_naive());
    moment
        .or_else(|_| text.parse())
        .with_context(|| format!("--as-of {text}: write a day as 2026-11-21"))
}

/// What the flags and `.drain-check.yaml` decide, on this day.
pub(super) fn filter(
    flags: &RuleArgs,
    settings: &Settings,
    today: NaiveDate,
) -> anyhow::Result<Filter> {
    let mut filter = Filter {
        choice: choice(flags, settings)?,
        ..Filter::default()
    };
    let file = settings.file.as_ref();
    let file = file.map_or_else(
        || settings::FILE.to_owned(),
        |file| file.display().to_string(),
    );
    for ignore in &settings.ignore {
        let number = |number: u32| number as usize;
        let (start, end) = ignore.place;
        let origin = Origin::in_file(Location {
            file: file.clone(),
            line: number(start.0),
            column: number(start.1),
            end_line: number(end.0),
            end_column: number(end.1),
        });
        let entry = entry(ignore);
        if let Some(wrong) = config::wrong_glob(&entry) {
            return Err(anyhow!("{file}:{}: ignore: {wrong}", start.0));
        }
        add(&mut filter, config::read(&entry, today, &origin));
    }
    Ok(filter)
}

/// Adds what was read in one place.
pub(super) fn add(filter: &mut Filter, (suppressions, flaws): (Vec<Suppression>, Vec<Flaw>)) {
    filter.suppressions.extend(suppressions);
    filter.flaws.extend(flaws);
}
