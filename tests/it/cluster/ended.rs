//! The program in this process against the fake API server: fast enough to be run a thousand times.

use clap::Parser;
use drain_check::app::{self, Io, Outcome};
use drain_check::cli::Cli;
use drain_check::client::ClusterError;
use serde_json::Value;

use super::harness::Setup;
use crate::recording;

/// How a run ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// As the program would exit.
    pub(crate) code: u8,
    /// The report, if there is one.
    pub(crate) report: Option<Value>,
    /// The error with its help.
    pub(crate) said: String,
}

impl Ended {
    /// Asks with `-o json`.
    pub(crate) fn of(setup: &Setup, arguments: &[&str]) -> Self {
        let file = setup.kubeconfig.to_str().expect("UTF-8");
        let all = ["kubectl-drain_check", "-o", "json", "--kubeconfig", file];
        let cli = Cli::try_parse_from(all.iter().chain(arguments)).expect("flags");
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let end = app::run(
            &cli,
            Io {
                width: 80,
                ascii: false,
                stdin: &mut &b""[..],
                out: &mut out,
                err: &mut err,
                terminal: false,
                screen: None,
            },
        );
        let report = (!out.is_empty()).then(|| {
            let report = serde_json::from_slice(&out).expect("one JSON document");
            recording::validate(&report);
            report
        });
        let mut said = String::from_utf8(err).expect("UTF-8");
        let code = match end {
            Ok(Outcome::Clean) => 0,
            Ok(Outcome::Findings) => 1,
            Err(error) => {
                let help = error.downcast_ref::<ClusterError>().map(ClusterError::help);
                said = [said, format!("{error:#}"), help.unwrap_or_default()].join("\n");
                2
            }
        };
        Self { code, report, said }
    }

    /// The report.
    pub(crate) fn report(&self) -> &Value {
        self.report
            .as_ref()
            .unwrap_or_else(|| panic!("{}", self.said))
    }

    fn items(&self, key: &str) -> impl Iterator<Item = &Value> {
        let report = self.report.iter();
        report.flat_map(move |report| report[key].as_array().into_iter().flatten())
    }

    /// The gaps of the report.
    pub(crate) fn gaps(&self) -> Vec<&Value> {
        self.items("gaps").collect()
    }

    /// Which rule speaks about what.
    pub(crate) fn findings(&self) -> Vec<(String, String)> {
        let findings = self.items("findings");
        let mut all: Vec<_> = findings
            .map(|one| (one["rule"].to_string(), one["object"].to_string()))
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// The Services with their states.
    pub(crate) fn states(&self) -> Vec<(String, &str)> {
        let services = self.items("services");
        services
            .map(|one| {
                let name = format!("{}/{}", one["namespace"], one["name"]);
                (name, one["state"].as_str().expect("a state"))
            })
            .collect()
    }

    /// Nothing here is better than there, where more was read; the error says why.
    pub(crate) fn is_no_better_than(&self, whole: &Self) -> Result<(), String> {
        if self.code < whole.code {
            return Err(format!("exit {} instead of {}", self.code, whole.code));
        }
        let there = whole.states();
        for (name, state) in self.states() {
            let truth = there.iter().find(|(known, _)| *known == name);
            let Some((_, truth)) = truth else {
                return Err(format!("{name} is not there"));
            };
            if state != *truth && state != "unknown" {
                return Err(format!("{name}: {state} instead of {truth}"));
            }
        }
        let left_out = self.report.is_some() && self.states().len() != there.len();
        if left_out && self.code != 2 {
            return Err("Services are left out".to_owned());
        }
        let known = whole.findings();
        let invented = self.findings().into_iter().find(|one| !known.contains(one));
        invented.map_or(Ok(()), |one| Err(format!("invented: {one:?}")))
    }
}
