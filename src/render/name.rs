//! `-o name`: `service/web`, one a line and the worst first, for other programs.

use std::io::{self, Write};

use super::order::{by_service, worst_first};
use super::text::safe;
use crate::report::v1::{Report, Service, State};

/// What is kept of a Service for its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    namespace: String,
    name: String,
    state: State,
}

impl From<&Service> for Named {
    fn from(service: &Service) -> Self {
        Self {
            namespace: service.namespace.clone(),
            name: service.name.clone(),
            state: service.state,
        }
    }
}

/// Writes the lines. As with kubectl's `-o name` they name no namespace, with `-A` neither (cli-runtime, `printers/name.go`).
pub fn write(services: &[Named], report: &Report, out: &mut dyn Write) -> io::Result<()> {
    let findings = by_service(report);
    let mut services: Vec<_> = services.iter().collect();
    services.sort_by_key(|service| {
        let name = (service.namespace.as_str(), service.name.as_str());
        let of = findings.get(&name).map_or(&[][..], Vec::as_slice);
        worst_first(of, service.state, name)
    });
    for service in services {
        writeln!(out, "service/{}", safe(&service.name))?;
    }
    Ok(())
}
