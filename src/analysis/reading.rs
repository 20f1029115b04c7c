//! What do kube-proxies read of one Service's endpoints? Versions that read alike are asked once for all.

use std::cell::RefCell;
use std::rc::Rc;

use crate::facts::kube_proxy::ProxyMode;
use crate::facts::service::{Family, Service, ServicePort};
use crate::facts::slice::EndpointSlice;
use crate::facts::version::KubeVersion;
use crate::gates::behaviour::{Behaviour, NEWEST_MINOR};
use crate::gates::state::Overrides;
use crate::proxy::classes;
use crate::proxy::classes::Special;
use crate::proxy::ingest;
use crate::proxy::ingest::{Claims, Reading};

/// A port, by its place in the Service, and a family of addresses.
type Place = (usize, Family);

/// What was read of a port in some way.
type Known<'q> = (Place, Reading, Rc<[Claims<'q>]>);

/// One Service's endpoints as kube-proxies read them.
#[derive(Debug)]
pub struct Read<'q> {
    service: &'q Service,
    slices: &'q [&'q EndpointSlice],
    from_endpoints: Vec<&'q EndpointSlice>,
    newest: Behaviour,
    claims: RefCell<Vec<Known<'q>>>,
    special: RefCell<Vec<(Place, Rc<Special<'q>>)>>,
}

impl<'q> Read<'q> {
    /// A Service, its slices, and its Endpoints object as slices, for kube-proxies that read that.
    #[must_use]
    pub fn new(
        service: &'q Service,
        slices: &'q [&'q EndpointSlice],
        from_endpoints: &'q [EndpointSlice],
    ) -> Self {
        let newest = KubeVersion::minor(NEWEST_MINOR);
        Self {
            service,
            slices,
            from_endpoints: from_endpoints.iter().collect(),
            newest: Behaviour::new(newest, ProxyMode::Iptables, &Overrides::new()),
            claims: RefCell::default(),
            special: RefCell::default(),
        }
    }

    /// The endpoints of a port for a family, as a kube-proxy that does this reads them.
    #[must_use]
    pub fn claims(
        &self,
        (at, port): (usize, &ServicePort),
        family: Family,
        behaviour: &Behaviour,
    ) -> Rc<[Claims<'q>]> {
        let (place, reading) = ((at, family), Reading::from(behaviour));
        let mut known = self.claims.borrow_mut();
        let same = known
            .iter()
            .find(|known| known.0 == place && known.1 == reading);
        if let Some((.., claims)) = same {
            return Rc::clone(claims);
        }
        let slices = if reading.endpoints_object {
            self.from_endpoints.as_slice()
        } else {
            self.slices
        };
        let claims = ingest::candidates(self.service, port, family, slices, reading);
        // Mostly they read alike in spite of their switches. A large Service has room for one answer.
        let same = known
            .iter()
            .find(|known| known.0 == place && ingest::alike(&known.2, &claims));
        let claims = same.map_or_else(|| claims.into(), |same| Rc::clone(&same.2));
        known.push((place, reading, Rc::clone(&claims)));
        claims
    }

    /// What nodes are told apart by for a port and a family.
    #[must_use]
    pub fn special(&self, (at, port): (usize, &ServicePort), family: Family) -> Rc<Special<'q>> {
        let mut known = self.special.borrow_mut();
        if let Some((_, special)) = known.iter().find(|known| known.0 == (at, family)) {
            return Rc::clone(special);
        }
        let claims = self.claims((at, port), family, &self.newest);
        let special = classes::special(self.service, self.slices, &claims);
        let special = Rc::new(special);
        known.push(((at, family), Rc::clone(&special)));
        special
    }
}
