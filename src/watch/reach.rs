//! How is the server asked over a long time? With new credentials where it no longer takes the old ones: a plugin's often last a quarter of
//! an hour.

use std::cell::{Cell, RefCell};

use crate::client::api::Api;
use crate::client::clock::ClockDifference;
use crate::client::connect::connect;
use crate::client::connection::Connection;
use crate::client::error::ClusterError;

/// A server that is asked again and again.
pub(super) struct Reach<'a> {
    connection: &'a Connection,
    api: RefCell<Api>,
    /// How many times it was connected to.
    times: Cell<u32>,
    one_by_one: tokio::sync::Mutex<()>,
}

impl<'a> Reach<'a> {
    /// Over a connection that there is.
    pub(super) fn new(connection: &'a Connection, api: Api) -> Self {
        Self {
            connection,
            api: RefCell::new(api),
            times: Cell::new(0),
            one_by_one: tokio::sync::Mutex::new(()),
        }
    }

    /// For requests that begin now, and which connection that is.
    pub(super) fn api(&self) -> (Api, u32) {
        (self.api.borrow().afresh(), self.times.get())
    }

    /// How far the server's clock is ahead of this machine's.
    pub(super) fn clock(&self) -> Option<ClockDifference> {
        self.api.borrow().clock()
    }

    /// Connects anew, unless somebody else has since this connection.
    pub(super) async fn renew(&self, since: u32) -> Result<(), ClusterError> {
        let _alone = self.one_by_one.lock().await;
        if self.times.get() == since {
            let connected = connect(self.connection).await?;
            let new = self.api.borrow().reconnected(connected);
            self.api.replace(new);
            self.times.set(since + 1);
        }
        Ok(())
    }
}
