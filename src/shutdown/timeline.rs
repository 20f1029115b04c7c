//! When does a container get SIGTERM, and when SIGKILL?
//!
//! Sources: `pkg/kubelet/kuberuntime/kuberuntime_container.go` (`killContainer`, `executePreStopHook`) and
//! `kuberuntime_termination_order.go`. All containers go through the same steps at the same time:
//! preStop, then for a sidecar its turn, then SIGTERM, then SIGKILL. They share the grace period, in whole seconds.

use super::grace_period::{Delete, GracePeriod, grace_period};
use super::reason::{Moment, Reason};
use super::span::{SECOND, Span};
use super::{ContainerEnd, ContainerKind, Durations, HookDuration, PreStop, Shutdown};
use crate::facts::pod_spec::{Container, Handler, PodSpec};
use crate::gates::kubelet::{Kubelet, MINIMUM_SECONDS, Sidecars, SleepAction};

const MINIMUM: i64 = MINIMUM_SECONDS * SECOND;

/// When SIGKILL is sent after something has taken `spent` of `rest` seconds: what is left in whole seconds, and two at least.
///
/// It moves back to `rest` whenever a whole second is full, so the ends of `spent` alone do not give the bounds.
fn sigkill_after(spent: Span, rest: i64) -> Span {
    let sigkill = |at: i64| at + (rest - at / SECOND).max(MINIMUM_SECONDS) * SECOND;
    let first_full = (spent.min() + SECOND - 1) / SECOND * SECOND;
    let last_full = spent.max() / SECOND * SECOND;
    let mut min = sigkill(spent.min());
    if first_full <= spent.max() {
        min = min.min(sigkill(first_full));
    }
    let mut max = sigkill(spent.max());
    if last_full > spent.min() {
        // Just before that second was full.
        max = max.max(sigkill(last_full - SECOND) + SECOND);
    }
    Span::millis(min, max)
}

/// preStop as the kubelet handles it.
struct Hook {
    pre_stop: Option<PreStop>,
    /// For how long it holds the container back.
    spent: Span,
    why: Vec<Reason>,
}

fn hook(
    container: &Container,
    kubelet: &Kubelet,
    grace: &GracePeriod,
    durations: &dyn Durations,
) -> Hook {
    let Some(handler) = container.lifecycle.pre_stop.clone() else {
        return Hook {
            pre_stop: None,
            spent: Span::ZERO,
            why: Vec::new(),
        };
    };
    let budget = grace.hook_seconds(kubelet);
    let mut why = Vec::new();
    let takes = match (&handler, budget) {
        (_, None) => Err(Reason::HookNotRun),
        (Handler::TcpSocket, _) => Err(Reason::TcpSocketFails),
        (Handler::Empty, _) => Err(Reason::EmptyHookFails),
        (Handler::Sleep(seconds), _) => match kubelet.sleep {
            SleepAction::Unknown => Err(Reason::SleepNotKnown),
            SleepAction::Off => Err(Reason::SleepSwitchedOff),
            SleepAction::On if *seconds <= 0 => Err(Reason::SleepOfZero),
            SleepAction::On => Ok(Span::exactly(*seconds)),
        },
        (Handler::Injected(seconds), _) if *seconds <= 0 => Err(Reason::HookTakesNoTime),
        (Handler::Injected(seconds), _) => Ok(Span::exactly(*seconds)),
        (Handler::Exec(_) | Handler::HttpGet(_), Some(budget)) => {
            match durations.hook(container, &handler) {
                HookDuration::Known(span) if span.max() <= 0 => Err(Reason::HookTakesNoTime),
                HookDuration::Known(span) => Ok(span.or_later(Span::ZERO)),
                HookDuration::Unknown { at_least } => {
                    why.push(Reason::HookTimeUnknown);
                    let budget = budget.saturating_mul(SECOND);
                    Ok(Span::millis(at_least.clamp(0, budget), budget))
                }
            }
        }
    };
    let takes = takes.unwrap_or_else(|reason| {
        why.push(reason);
        Span::ZERO
    });
    let spent = takes.or_earlier(Span::exactly(budget.unwrap_or(0)));
    Hook {
        pre_stop: Some(PreStop {
            handler,
            takes,
            delays: spent.max() > 0,
        }),
        spent,
        why,
    }
}

/// What a sidecar waits for.
#[derive(Clone, Copy)]
struct Turn {
    /// When everything that it waits for has ended.
    at: Span,
    /// Sidecars declared after it are among that.
    after_sidecars: bool,
}

/// What the steps of all containers of a pod have in common.
struct Pod<'a> {
    kubelet: &'a Kubelet,
    grace: &'a GracePeriod,
    delete: Delete,
    durations: &'a dyn Durations,
}

impl Pod<'_> {
    /// When SIGTERM is sent: after preStop, and for a sidecar when its turn has come.
    fn sigterm(&self, spent: Span, turn: Option<Turn>) -> Span {
        let Some(turn) = turn else { return spent };
        // Only whole seconds of preStop were subtracted from what is left, so the wait may go on a fraction longer.
        let grace = Span::exactly(self.grace.seconds);
        let fraction = |at: i64| at % SECOND;
        let limit = if spent.is_exact() {
            grace.after(Span::millis(fraction(spent.max()), fraction(spent.max())))
        } else {
            Span::millis(grace.min(), grace.max() + SECOND)
        };
        // With nothing left of the grace period it does not wait at all.
        spent.or_later(turn.at).or_earlier(limit)
    }

    /// When SIGKILL is sent.
    fn sigkill(&self, spent: Span, sigterm: Span, turn: Option<Turn>) -> Span {
        let grace = self.grace.seconds;
        if self.kubelet.grace_twice {
            return sigterm.after(Span::exactly(grace));
        }
        if turn.is_none() {
            return sigkill_after(spent, grace);
        }
        if spent.is_exact() {
            let waited = Span::millis(sigterm.min() - spent.min(), sigterm.max() - spent.max());
            return spent.after(sigkill_after(waited, grace - spent.min() / SECOND));
        }
        // Whole seconds are counted twice, of preStop and of the wait, so together they may be one less than those of the sum.
        let (soonest, latest) = (
            sigkill_after(sigterm, grace),
            sigkill_after(sigterm, grace + 1),
        );
        Span::millis(soonest.min(), latest.max())
    }

    /// The least and the most that is left of the grace period at SIGTERM, in whole seconds.
    fn left(&self, spent: Span, sigterm: Span) -> (i64, i64) {
        let at = |sigterm: i64| {
            if spent.is_exact() {
                spent.min() / SECOND + (sigterm - spent.min()) / SECOND
            } else {
                sigterm / SECOND
            }
        };
        let grace = self.grace.seconds;
        (grace - at(sigterm.max()), grace - at(sigterm.min()))
    }

    fn reasons(
        &self,
        container: &Container,
        spent: Span,
        end: &mut ContainerEnd,
        turn: Option<Turn>,
    ) {
        let grace = self.grace.seconds * SECOND;
        let mut add = |moment, reason| end.reasons.push((moment, reason));
        let waits = turn.filter(|turn| turn.at.max() > spent.min());
        let delays = end.pre_stop.as_ref().map(|hook| hook.delays);
        if delays != Some(true) && end.sigterm_at.min() == 0 {
            let reason = match delays {
                None => Reason::NoPreStop,
                Some(_) => Reason::HookGivesNoDelay,
            };
            add(Moment::Sigterm, reason);
        }
        if delays == Some(true) {
            let budget = self.grace.hook_seconds(self.kubelet).unwrap_or(0) * SECOND;
            if spent.min() < budget && waits.is_none_or(|turn| turn.at.min() < spent.max()) {
                add(Moment::Sigterm, Reason::AfterPreStop);
            }
            if spent.max() >= budget {
                add(Moment::Sigterm, Reason::SignalWhenGraceIsUsedUp);
            }
        }
        if let Some(turn) = waits {
            add(Moment::Sigterm, Reason::SidecarWaitsForMain);
            if turn.after_sidecars {
                add(Moment::Sigterm, Reason::SidecarWaitsForLater);
            }
            if turn.at.max() >= grace {
                add(Moment::Sigterm, Reason::SidecarWaitUsesUpGrace);
            }
        }
        if end.kind == ContainerKind::Sidecar && self.kubelet.sidecars != Sidecars::Ordered {
            add(Moment::Sigterm, Reason::SidecarWithoutOrder);
        }
        if container.lifecycle.stop_signal.is_some() && !self.kubelet.stop_signal {
            end.reasons
                .push((Moment::Sigterm, Reason::StopSignalNotHeeded));
        }
        let mut add = |reason| end.reasons.push((Moment::Sigkill, reason));
        if self.kubelet.grace_twice {
            if spent.max() > 0 {
                add(Reason::GraceTwice);
            }
            if spent.min() == 0 {
                add(Reason::KillWhenGraceIsUsedUp);
            }
            if grace < MINIMUM {
                add(Reason::NoTwoSecondMinimum);
            }
        } else {
            let (least, most) = self.left(spent, end.sigterm_at);
            if most >= MINIMUM_SECONDS {
                add(Reason::KillWhenGraceIsUsedUp);
                if end.sigkill_at.max() > grace.max(end.sigterm_at.max() + MINIMUM) {
                    add(Reason::WholeSecondsCount);
                }
            }
            if least < MINIMUM_SECONDS {
                add(Reason::TwoSecondMinimum);
            }
        }
        if let Some(again) = self.delete.again_grace_seconds
            && again < self.grace.granted_seconds
        {
            add(Reason::SecondDeleteChangesNothing);
        }
    }

    fn end(&self, container: &Container, kind: ContainerKind, turn: Option<Turn>) -> ContainerEnd {
        let hook = hook(container, self.kubelet, self.grace, self.durations);
        let sigterm_at = self.sigterm(hook.spent, turn);
        let sigkill_at = self.sigkill(hook.spent, sigterm_at, turn);
        let ended_at = match self.durations.drain(container) {
            Some(drain) => sigterm_at
                .after(drain.or_later(Span::ZERO))
                .or_earlier(sigkill_at),
            None => Span::millis(sigterm_at.min(), sigkill_at.max()),
        };
        let mut end = ContainerEnd {
            name: container.name.clone(),
            kind,
            pre_stop: hook.pre_stop,
            stop_signal: container
                .lifecycle
                .stop_signal
                .clone()
                .filter(|_| self.kubelet.stop_signal),
            sigterm_at,
            sigkill_at,
            ended_at,
            reasons: hook
                .why
                .into_iter()
                .map(|why| (Moment::PreStop, why))
                .collect(),
        };
        self.reasons(container, hook.spent, &mut end, turn);
        end
    }
}

/// When the last of these ends.
fn last<'a>(ends: impl IntoIterator<Item = &'a ContainerEnd>) -> Span {
    ends.into_iter()
        .map(|end| end.ended_at)
        .fold(Span::ZERO, Span::or_later)
}

/// How a pod of this spec ends once all of its containers have started: main ones, sidecars and ephemeral ones.
#[must_use]
pub fn shutdown(
    spec: &PodSpec,
    kubelet: &Kubelet,
    delete: Delete,
    durations: &dyn Durations,
) -> Shutdown {
    let ordinary_init = |name: &str| {
        spec.init_containers
            .iter()
            .any(|container| container.name == name && !container.restarts_always)
    };
    shutdown_of(
        spec,
        |name| !ordinary_init(name),
        kubelet,
        delete,
        durations,
    )
}

/// How a pod of this spec ends when just these of its containers run.
#[must_use]
pub fn shutdown_of(
    spec: &PodSpec,
    runs: impl Fn(&str) -> bool,
    kubelet: &Kubelet,
    delete: Delete,
    durations: &dyn Durations,
) -> Shutdown {
    let grace = grace_period(spec, kubelet, delete);
    let pod = Pod {
        kubelet,
        grace: &grace,
        delete,
        durations,
    };
    let together = |list: Vec<&Container>, kind| {
        list.into_iter()
            .filter(|container| runs(&container.name))
            .map(|container| pod.end(container, kind, None))
            .collect::<Vec<_>>()
    };
    let mut containers = together(spec.containers.iter().collect(), ContainerKind::Main);
    let mut turn = Turn {
        at: last(&containers),
        after_sidecars: false,
    };
    let mut sidecars = Vec::new();
    for container in spec.sidecars().rev().filter(|each| runs(&each.name)) {
        let ordered = kubelet.sidecars == Sidecars::Ordered;
        let end = pod.end(container, ContainerKind::Sidecar, ordered.then_some(turn));
        turn = Turn {
            at: turn.at.or_later(end.ended_at),
            after_sidecars: true,
        };
        sidecars.push(end);
    }
    sidecars.reverse();
    containers.extend(sidecars);
    let ordinary = spec
        .init_containers
        .iter()
        .filter(|each| !each.restarts_always);
    containers.extend(together(ordinary.collect(), ContainerKind::Init));
    containers.extend(together(
        spec.ephemeral_containers.iter().collect(),
        ContainerKind::Ephemeral,
    ));
    let ends_by = last(&containers);
    // Most pods have one, and there are many pods.
    containers.shrink_to_fit();
    Shutdown {
        grace,
        containers,
        ends_by,
    }
}
