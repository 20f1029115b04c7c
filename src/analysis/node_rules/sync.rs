//! How long may a node's rules lag behind the slices although its kube-proxy works?

use chrono::TimeDelta;

use crate::facts::kube_proxy::{KubeProxySettings, ProxyMode};

/// The longest time from a change of slices to the rules that follow from it: `minSyncPeriod` and `syncPeriod`, in which a large node's
/// stale rules wait (facts: above 1000 endpoints full syncs come by the period only).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestSync {
    /// So long.
    pub time: TimeDelta,
    /// How it is known.
    pub from: SyncSource,
}

/// How the periods of syncs are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncSource {
    /// kube-proxy's ConfigMap sets one of them.
    Config,
    /// kube-proxy's ConfigMap sets none, so its defaults hold.
    Default,
    /// No configuration of kube-proxy was read; its defaults are assumed.
    Assumed,
}

impl SyncSource {
    /// The id that reports use.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Default => "default",
            Self::Assumed => "assumed",
        }
    }
}

/// The default of `syncPeriod` (`pkg/proxy/apis/config/v1alpha1/defaults.go`).
const LONGEST: TimeDelta = TimeDelta::seconds(30);

/// The default of `minSyncPeriod` (the same file).
const fn shortest(mode: ProxyMode) -> TimeDelta {
    match mode {
        ProxyMode::Ipvs => TimeDelta::zero(),
        _ => TimeDelta::seconds(1),
    }
}

impl LongestSync {
    /// By the configuration that was read, for the mode of a node.
    #[must_use]
    pub fn of(config: Option<&KubeProxySettings>, mode: ProxyMode) -> Self {
        let set = config.and_then(|config| config.sync.get(&mode)).copied();
        let periods = set.unwrap_or_default();
        Self {
            time: periods.longest.unwrap_or(LONGEST)
                + periods.shortest.unwrap_or_else(|| shortest(mode)),
            from: match (config, set) {
                (_, Some(_)) => SyncSource::Config,
                (Some(_), None) => SyncSource::Default,
                (None, None) => SyncSource::Assumed,
            },
        }
    }

    /// For people: `31 s`, with how it is known where it is not kube-proxy's own default.
    #[must_use]
    pub fn words(self) -> String {
        let seconds = self.time.as_seconds_f64().ceil();
        match self.from {
            SyncSource::Config => format!("{seconds} s (kube-proxy's ConfigMap)"),
            SyncSource::Default => format!("{seconds} s"),
            SyncSource::Assumed => format!("{seconds} s (assumed)"),
        }
    }
}
