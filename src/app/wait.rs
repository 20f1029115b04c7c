//! Waiting for a cluster: until it answers, or somebody presses Ctrl-C; with one line about what is being read, for a terminal.

use std::io::{self, Write};
use std::pin::pin;
use std::sync::Once;
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::Io;
use crate::input::cluster::{ClusterError, Progress};

/// Ctrl-C.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// 128 and the number of SIGINT, as shells count.
pub const INTERRUPTED: u8 = 130;

/// Nobody wonders before.
const QUIET: Duration = Duration::from_millis(500);

/// How often the line changes.
const TICK: Duration = Duration::from_millis(200);

/// A line that is written over and over, and is gone at the end.
struct Line<'a> {
    err: &'a mut dyn Write,
    width: usize,
    shown: bool,
}

impl Line<'_> {
    fn show(&mut self, text: &str) -> io::Result<()> {
        // A line that is full may go on in the next one, which would stay.
        let text: String = text.chars().take(self.width.saturating_sub(1)).collect();
        self.shown = true;
        write!(self.err, "\r\x1b[K{text}")?;
        self.err.flush()
    }

    fn erase(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.shown) {
            write!(self.err, "\r\x1b[K")?;
            self.err.flush()?;
        }
        Ok(())
    }
}

fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Whoever has listened for Ctrl-C once is no longer ended by it: from now on, somebody else must do that.
fn leave_at_ctrl_c() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| {
        std::thread::spawn(|| {
            let told = runtime().map(|runtime| runtime.block_on(tokio::signal::ctrl_c()));
            if matches!(told, Ok(Ok(()))) {
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
    });
}

/// Waits for a cluster's answer.
pub(super) fn wait<T>(
    answer: impl Future<Output = Result<T, ClusterError>>,
    progress: &Progress,
    io: &mut Io<'_>,
) -> anyhow::Result<T> {
    let runtime = runtime().context("cannot start")?;
    let mut line = Line {
        err: &mut *io.err,
        width: usize::from(io.width),
        shown: false,
    };
    let answered = runtime.block_on(async {
        let mut answer = pin!(answer);
        // Without such signals there is nothing to wait for.
        let mut interrupted = pin!(async {
            if tokio::signal::ctrl_c().await.is_err() {
                std::future::pending().await
            }
        });
        let mut tick = interval_at(Instant::now() + QUIET, TICK);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                answer = &mut answer => return answer.map_err(anyhow::Error::from),
                () = &mut interrupted => return Err(Interrupted.into()),
                _ = tick.tick(), if io.terminal => line.show(&progress.line())?,
            }
        }
    });
    line.erase()?;
    leave_at_ctrl_c();
    // A name that is still being looked up would keep a plain drop waiting.
    runtime.shutdown_background();
    answered
}
