//! Waiting for a cluster: until it answers, or somebody presses Ctrl-C; with one line about what is being read, for a terminal.

use std::io::{self, Write};
use std::pin::{Pin, pin};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context;
use tokio::runtime::Builder;
use tokio::time::{Instant, interval_at};

use super::Io;
use crate::client::{ClusterError, Connection};

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

/// How long whoever waits has to take away its line after Ctrl-C.
const TIDY: Duration = Duration::from_millis(500);

/// A line that is written over and over, and is gone at the end.
struct Line<'a> {
    err: &'a mut dyn Write,
    width: usize,
    shown: bool,
}

impl Line<'_> {
    /// A terminal that takes no line changes nothing about the answer.
    fn write(&mut self, text: &str) {
        let _ = write!(self.err, "\r\x1b[K{text}").and_then(|()| self.err.flush());
    }

    fn show(&mut self, text: &str) {
        // A line that is full may go on in the next one, which would stay.
        let text: String = text.chars().take(self.width.saturating_sub(1)).collect();
        self.shown = true;
        self.write(&text);
    }

    fn erase(&mut self) {
        if self.shown {
            self.write("");
        }
    }
}

/// Runs something to its end on this thread. Not generic: each kind of future would bring its own copy of all this.
pub(super) fn run(work: Pin<&mut dyn Future<Output = ()>>) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(work);
    // A name that is still being looked up would keep a plain drop waiting.
    runtime.shutdown_background();
    Ok(())
}

/// Ends when somebody presses Ctrl-C; never where a system has no such thing.
async fn ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Is there somebody who listens for Ctrl-C, and tidies up?
static WAITS: AtomicBool = AtomicBool::new(false);

/// Whoever listens for Ctrl-C is no longer ended by it: from now on, and whatever the program is at, it ends then.
fn leave_at_ctrl_c() {
    static LISTENS: Once = Once::new();
    LISTENS.call_once(|| {
        std::thread::spawn(|| {
            // The thread that works it out does not look up, and whoever waits may be at something that does not either. There
            // is nothing to tidy but one line of a terminal.
            #[allow(clippy::exit)]
            if run(pin!(ctrl_c())).is_ok() {
                if WAITS.load(Ordering::Relaxed) {
                    std::thread::sleep(TIDY);
                }
                std::process::exit(INTERRUPTED.into());
            }
        });
    });
}

/// Does something until somebody presses Ctrl-C; `false` is that. From then on Ctrl-C ends the program.
pub(super) fn until_ctrl_c(work: Pin<&mut dyn Future<Output = ()>>) -> io::Result<bool> {
    let mut ended = false;
    run(pin!(async {
        tokio::select! {
            () = work => ended = true,
            () = ctrl_c() => {}
        }
    }))?;
    leave_at_ctrl_c();
    Ok(ended)
}

/// Waits until there is an answer; `false` is Ctrl-C.
fn wait_for(
    answer: Pin<&mut dyn Future<Output = ()>>,
    connection: &Connection,
    io: &mut Io<'_>,
) -> io::Result<bool> {
    // Lines about requests would stand in the middle of it.
    let told = io.terminal && !connection.verbose;
    let mut line = Line {
        err: &mut *io.err,
        width: usize::from(io.width),
        shown: false,
    };
    let mut ended = false;
    let mut answer = answer;
    WAITS.store(true, Ordering::Relaxed);
    leave_at_ctrl_c();
    run(pin!(async {
        let mut interrupted = pin!(ctrl_c());
        let mut tick = interval_at(Instant::now() + QUIET, TICK);
        loop {
            tokio::select! {
                () = &mut answer => {
                    ended = true;
                    break;
                }
                () = &mut interrupted => break,
                _ = tick.tick(), if told => line.show(&connection.progress.line()),
            }
        }
    }))?;
    line.erase();
    // Who was interrupted ends the program itself.
    WAITS.store(!ended, Ordering::Relaxed);
    Ok(ended)
}

/// Waits for a cluster's answer.
pub(super) fn wait<T>(
    answer: impl Future<Output = Result<T, ClusterError>>,
    connection: &Connection,
    io: &mut Io<'_>,
) -> anyhow::Result<T> {
    let mut answered = None;
    let ended = {
        let answer = pin!(async { answered = Some(answer.await) });
        wait_for(answer, connection, io).context("cannot start")?
    };
    match answered {
        Some(answer) if ended => Ok(answer?),
        _ => Err(Interrupted.into()),
    }
}
