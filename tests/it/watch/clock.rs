//! How far is the server's clock from this machine's?

use chrono::TimeDelta;

use super::harness::{Watching, shop};
use crate::cluster::harness::{Setup, named};
use crate::fake_api::{FakeApi, Fault};

#[test]
fn the_difference_is_told_with_how_well_it_is_known() {
    for ahead in [0, 90, -3600] {
        let api = FakeApi::serving(shop(&["a"]));
        if ahead != 0 {
            let date = drain_check::client::now() + TimeDelta::seconds(ahead);
            let date = date.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
            api.fault("/", Fault::Header("date", date));
        }
        let setup = Setup::new(&api, "shop");
        let watching = Watching::start(setup.connection(), named(&["svc/web"]));
        let clock = watching.begun.clock.expect("a difference");
        let off = (clock.ahead - f64::from(i32::try_from(ahead).expect("small"))).abs();
        // A date that a test has written stands still.
        assert!(off <= clock.within + 1.5, "{ahead}: {clock:?}");
        assert!(clock.within <= 1.5, "{clock:?}");
    }
}
