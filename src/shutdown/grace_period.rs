//! How long is the grace period that the kubelet applies?
//!
//! Sources: `pkg/kubelet/pod_workers.go`, `calculateEffectiveGracePeriod`; `pkg/registry/core/pod/strategy.go`, `CheckGracefulDelete`.

use super::reason::Reason;
use crate::facts::pod_spec::PodSpec;
use crate::gates::kubelet::{Kubelet, ZeroGrace};

/// The grace period of a pod that does not set `spec.terminationGracePeriodSeconds`, in seconds (`pkg/apis/core/v1/defaults.go`, `SetDefaults_PodSpec`).
pub const DEFAULT_SECONDS: i64 = 30;

/// The longest that is calculated with: a century, in seconds. The API takes any 64-bit number.
const LONGEST_SECONDS: i64 = 100 * 366 * 24 * 3600;

/// How a pod is deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Delete {
    /// `DeleteOptions.gracePeriodSeconds`, in seconds: of `kubectl delete --grace-period`, a drain or a node shutdown. `None` leaves it to
    /// the pod.
    pub grace_seconds: Option<i64>,
    /// `gracePeriodSeconds` of a second delete while the first one is under way, in seconds. The API takes only a shorter one.
    pub again_grace_seconds: Option<i64>,
}

/// The grace period of a pod that is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GracePeriod {
    /// What the API server granted, in seconds: `metadata.deletionGracePeriodSeconds`.
    pub granted_seconds: i64,
    /// What the kubelet applies, in seconds; never negative.
    pub seconds: i64,
    /// Where it comes from.
    pub reasons: Vec<Reason>,
}

impl GracePeriod {
    /// How long preStop is waited for, in seconds; `None` where it is not run at all (`killContainer`).
    pub(super) fn hook_seconds(&self, kubelet: &Kubelet) -> Option<i64> {
        let seconds = if kubelet.grace_twice {
            self.granted_seconds
        } else {
            self.seconds
        };
        (seconds > 0).then_some(seconds)
    }
}

/// The grace period of a pod that is deleted like this.
#[must_use]
pub fn grace_period(spec: &PodSpec, kubelet: &Kubelet, delete: Delete) -> GracePeriod {
    let own = spec.grace_seconds.unwrap_or(DEFAULT_SECONDS);
    let of_pod = if spec.grace_seconds.is_some() {
        Reason::GraceOfPod
    } else {
        Reason::GraceByDefault
    };
    let mut reasons = vec![match delete.grace_seconds {
        Some(_) => Reason::GraceOfDelete,
        None => of_pod,
    }];
    let mut granted = delete.grace_seconds.unwrap_or(own).min(LONGEST_SECONDS);
    if granted < 0 && kubelet.negative_is_one {
        granted = 1;
        reasons.push(Reason::NegativeIsOne);
    }
    let seconds = match kubelet.zero_grace {
        ZeroGrace::Zero => granted.max(0),
        ZeroGrace::NotSet if granted == 0 => {
            reasons.push(Reason::ZeroIsNotSaid);
            own.clamp(1, LONGEST_SECONDS)
        }
        ZeroGrace::One if granted == 0 => {
            reasons.push(Reason::ZeroIsOne);
            1
        }
        ZeroGrace::NotSet | ZeroGrace::One => granted.max(1),
    };
    GracePeriod {
        granted_seconds: granted,
        seconds,
        reasons,
    }
}
