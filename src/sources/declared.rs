//! Which traffic source does the user declare, with which figures? `--source ID[=KEY=VALUE,...]`, and `sources` of `.drain-check.yaml`.

use std::collections::BTreeMap;

use super::amount::Amount;
use super::catalogue::{TrafficSource, catalogue};
use super::figures::{TuningFormat, Variant};
use super::syntax;
use super::syntax::SettingValue;
use crate::words;

/// A traffic source that the user declares: it sends to all Services that are checked, with these figures.
#[derive(Debug, Clone, PartialEq)]
pub struct DeclaredSource {
    /// Its id in the catalogue.
    pub id: String,
    /// `new`: its last new connection or request, seconds from the delete, in place of the catalogue's figure.
    pub new: Option<Amount>,
    /// `in-flight`: how long in-flight requests go on after that, seconds.
    pub in_flight: Option<Amount>,
    /// The parameters and conditions of the catalogue that are set otherwise.
    pub settings: BTreeMap<String, SettingValue>,
}

/// Why a `--source` is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DeclaredSourceError {
    /// No traffic source has this id.
    #[error("unknown traffic source `{id}`{}", did_you_mean(.alike))]
    UnknownId {
        /// The text before `=`.
        id: String,
        /// Ids that are spelled much the same.
        alike: Vec<String>,
    },
    /// The traffic source has no such setting.
    #[error("`{id}` has no setting `{key}`; it has {}", words::list(.known))]
    UnknownKey {
        /// The traffic source.
        id: String,
        /// The key.
        key: String,
        /// The keys that it has.
        known: Vec<String>,
    },
    /// The value does not fit the setting.
    #[error("`{key}={value}`: {expected} expected")]
    Value {
        /// The setting.
        key: String,
        /// The text after `=`.
        value: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A setting without a value.
    #[error("`{0}`: KEY=VALUE expected")]
    NoValue(String),
}

fn did_you_mean(ids: &[String]) -> String {
    if ids.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", ids.join(" or "))
    }
}

/// The keys that a traffic source takes besides `new` and `in-flight`: its parameters and conditions, each with the format of its value.
#[must_use]
pub fn settings(source: &TrafficSource) -> BTreeMap<&str, TuningFormat> {
    let mut known: BTreeMap<&str, TuningFormat> = source
        .params
        .iter()
        .map(|(name, param)| {
            let format = if param.unit == "s" {
                TuningFormat::GoDuration
            } else {
                TuningFormat::Number
            };
            (name.as_str(), format)
        })
        .collect();
    let conditions =
        |variants: &'static [Variant]| variants.iter().flat_map(|variant| &variant.conditions);
    for (name, _) in catalogue().find(&source.id).into_iter().flat_map(|source| {
        conditions(&source.stop.variants).chain(conditions(&source.drain.variants))
    }) {
        known.entry(name).or_insert(TuningFormat::Word);
    }
    for tuning in &source.tuning {
        if let Some(name) = &tuning.sets {
            let format = match tuning.format {
                TuningFormat::Number | TuningFormat::Bool | TuningFormat::Word => tuning.format,
                _ => TuningFormat::GoDuration,
            };
            known.insert(name, format);
        }
    }
    known
}

fn amount(key: &str, value: &str) -> Result<Amount, DeclaredSourceError> {
    match value {
        "tGPS" | "gone" => Ok(Amount::UntilPodIsGone),
        "unlimited" => Ok(Amount::Unlimited),
        "unknown" => Ok(Amount::Unknown),
        _ => syntax::go_duration(value)
            .map(Amount::Seconds)
            .map_err(|_| DeclaredSourceError::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                expected: "seconds, a duration, tGPS, unlimited or unknown",
            }),
    }
}

impl std::str::FromStr for DeclaredSource {
    type Err = DeclaredSourceError;

    fn from_str(text: &str) -> Result<Self, DeclaredSourceError> {
        let (id, rest) = text.split_once('=').unwrap_or((text, ""));
        let id = id.trim();
        let source = catalogue().find(id).ok_or_else(|| {
            let ids = catalogue().sources.iter();
            let ids = ids.map(|source| source.id.as_str());
            DeclaredSourceError::UnknownId {
                id: id.to_owned(),
                alike: words::alike(id, ids)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            }
        })?;
        let known = settings(source);
        let mut declared = Self {
            id: id.to_owned(),
            new: None,
            in_flight: None,
            settings: BTreeMap::new(),
        };
        for pair in rest
            .split(',')
            .map(str::trim)
            .filter(|pair| !pair.is_empty())
        {
            let (key, value) = pair
                .split_once('=')
                .map(|(key, value)| (key.trim(), value.trim()))
                .ok_or_else(|| DeclaredSourceError::NoValue(pair.to_owned()))?;
            match (key, known.get(key)) {
                ("new", _) => declared.new = Some(amount(key, value)?),
                ("in-flight", _) => declared.in_flight = Some(amount(key, value)?),
                (_, Some(format)) => {
                    let setting = syntax::read(*format, None, value).map_err(|expected| {
                        DeclaredSourceError::Value {
                            key: key.to_owned(),
                            value: value.to_owned(),
                            expected,
                        }
                    })?;
                    declared
                        .settings
                        .extend(setting.map(|setting| (key.to_owned(), setting)));
                }
                (_, None) => {
                    let known = ["new", "in-flight"].into_iter().chain(known.into_keys());
                    return Err(DeclaredSourceError::UnknownKey {
                        id: id.to_owned(),
                        key: key.to_owned(),
                        known: known.map(str::to_owned).collect(),
                    });
                }
            }
        }
        Ok(declared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_alone_or_with_figures_is_read() {
        let plain: DeclaredSource = "f5-xc-ce".parse().expect("an id");
        assert_eq!((plain.new, plain.in_flight), (None, None));
        let figures: DeclaredSource = "f5-xc-ce=new=1m,in-flight=tGPS".parse().expect("figures");
        assert_eq!(figures.new, Some(Amount::Seconds(60.0)));
        assert_eq!(figures.in_flight, Some(Amount::UntilPodIsGone));
        let set: DeclaredSource = "ingress-nginx=sync_rate=2".parse().expect("a setting");
        assert_eq!(set.settings["sync_rate"], SettingValue::Number(2.0));
    }

    #[test]
    fn mistakes_are_answered_with_what_would_be_right() {
        let wrong = |text: &str| text.parse::<DeclaredSource>().expect_err(text).to_string();
        assert_eq!(
            wrong("ingres-nginx"),
            "unknown traffic source `ingres-nginx`; did you mean ingress-nginx or ingress-nginx-service-upstream?"
        );
        assert_eq!(
            wrong("ingress-nginx=rate=2"),
            "`ingress-nginx` has no setting `rate`; it has affinity, backends_sync, hash_by, in-flight and 3 more"
        );
        assert!(wrong("f5-xc-ce=new=soon").contains("seconds, a duration"));
        assert!(wrong("f5-xc-ce=new").contains("KEY=VALUE"));
    }
}
