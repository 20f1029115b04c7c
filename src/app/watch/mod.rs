//! `watch`: follows a rollout or a drain while it happens, and tells what it did to new connections.

mod live;
mod shown;

use std::pin::pin;

use anyhow::{Context, bail};
use futures_util::StreamExt as _;
use futures_util::stream;

use self::live::{Live, Why};
use super::fail_on::threshold;
use super::targets::Wanted;
use super::wait::{Interrupted, until_ctrl_c};
use super::{Io, Outcome, assume, failures, story, targets};
use crate::cli::watch::ProbeMethod;
use crate::cli::{ProbeArgs, ViewArgs, WatchArgs};
use crate::client::Connection;
use crate::collect::Request;
use crate::facts::Gap;
use crate::probe::{self, Method, Settings};
use crate::recording::line::Line;
use crate::rules::may_hide;
use crate::settings;
use crate::watch::{Told, Watched, watch};
use crate::words::list;

/// What is to be measured; says what it is going to do.
fn probing(args: &ProbeArgs, io: &mut Io<'_>) -> anyhow::Result<Option<Settings>> {
    let Some(url) = &args.url else {
        return Ok(None);
    };
    let settings = Settings::new(probe::Asked {
        url: url.clone(),
        rate: args.rate,
        method: match args.method {
            ProbeMethod::Get => Method::Get,
            ProbeMethod::Head => Method::Head,
        },
        timeout: args.timeout,
        insecure: args.insecure,
        host: args.host.clone(),
    });
    let settings = settings.map_err(anyhow::Error::msg)?;
    writeln!(io.err, "{}", settings.told())?;
    Ok(Some(settings))
}

/// May something that could not be read or watched hide what `--fail-on` asks for?
fn hidden(gaps: &[Gap], view: &ViewArgs) -> Option<String> {
    let least = threshold(view.fail_on)?;
    let hide = |gap: &&Gap| gap.is_failure() && may_hide(gap.resource) >= least;
    let names: Vec<_> = gaps
        .iter()
        .filter(hide)
        .map(|gap| gap.resource.name())
        .collect();
    (!names.is_empty()).then(|| list(&names))
}

/// Runs the command.
pub(super) fn run(args: &WatchArgs, io: &mut Io<'_>) -> anyhow::Result<Outcome> {
    if args.view.as_of.is_some() {
        bail!("--as-of is a moment that was: it belongs to a check with -f RECORDING");
    }
    if let Some(path) = args.record.as_ref().filter(|path| path.is_file()) {
        bail!(
            "--record {}: it is there already, and is not replaced",
            path.display()
        );
    }
    let settings = settings::here()?;
    let assumptions = assume::assumptions(&args.view, &settings)?;
    let targets = targets::parse(&args.targets)?;
    let connection = Connection::from(&args.connection);
    let request = Request {
        namespace: args.namespace.clone(),
        all_namespaces: args.all_namespaces,
        targets: targets.clone(),
        selector: args.selector.clone(),
        plays: false,
    };
    let beside = match probing(&args.probe, io)? {
        None => stream::empty::<Line>().boxed_local(),
        Some(settings) => {
            let results = probe::start(settings).map_err(anyhow::Error::msg)?;
            results.boxed_local()
        }
    };
    let mut live = Live::new(args, &settings, assumptions, targets, io);
    let mut answered = None;
    let uninterrupted = {
        let mut take = |told: Told<'_>| live.take(told);
        let work = pin!(async {
            answered = Some(watch(&connection, &request, beside, &mut take).await);
        });
        until_ctrl_c(work).context("cannot start")?
    };
    let ended = live.end()?;
    let watched = answered.transpose()?;
    let interrupted = watched.is_none() && !uninterrupted;
    let Watched { gaps, failed, .. } = watched.unwrap_or_default();
    let Some(follower) = ended.follower else {
        if interrupted {
            return Err(Interrupted.into());
        }
        let failed = failed.into_iter().map(|one| one.error.into());
        return failures::end(None, failed.collect(), io);
    };
    let wanted = Wanted {
        namespace: None,
        targets: ended.targets,
        selector: None,
    };
    let wanted = wanted.without(&failed);
    let told = story::Told {
        source: ended.source,
        assumed: Vec::new(),
        assumptions: &ended.assumptions,
        settings: &settings,
    };
    let outcome = story::answer(&follower, &wanted, &args.view, told, io);
    let failed: Vec<_> = failed.into_iter().map(|one| one.error.into()).collect();
    let outcome = failures::end(Some(outcome), failed, io)?;
    io.out.flush()?;
    if interrupted {
        return Err(Interrupted.into());
    }
    match ended.why {
        Some(Why::Error(error)) => return Err(error),
        Some(Why::Time) if follower.began().is_some() => {
            bail!("--for has ended, and what began had not settled");
        }
        Some(Why::Time) => writeln!(io.err, "Nothing began while it watched.")?,
        Some(Why::Settled) => {}
        None => bail!("nothing may be watched: what is told above is how it was at the beginning"),
    }
    if outcome == Outcome::Clean
        && let Some(names) = hidden(&gaps, &args.view)
    {
        bail!(
            "nothing at or above --fail-on was seen, but {names} could not be read or watched, and may hide it"
        );
    }
    Ok(outcome)
}
