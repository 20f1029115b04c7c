//! One connection after the other, on a thread of its own: whoever works out an answer meanwhile must not make them late.

use std::time::Duration;

use futures_util::stream::FuturesUnordered;
use futures_util::{Stream, StreamExt as _, stream};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{MissedTickBehavior, interval};

use super::attempt::Opener;
use super::settings::Settings;
use crate::client::now;
use crate::recording::line::{Line, Said};

/// So many results wait to be taken.
const WAITING: usize = 1024;

/// Goes on until nobody takes the results any more.
async fn run(opener: Opener, results: Sender<Line>) {
    let mut tick = interval(Duration::from_secs(1) / opener.settings.rate);
    // After a standstill it does not make up for what it has missed.
    tick.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut under_way = FuturesUnordered::new();
    loop {
        tokio::select! {
            _ = tick.tick() => under_way.push(opener.clone().attempt()),
            Some(probed) = under_way.next() => {
                let line = Line {
                    at: now(),
                    resource: "probe".to_owned(),
                    said: Said::Probed(probed),
                };
                if results.send(line).await.is_err() {
                    return;
                }
            }
            () = results.closed() => return,
        }
    }
}

/// Hands over how each connection ended. It begins when it is first asked for one, and stops when what this returns is dropped.
///
/// # Errors
///
/// Says why it cannot begin.
pub fn start(settings: Settings) -> Result<impl Stream<Item = Line>, String> {
    let opener = Opener::new(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| format!("--probe: {error}"))?;
    let begin = async move {
        let (results, received) = channel(WAITING);
        std::thread::spawn(move || {
            runtime.block_on(run(opener, results));
            // A name that is still being looked up would keep a plain drop waiting.
            runtime.shutdown_background();
        });
        stream::unfold(received, async |mut received| {
            let line = received.recv().await?;
            Some((line, received))
        })
    };
    Ok(stream::once(begin).flatten())
}
