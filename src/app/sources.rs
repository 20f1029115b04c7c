//! `kubectl drain-check sources`: which traffic sources are recognised here, by what, and which could be?

use anyhow::bail;

use super::targets::Input;
use super::{Io, assume, check, failures};
use crate::analysis::{Cluster, cluster, workload};
use crate::cli::{CheckArgs, SourcesArgs, SourcesOutput, ViewArgs};
use crate::facts::service::Service;
use crate::render;
use crate::report::recognised;
use crate::report::v1;
use crate::settings;
use crate::sources::{PodTiming, budget, catalogue};

/// What was recognised for some Services.
fn recognise(cluster: &Cluster<'_>, services: &[&Service]) -> v1::Recognised {
    let workloads = workload::workloads(services, cluster);
    let rows = services.iter().map(|service| {
        let mut behind = workloads.iter();
        let known = behind.find_map(|each| each.budget_for(&service.name));
        let without;
        let budget = if let Some(known) = known {
            known
        } else {
            without = budget(&cluster.sources(service), PodTiming::default());
            &without
        };
        recognised::service(service, budget)
    });
    recognised::recognised(cluster, rows.collect())
}

/// Shows what was recognised in a cluster or in files, or with `--known` what can be.
pub(super) fn run(args: &SourcesArgs, io: &mut Io<'_>) -> anyhow::Result<()> {
    if args.known {
        let known = recognised::known(catalogue());
        match args.output {
            SourcesOutput::Json => render::json::value(&known, io.out)?,
            SourcesOutput::Yaml => render::yaml::value(&known, io.out)?,
            SourcesOutput::Table => render::sources::known(&known, io.width, io.out)?,
        }
        return Ok(());
    }
    let asked = CheckArgs {
        node_rules: Vec::new(),
        targets: args.targets.clone(),
        namespace: args.namespace.clone(),
        all_namespaces: args.all_namespaces,
        selector: args.selector.clone(),
        filename: args.filename.clone(),
        recursive: args.recursive,
        view: ViewArgs {
            source: args.source.clone(),
            ..ViewArgs::default()
        },
        connection: args.connection.clone(),
    };
    let Input {
        snapshot,
        wanted,
        mut failed,
        partial,
    } = match check::input(&asked, false, io)? {
        Ok(input) => input,
        Err(failed) => {
            failures::end(None, failed, io)?;
            return Ok(());
        }
    };
    let chosen = wanted.services(&snapshot);
    failed.extend(chosen.failed);
    let assumptions = assume::assumptions(&asked.view, &settings::here()?)?;
    let nodes = cluster::nodes(&snapshot, &assumptions);
    let cluster = Cluster::new(&snapshot, &nodes, &assumptions).knowing_sources(&chosen.services);
    if !chosen.services.is_empty() || failed.is_empty() {
        let report = recognise(&cluster, &chosen.services);
        match args.output {
            SourcesOutput::Json => render::json::value(&report, io.out)?,
            SourcesOutput::Yaml => render::yaml::value(&report, io.out)?,
            SourcesOutput::Table => render::sources::recognised(&report, io.width, io.out)?,
        }
    }
    failures::end(None, failed, io)?;
    if partial {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(())
}
