//! Input → model → report → renderer. Everything that can go wrong on the way is an `anyhow` error here.

pub mod explain;
pub mod rules;
pub mod versions;

use std::io::{Read, Write};

use anyhow::{Context, bail};

use crate::cli::{Args, Mode, Output};
use crate::facts::kube_proxy::ProxyMode;
use crate::facts::{Gap, GapReason, ObjectName, Resource, Snapshot};
use crate::gates::state::{self, Overrides};
use crate::input::cluster::{self, Connection};
use crate::input::{manifest, objects};
use crate::render;
use crate::report::{self, Assumptions};

fn gates(args: &Args) -> anyhow::Result<Overrides> {
    args.feature_gates
        .iter()
        .map(|setting| {
            let (name, value) = setting.split_once('=').with_context(|| {
                format!("--feature-gates {setting}: write NAME=true or NAME=false")
            })?;
            let value = value.parse().with_context(|| {
                format!("--feature-gates {setting}: the value is true or false")
            })?;
            Ok((name.to_owned(), value))
        })
        .collect()
}

fn assumptions(args: &Args, snapshot: &Snapshot) -> anyhow::Result<Assumptions> {
    let version = args
        .kube_version
        .as_deref()
        .map(str::parse)
        .transpose()
        .context("--kube-version")?;
    let gates = gates(args)?;
    for version in version
        .into_iter()
        .chain(snapshot.nodes.iter().filter_map(|node| node.kubelet))
    {
        state::check(&gates, version).context("--feature-gates")?;
        if args.kube_version.is_some() {
            break;
        }
    }
    Ok(Assumptions {
        version,
        mode: args.proxy_mode.map(|mode| match mode {
            Mode::Iptables => ProxyMode::Iptables,
            Mode::Nftables => ProxyMode::Nftables,
            Mode::Ipvs => ProxyMode::Ipvs,
            Mode::Winkernel => ProxyMode::Winkernel,
        }),
        gates,
        as_of: None,
    })
}

/// The Service names asked for, each of which must exist.
fn targets(args: &Args, snapshot: &Snapshot) -> anyhow::Result<Vec<String>> {
    let in_scope = |name: &ObjectName| {
        args.namespace
            .as_ref()
            .is_none_or(|namespace| *namespace == name.namespace)
    };
    let mut names = Vec::new();
    for target in &args.targets {
        let name = match target.split_once('/') {
            None => target.as_str(),
            Some(("svc" | "service" | "services", name)) => name,
            Some((kind, _)) => {
                bail!("{target}: {kind} is not a kind that can be asked for; write svc/NAME")
            }
        };
        let exists = snapshot
            .services
            .iter()
            .any(|service| service.name.name == name && in_scope(&service.name));
        if !exists {
            let near = snapshot
                .services
                .iter()
                .filter(|service| in_scope(&service.name))
                .map(|service| service.name.name.as_str())
                .filter(|other| strsim::jaro_winkler(other, name) > 0.8)
                .collect::<Vec<_>>()
                .join(", ");
            if near.is_empty() {
                bail!("service {name:?} is not in the input");
            }
            bail!("service {name:?} is not in the input; there is {near}");
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// Where nodes' versions are not in the input, says so.
fn note_gaps(snapshot: &mut Snapshot, args: &Args) {
    let unknown =
        snapshot.nodes.is_empty() || snapshot.nodes.iter().any(|node| node.kubelet.is_none());
    if unknown && args.kube_version.is_none() {
        snapshot.gaps.push(Gap {
            resource: Resource::Nodes,
            verb: "list",
            reason: GapReason::NotInInput,
        });
    }
}

/// Asks the cluster.
fn observe(args: &Args) -> anyhow::Result<Snapshot> {
    let request = cluster::Request {
        namespace: args.namespace.clone(),
        all_namespaces: false,
        targets: args
            .targets
            .iter()
            .map(|target| target.parse())
            .collect::<Result<_, _>>()?,
        selector: None,
    };
    let connection = Connection::from(&args.connection);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    let observed = runtime.block_on(cluster::observe(&connection, &request));
    // A name that is still being looked up would keep a plain drop waiting.
    runtime.shutdown_background();
    Ok(observed?)
}

/// Runs the check: reads files, writes the report to `out` and every other word to `err`.
pub fn run(
    args: &Args,
    width: u16,
    stdin: &mut dyn Read,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> anyhow::Result<()> {
    let live = args.filename.is_empty();
    let loaded = manifest::load(&args.filename, args.recursive, stdin);
    let (mut snapshot, more) = if live {
        (observe(args)?, Vec::new())
    } else {
        objects::snapshot(loaded.objects)
    };
    for problem in loaded.problems.iter().chain(&more) {
        writeln!(err, "error: {problem}\n  help: {}", problem.help)?;
    }
    if snapshot.services.is_empty() {
        if live {
            bail!("there is no Service in the namespace that was asked");
        }
        bail!(
            "the input holds no Service; kubectl get svc,endpointslices,nodes -o yaml prints what is needed"
        );
    }
    let names = targets(args, &snapshot)?;
    let assumptions = assumptions(args, &snapshot)?;
    if !live {
        note_gaps(&mut snapshot, args);
    }
    let files = args
        .filename
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let report = report::report(&snapshot, files, &assumptions, |name| {
        args.namespace
            .as_ref()
            .is_none_or(|namespace| *namespace == name.namespace)
            && (names.is_empty() || names.contains(&name.name))
    });
    match args.output {
        Output::Table => render::table::write(&report, width, out)?,
        Output::Json => render::json::write(&report, out)?,
    }
    if !loaded.problems.is_empty() || !more.is_empty() {
        bail!("part of the input could not be read; the answer above does not count it");
    }
    Ok(())
}
