//! Where and for whom is asked?

use super::request::Request;
use crate::client::api::Api;
use crate::client::connection::Connection;
use crate::facts::target::TargetKind;

/// Where and for whom is asked.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) api: &'a Api,
    pub(crate) connection: &'a Connection,
    pub(crate) request: &'a Request,
    /// `None` is all namespaces.
    pub(crate) namespace: Option<&'a str>,
}

impl Scope<'_> {
    /// Are only Services named?
    pub(crate) fn only_services(&self) -> bool {
        let targets = &self.request.targets;
        !targets.is_empty()
            && targets
                .iter()
                .all(|target| target.kind == TargetKind::Service)
    }
}
