//! The answer for people: what happens, to which endpoints, on which path, and what other versions do.

use std::io::{self, Write};

use comfy_table::{ContentArrangement, Table, presets};

use super::text::safe;
use crate::report::v1::{Endpoint, Outcome, Report, Service, State, VersionRange};

/// How many endpoints a table shows before it folds the rest.
const SHOWN_ENDPOINTS: usize = 20;

fn table(header: &[&str], width: u16) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(width)
        .set_header(header.to_vec());
    table
}

fn draw(table: &Table, out: &mut dyn Write) -> io::Result<()> {
    for line in table.lines() {
        // Columns are padded on both sides; the left margin and trailing blanks are noise.
        writeln!(
            out,
            "{}",
            line.strip_prefix(' ').unwrap_or(&line).trim_end()
        )?;
    }
    Ok(())
}

fn headline(state: State) -> &'static str {
    match state {
        State::Healthy => "TRAFFIC GOES TO READY PODS",
        State::Degraded => "SOME NODES OR PATHS DIFFER",
        State::TerminatingOnly => "TRAFFIC GOES TO TERMINATING PODS",
        State::NoBackends => "NOTHING RECEIVES TRAFFIC",
        State::NotProxied => "NOT ROUTED BY KUBE-PROXY",
    }
}

fn yes_no(value: Option<bool>) -> &'static str {
    match value {
        Some(true) => "true",
        Some(false) => "false",
        None => "-",
    }
}

/// On how many of the paths and nodes an endpoint gets new connections.
fn receives(service: &Service, endpoint: &Endpoint) -> &'static str {
    let prefixes = [
        format!("{}:", endpoint.address),
        format!("[{}]:", endpoint.address),
    ];
    let mut outcomes = service
        .ports
        .iter()
        .flat_map(|port| &port.paths)
        .flat_map(|path| &path.outcomes)
        .peekable();
    if outcomes.peek().is_none() {
        return "-";
    }
    let gets = |outcome: &Outcome| {
        outcome
            .backends
            .iter()
            .any(|backend| prefixes.iter().any(|prefix| backend.starts_with(prefix)))
    };
    let (mut some, mut all) = (false, true);
    for outcome in outcomes {
        let here = gets(outcome);
        some |= here;
        all &= here;
    }
    match (some, all) {
        (true, true) => "yes",
        (true, false) => "on some paths",
        (false, _) => "no",
    }
}

fn endpoints(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = table(
        &[
            "POD",
            "NODE",
            "STATUS",
            "READY",
            "SERVING",
            "TERMINATING",
            "NEW CONNECTIONS",
        ],
        width,
    );
    for endpoint in service.endpoints.iter().take(SHOWN_ENDPOINTS) {
        rows.add_row([
            safe(endpoint.pod.as_deref().unwrap_or(&endpoint.address)),
            safe(endpoint.node.as_deref().unwrap_or("-")),
            safe(endpoint.pod_status.as_deref().unwrap_or("-")),
            yes_no(endpoint.conditions.ready).to_owned(),
            yes_no(endpoint.conditions.serving).to_owned(),
            yes_no(endpoint.conditions.terminating).to_owned(),
            receives(service, endpoint).to_owned(),
        ]);
    }
    draw(&rows, out)?;
    let hidden = service.endpoints.len().saturating_sub(SHOWN_ENDPOINTS);
    if hidden > 0 {
        writeln!(out, "... and {hidden} more; -o json lists every one")?;
    }
    Ok(())
}

fn goes_to(outcome: &Outcome) -> String {
    match outcome.verdict {
        "forward" => {
            let kind = outcome.using.unwrap_or("ready");
            let hinted = outcome
                .topology
                .map(|topology| format!(", hinted to this {topology}"));
            let noun = if outcome.backends.len() == 1 {
                "endpoint"
            } else {
                "endpoints"
            };
            format!(
                "{} {kind} {noun}{}",
                outcome.backends.len(),
                hinted.unwrap_or_default()
            )
        }
        "reject" => "refused".to_owned(),
        _ => "dropped: clients time out".to_owned(),
    }
}

fn nodes(names: &[String], all: usize) -> String {
    match names {
        [name] if name.is_empty() => "any".to_owned(),
        names if names.len() == all && all > 1 => format!("all {all}"),
        [one] => safe(one),
        [one, two] => format!("{}, {}", safe(one), safe(two)),
        [one, two, three] => format!("{}, {}, {}", safe(one), safe(two), safe(three)),
        [one, two, rest @ ..] => format!("{}, {} and {} more", safe(one), safe(two), rest.len()),
        [] => "-".to_owned(),
    }
}

fn paths(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = table(&["PORT", "PATH", "FROM", "POLICY", "NODES", "GO TO"], width);
    for port in &service.ports {
        for path in &port.paths {
            let all = path
                .outcomes
                .iter()
                .map(|outcome| outcome.nodes.len())
                .sum();
            for outcome in &path.outcomes {
                rows.add_row([
                    format!("{}/{}", port.port, port.protocol),
                    path.path.to_owned(),
                    path.from.to_owned(),
                    path.policy.to_owned(),
                    nodes(&outcome.nodes, all),
                    goes_to(outcome),
                ]);
            }
        }
    }
    draw(&rows, out)
}

fn by_version(ranges: &[VersionRange], width: u16, out: &mut dyn Write) -> io::Result<()> {
    let mut rows = table(&["BY VERSION", ""], width);
    for range in ranges {
        let to = range.to.as_deref().unwrap_or("");
        let label = if range.to.as_deref() == Some(range.from.as_str()) {
            range.from.clone()
        } else {
            format!("{} - {to}", range.from)
        };
        rows.add_row([label, range.summary.clone()]);
    }
    draw(&rows, out)
}

fn service(service: &Service, width: u16, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "svc/{} in {}    {}    internal traffic: {}    external traffic: {}",
        safe(&service.name),
        safe(&service.namespace),
        service.kind,
        service.internal_traffic_policy,
        service.external_traffic_policy.unwrap_or("-"),
    )?;
    writeln!(
        out,
        "\n{}\n  {}\n",
        headline(service.state),
        service.summary
    )?;
    endpoints(service, width, out)?;
    if service.state != State::NotProxied {
        writeln!(out)?;
        paths(service, width, out)?;
        if let Some(health) = &service.health_check_node_port {
            writeln!(out, "\nHEALTH CHECK NODE PORT {}", health.port)?;
            let all = health
                .outcomes
                .iter()
                .map(|outcome| outcome.nodes.len())
                .sum();
            for outcome in &health.outcomes {
                let noun = if outcome.local_endpoints == 1 {
                    "ready endpoint"
                } else {
                    "ready endpoints"
                };
                writeln!(
                    out,
                    "{}: {} ({} {noun} there)",
                    nodes(&outcome.nodes, all),
                    outcome.status,
                    outcome.local_endpoints
                )?;
            }
        }
        writeln!(out)?;
        by_version(&service.by_version, width, out)?;
    }
    Ok(())
}

/// Writes the report for a terminal of this many columns.
pub fn write(report: &Report, width: u16, out: &mut dyn Write) -> io::Result<()> {
    for (index, each) in report.services.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        service(each, width, out)?;
    }
    for gap in &report.gaps {
        writeln!(out, "\nnot known: {}", safe(gap.consequence))?;
    }
    Ok(())
}
