//! `lint --patches DIR`: fixes of the findings, as patches for kustomize.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow};

use super::input::Input;
use super::{Audit, Audited, fix, plan};
use crate::app::Io;
use crate::files;
use crate::manifest::edit::kustomize;
use crate::manifest::edit::kustomize::{HEADER, ObjectPatch};
use crate::words::count;

/// Refuses to overwrite a file that it did not write.
fn is_free(path: &Path) -> anyhow::Result<()> {
    files::is_free(path, HEADER).map_err(|what| {
        anyhow!(
            "{} {what}; move it away, or name another directory",
            path.display()
        )
    })
}

/// Writes one patch for each object whose findings have some.
pub(super) fn run(
    audit: &Audit<'_>,
    input: &Input,
    audited: &Audited,
    folder: &Path,
    io: &mut Io<'_>,
) -> anyhow::Result<()> {
    let plan = plan::plan(audit, input, audited, true, &|_| Ok(()));
    fix::print_left(&plan.left, &plan.findings, io.err)?;
    let patches: Vec<_> = plan
        .patches
        .into_iter()
        .map(|(index, patch)| {
            let of_it = plan.fixed.iter().filter(|(object, _)| *object == index);
            let rules: BTreeSet<_> = of_it.map(|(_, finding)| finding.rule.id).collect();
            let object = &input.objects[index].value;
            ObjectPatch {
                object,
                patch,
                rules,
            }
        })
        .collect();
    if patches.is_empty() {
        writeln!(io.err, "No finding has a patch; nothing was written.")?;
        return Ok(());
    }
    let written = kustomize::files(&patches)?;
    let failed = || format!("--patches {}", folder.display());
    fs::create_dir_all(folder).with_context(failed)?;
    for file in &written {
        is_free(&folder.join(&file.name))?;
    }
    for file in &written {
        files::write(&folder.join(&file.name), file.text.as_bytes()).with_context(failed)?;
    }
    let folder = folder.display();
    writeln!(
        io.err,
        "wrote {} to {folder}; list that directory in your kustomization, as a path relative to it: `components: [...]`",
        count(patches.len(), "patch file"),
    )?;
    Ok(())
}
