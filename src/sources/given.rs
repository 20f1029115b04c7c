//! What does a person say of a traffic source? `--source ID[=KEY=VALUE,...]`.

use std::collections::BTreeMap;

use super::amount::Amount;
use super::catalogue::{TrafficSource, catalogue};
use super::figures::{Format, Variant};
use super::syntax;
use super::syntax::Setting;
use crate::words;

/// What a person said: this traffic source sends traffic, with these settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    /// The traffic source's id.
    pub id: String,
    /// When it sends nothing new any more, seconds from the delete; in place of what the catalogue says.
    pub new: Option<Amount>,
    /// How long it keeps in-flight requests after that, seconds.
    pub old: Option<Amount>,
    /// Values of parameters and conditions.
    pub settings: BTreeMap<String, Setting>,
}

/// What is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GivenError {
    /// Nobody has that id.
    #[error("unknown traffic source `{id}`{}", did_you_mean(.alike))]
    UnknownId {
        /// As it was given.
        id: String,
        /// Ids that look like it.
        alike: Vec<String>,
    },
    /// The traffic source has no such setting.
    #[error("`{id}` has no setting `{key}`; it has {}", words::list(.known))]
    UnknownKey {
        /// The traffic source.
        id: String,
        /// As it was given.
        key: String,
        /// What it has.
        known: Vec<String>,
    },
    /// The value does not fit the setting.
    #[error("`{key}={value}`: {expected} expected")]
    Value {
        /// The setting.
        key: String,
        /// As it was given.
        value: String,
        /// What it must be.
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

/// Everything that can be said of a traffic source, besides `new` and `old`, with how its value is written.
#[must_use]
pub fn settings(source: &TrafficSource) -> BTreeMap<&str, Format> {
    let mut known: BTreeMap<&str, Format> = source
        .params
        .iter()
        .map(|(name, param)| {
            let format = if param.unit == "s" {
                Format::GoDuration
            } else {
                Format::Number
            };
            (name.as_str(), format)
        })
        .collect();
    let conditions =
        |variants: &'static [Variant]| variants.iter().flat_map(|variant| &variant.conditions);
    for (name, _) in catalogue().find(&source.id).into_iter().flat_map(|source| {
        conditions(&source.stop.variants).chain(conditions(&source.drain.variants))
    }) {
        known.entry(name).or_insert(Format::Word);
    }
    for tuning in &source.tuning {
        if let Some(name) = &tuning.sets {
            let format = match tuning.format {
                Format::Number | Format::Bool | Format::Word => tuning.format,
                _ => Format::GoDuration,
            };
            known.insert(name, format);
        }
    }
    known
}

fn amount(key: &str, value: &str) -> Result<Amount, GivenError> {
    match value {
        "tGPS" | "gone" => Ok(Amount::UntilPodIsGone),
        "unlimited" => Ok(Amount::Unlimited),
        "unknown" => Ok(Amount::Unknown),
        _ => syntax::go_duration(value)
            .map(Amount::Seconds)
            .map_err(|_| GivenError::Value {
                key: key.to_owned(),
                value: value.to_owned(),
                expected: "seconds, a duration, tGPS, unlimited or unknown",
            }),
    }
}

impl std::str::FromStr for Given {
    type Err = GivenError;

    fn from_str(text: &str) -> Result<Self, GivenError> {
        let (id, rest) = text.split_once('=').unwrap_or((text, ""));
        let id = id.trim();
        let source = catalogue().find(id).ok_or_else(|| {
            let ids = catalogue().sources.iter();
            let ids = ids.map(|source| source.id.as_str());
            GivenError::UnknownId {
                id: id.to_owned(),
                alike: words::alike(id, ids)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
            }
        })?;
        let known = settings(source);
        let mut given = Self {
            id: id.to_owned(),
            new: None,
            old: None,
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
                .ok_or_else(|| GivenError::NoValue(pair.to_owned()))?;
            match (key, known.get(key)) {
                ("new", _) => given.new = Some(amount(key, value)?),
                ("old", _) => given.old = Some(amount(key, value)?),
                (_, Some(format)) => {
                    let setting = syntax::read(*format, None, value).map_err(|expected| {
                        GivenError::Value {
                            key: key.to_owned(),
                            value: value.to_owned(),
                            expected,
                        }
                    })?;
                    given
                        .settings
                        .extend(setting.map(|setting| (key.to_owned(), setting)));
                }
                (_, None) => {
                    let known = ["new", "old"].into_iter().chain(known.into_keys());
                    return Err(GivenError::UnknownKey {
                        id: id.to_owned(),
                        key: key.to_owned(),
                        known: known.map(str::to_owned).collect(),
                    });
                }
            }
        }
        Ok(given)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_alone_or_with_figures_is_read() {
        let plain: Given = "f5-xc-ce".parse().expect("an id");
        assert_eq!((plain.new, plain.old), (None, None));
        let told: Given = "f5-xc-ce=new=1m,old=tGPS".parse().expect("figures");
        assert_eq!(told.new, Some(Amount::Seconds(60.0)));
        assert_eq!(told.old, Some(Amount::UntilPodIsGone));
        let set: Given = "ingress-nginx=sync_rate=2".parse().expect("a setting");
        assert_eq!(set.settings["sync_rate"], Setting::Number(2.0));
    }

    #[test]
    fn mistakes_are_answered_with_what_would_be_right() {
        let wrong = |text: &str| text.parse::<Given>().expect_err(text).to_string();
        assert_eq!(
            wrong("ingres-nginx"),
            "unknown traffic source `ingres-nginx`; did you mean ingress-nginx or ingress-nginx-service-upstream?"
        );
        assert_eq!(
            wrong("ingress-nginx=rate=2"),
            "`ingress-nginx` has no setting `rate`; it has backends_sync, new, old and sync_rate"
        );
        assert!(wrong("f5-xc-ce=new=soon").contains("seconds, a duration"));
        assert!(wrong("f5-xc-ce=new").contains("KEY=VALUE"));
    }
}
