//! `lint --fix` and `lint --diff`: certain fixes, made in the files themselves.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use super::input::Input;
use super::plan;
use super::plan::{Key, Patches, key};
use super::{Audit, Audited};
use crate::app::{Io, Outcome};
use crate::files::{self, Given, NotReplaced};
use crate::manifest::Identity;
use crate::manifest::edit::file::{Change, rewrite};
use crate::manifest::locate::{Locator, Texts, Written};
use crate::render;
use crate::rules::Finding;
use crate::words::{count, list};

/// The texts with the places of their objects.
struct Files<'t> {
    input: &'t Input,
    /// What may be changed.
    given: &'t Given,
    locator: Locator<'t>,
}

impl Files<'_> {
    /// The new texts of the files that patches change, or why one of them is left alone.
    fn rewritten(&self, patches: &Patches) -> Result<Texts, String> {
        let mut changes: BTreeMap<&str, Vec<Change<'_>>> = BTreeMap::new();
        for (index, patch) in patches {
            let change = self.change(*index, patch)?;
            let file = &self.input.objects[*index].file;
            changes.entry(file).or_default().push(change);
        }
        changes
            .into_iter()
            .map(|(file, changes)| {
                let text = self.input.texts.get(file).map_or("", String::as_str);
                let new = rewrite(file, text, &changes).map_err(|why| why.sentence().to_owned())?;
                Ok((file.to_owned(), new))
            })
            .collect()
    }

    fn change<'p>(
        &'p self,
        index: usize,
        patch: &'p serde_json::Value,
    ) -> Result<Change<'p>, String> {
        let object = &self.input.objects[index];
        if object.file == "-" {
            return Err("standard input cannot be written to; name the file".to_owned());
        }
        let file = Path::new(&object.file);
        files::may_replace(file, self.given).map_err(|why| why.to_string())?;
        if files::is_utf16(file) {
            return Err("the file is UTF-16; convert it to UTF-8 and run this again".to_owned());
        }
        let root = Identity::of(&object.value).and_then(|identity| {
            self.locator.object(Written {
                file: &object.file,
                line: object.line,
                identity: &identity,
            })
        });
        let mut files = self.input.files.iter();
        let file = files.find(|file| file.objects.contains(&index));
        Ok(Change {
            root: root.ok_or("its place in the file was not found")?,
            index: index - file.map_or(0, |file| file.objects.start),
            patch,
        })
    }
}

/// So many findings that stay for one reason are named.
const MOST_NAMED: usize = 5;

/// `DC201 of Deployment web (web.yaml:12)`.
fn named(finding: &Finding) -> String {
    let object = &finding.object;
    let (kind, name) = (render::safe(&object.kind), render::safe(&object.name.name));
    let place = finding.location.as_ref().map_or_else(String::new, |at| {
        format!(" ({}:{})", render::safe(&at.file), at.line)
    });
    format!("{} of {kind} {name}{place}", finding.rule.id)
}

/// Prints which findings stay although they have a patch, and how many have none. What stays for one reason is told once.
pub(super) fn print_left(
    left: &BTreeMap<Key, String>,
    findings: &[Finding],
    err: &mut dyn Write,
) -> std::io::Result<()> {
    let mut stay: Vec<(&str, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let Some(why) = left.get(&key(finding)) else {
            continue;
        };
        match stay.iter_mut().find(|(known, _)| known == why) {
            Some((_, all)) => all.push(finding),
            None => stay.push((why, vec![finding])),
        }
    }
    for (why, all) in stay {
        let shown: Vec<_> = all.iter().take(MOST_NAMED).copied().map(named).collect();
        let names = match all.len() - shown.len() {
            0 => list(shown),
            more => format!("{} and {more} more", shown.join(", ")),
        };
        let are = if all.len() == 1 { "is" } else { "are" };
        writeln!(err, "note: {names} {are} left alone: {}", render::safe(why))?;
    }
    let without = findings.iter().filter(|each| each.patch.is_none());
    let rules: Vec<_> = without.map(|finding| finding.rule.id).collect();
    if !rules.is_empty() {
        let how_many = count(rules.len(), "finding");
        let rules = list(rules.into_iter().collect::<BTreeSet<_>>());
        writeln!(err, "note: {how_many} ({rules}) without an automatic fix")?;
    }
    Ok(())
}

/// What became of the files.
pub(super) struct Fixed {
    /// Whether `--diff` had something to show; nothing for `--fix`.
    pub(super) shown: Option<Outcome>,
    /// Which files could not be written, and why.
    pub(super) unwritten: Option<anyhow::Error>,
}

/// Which files keep their text, and what that means for the others; nothing where all were written.
fn unwritten(failed: &[(String, NotReplaced)], written: usize) -> Option<anyhow::Error> {
    let (last, before) = failed.split_last()?;
    let mut text = String::new();
    for (file, why) in before {
        let _ = write!(text, "cannot write {}: {why}; ", render::safe(file));
    }
    let (file, why) = last;
    let others = match written {
        0 => "no file is changed".to_owned(),
        1 => "the other file is written".to_owned(),
        more => format!("the other {more} files are written"),
    };
    Some(anyhow::anyhow!(
        "{text}cannot write {}: {why}; {others}",
        render::safe(file)
    ))
}

/// Makes the certain fixes and judges the files again; or, for `--diff`, only shows the changes, which is an outcome.
pub(super) fn run(
    audit: &Audit<'_>,
    input: &mut Input,
    audited: &mut Audited,
    io: &mut Io<'_>,
) -> anyhow::Result<Fixed> {
    let diff = audit.args.diff;
    let given = &audit.changeable;
    let files = Files {
        input,
        given,
        locator: Locator::new(&input.texts),
    };
    let veto = |patches: &Patches| files.rewritten(patches).map(drop);
    let plan = plan::plan(audit, input, audited, false, &veto);
    let mut changed = files.rewritten(&plan.patches).map_err(anyhow::Error::msg)?;
    let mut marked = false;
    let mut failed = Vec::new();
    for (file, new) in &changed {
        let old = input.texts.get(file).map_or("", String::as_str);
        if diff {
            marked |= render::diff::write(file, old, new, io.out)?;
        } else {
            match files::replace(Path::new(file), given, old, new) {
                Ok(lost) if lost.is_empty() => {}
                Ok(lost) => {
                    let lost = render::safe(&list(lost));
                    let file = render::safe(file);
                    writeln!(io.err, "note: {file} could not keep {lost}")?;
                }
                // Each file stands for itself: the others get what they need.
                Err(why) => failed.push((file.clone(), why)),
            }
        }
    }
    for (file, _) in &failed {
        changed.remove(file);
    }
    if marked {
        writeln!(
            io.err,
            "note: control characters are shown as \u{fffd}, so this diff cannot be applied; --fix keeps them"
        )?;
    }
    let how_many = changed.len();
    *input = input.with(changed)?;
    let left = audit.audited(input)?;
    let before = std::mem::replace(audited, left).decided;
    let findings = &audited.decided.findings;
    print_left(&plan.left, findings, io.err)?;
    let now: BTreeSet<Key> = findings.iter().map(key).collect();
    let gone = before.findings.iter();
    let gone = gone.filter(|each| !now.contains(&key(each))).count();
    writeln!(
        io.err,
        "{} {} in {}; {} left",
        if diff { "would fix" } else { "fixed" },
        count(gone, "finding"),
        count(how_many, "file"),
        findings.len(),
    )?;
    let shown = if how_many > 0 {
        Outcome::Findings
    } else {
        Outcome::Clean
    };
    Ok(Fixed {
        shown: diff.then_some(shown),
        unwritten: unwritten(&failed, how_many),
    })
}
