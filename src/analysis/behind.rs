//! Which workloads are behind each Service?

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::workload::WorkloadAnalysis;
use crate::facts::ObjectName;
use crate::facts::service::Service;

/// Workloads in order, shared by all Services that they are behind.
pub type Workloads<'a> = Rc<[Rc<WorkloadAnalysis<'a>>]>;

/// The workloads behind each Service.
#[derive(Debug, Default)]
pub struct ByService<'a> {
    workloads: BTreeMap<&'a ObjectName, Workloads<'a>>,
}

impl<'a> ByService<'a> {
    /// Sorts workloads by the Services that they are behind; their order stays.
    #[must_use]
    pub fn new(workloads: &[Rc<WorkloadAnalysis<'a>>]) -> Self {
        // Who is behind the same Services has the same list of them.
        let mut lists: BTreeMap<*const [&Service], Vec<usize>> = BTreeMap::new();
        for (index, workload) in workloads.iter().enumerate() {
            let of = lists.entry(Rc::as_ptr(&workload.services)).or_default();
            of.push(index);
        }
        let mut behind: BTreeMap<&'a ObjectName, Vec<_>> = BTreeMap::new();
        for (address, indexes) in &lists {
            let first = indexes.first().and_then(|index| workloads.get(*index));
            for service in first.iter().flat_map(|first| first.services.iter()) {
                behind.entry(&service.name).or_default().push(*address);
            }
        }
        let mut known: BTreeMap<Vec<_>, Workloads<'a>> = BTreeMap::new();
        let workloads = behind.into_iter().map(|(service, addresses)| {
            let list = known.entry(addresses).or_insert_with_key(|addresses| {
                let indexes = addresses.iter().filter_map(|address| lists.get(address));
                let indexes: BTreeSet<usize> = indexes.flatten().copied().collect();
                let found = indexes.into_iter().filter_map(|index| workloads.get(index));
                found.map(Rc::clone).collect()
            });
            (service, Rc::clone(list))
        });
        Self {
            workloads: workloads.collect(),
        }
    }

    /// The workloads behind a Service; none where no list holds it.
    #[must_use]
    pub fn of(&self, service: &ObjectName) -> Workloads<'a> {
        self.workloads
            .get(service)
            .map(Rc::clone)
            .unwrap_or_default()
    }
}
