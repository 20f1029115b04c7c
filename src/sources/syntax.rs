//! What does the value of a setting say in its vendor's syntax? Durations, booleans, attribute lists, YAML and JSON in annotations.

use serde_json::Value;

use super::figures::TuningFormat;

/// The value of a setting.
#[derive(Debug, Clone, PartialEq)]
pub enum SettingValue {
    /// A number: seconds, a count, or a rate per second.
    Number(f64),
    /// Anything else: `true`, `Service`.
    Word(String),
}

impl std::fmt::Display for SettingValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// What a value should be: a phrase that completes "... expected".
pub type Expected = &'static str;

const DURATION: Expected = "a duration such as 30s";
const NUMBER: Expected = "a number that is not negative";

fn not_negative(number: f64) -> Option<f64> {
    (number.is_finite() && number >= 0.0).then_some(number)
}

/// Numbers with units one after the other, in seconds: `1m30s`. `bare` is the unit of a number without one.
fn units(text: &str, bare: Option<f64>, unit: fn(&str) -> Option<f64>) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return not_negative(number * bare?);
    }
    let mut rest = text;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let digits = rest
            .find(|sign: char| !sign.is_ascii_digit() && sign != '.')
            .filter(|end| *end > 0)?;
        let (number, after) = rest.split_at(digits);
        let letters = after
            .find(|sign: char| sign.is_ascii_digit() || sign.is_whitespace())
            .unwrap_or(after.len());
        let (name, after) = after.split_at(letters);
        seconds += number.parse::<f64>().ok()? * unit(name)?;
        rest = after.trim_start();
    }
    (!text.is_empty()).then(|| not_negative(seconds)).flatten()
}

/// Go's (`time.ParseDuration`): `1m30s`, `500ms`, in seconds. A bare number is seconds too, since many fields take either.
///
/// # Errors
///
/// Says what was expected where it is no duration.
pub fn go_duration(text: &str) -> Result<f64, Expected> {
    units(text, Some(1.0), |unit| match unit {
        "ns" => Some(1e-9),
        "us" | "µs" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "m" => Some(60.0),
        "h" => Some(3600.0),
        _ => None,
    })
    .ok_or(DURATION)
}

/// NGINX's (its "Configuration file measurement units"), in seconds: a bare number is seconds; days, weeks, months and years exist.
///
/// # Errors
///
/// Says what was expected where it is no duration.
pub fn nginx_time(text: &str) -> Result<f64, Expected> {
    units(text, Some(1.0), |unit| match unit {
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "m" => Some(60.0),
        "h" => Some(3600.0),
        "d" => Some(86_400.0),
        "w" => Some(604_800.0),
        "M" => Some(2_592_000.0),
        "y" => Some(31_536_000.0),
        _ => None,
    })
    .ok_or(DURATION)
}

/// `HAProxy`'s (its configuration manual, "Time format"), in seconds: a bare number is milliseconds.
///
/// # Errors
///
/// Says what was expected where it is no duration.
pub fn haproxy_time(text: &str) -> Result<f64, Expected> {
    units(text, Some(1e-3), |unit| match unit {
        "us" => Some(1e-6),
        "ms" => Some(1e-3),
        "s" => Some(1.0),
        "m" => Some(60.0),
        "h" => Some(3600.0),
        "d" => Some(86_400.0),
        _ => None,
    })
    .ok_or(DURATION)
}

/// The value of a key in `k=v,k2=v2`; `None` where the list does not have it. The last one of a key counts.
///
/// # Errors
///
/// Says what was expected where it is no such list.
pub fn attribute(text: &str, key: &str) -> Result<Option<String>, Expected> {
    let mut found = None;
    for pair in text
        .split(',')
        .map(str::trim)
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair
            .split_once('=')
            .ok_or("a list such as key=value,key=value")?;
        if name.trim() == key {
            found = Some(value.trim().to_owned());
        }
    }
    Ok(found)
}

/// A key of a YAML or JSON mapping, at any depth.
fn inside(value: &Value, key: &str) -> Option<String> {
    match value {
        Value::Object(fields) => fields.get(key).map_or_else(
            || fields.values().find_map(|value| inside(value, key)),
            super::path::text,
        ),
        Value::Array(all) => all.iter().find_map(|value| inside(value, key)),
        _ => None,
    }
}

fn duration_or_word(text: &str) -> SettingValue {
    go_duration(text).map_or_else(
        |_| SettingValue::Word(text.to_owned()),
        SettingValue::Number,
    )
}

/// Reads a value; `None` where it is well written but does not hold the attribute.
///
/// # Errors
///
/// Says what was expected where the value is not of this format.
pub fn read(
    format: TuningFormat,
    key: Option<&str>,
    text: &str,
) -> Result<Option<SettingValue>, Expected> {
    let text = text.trim();
    let number = |value: f64| Some(SettingValue::Number(value));
    match format {
        TuningFormat::Number => text
            .parse::<f64>()
            .ok()
            .and_then(not_negative)
            .map(number)
            .ok_or(NUMBER),
        TuningFormat::Seconds | TuningFormat::GoDuration => go_duration(text).map(number),
        TuningFormat::NginxTime => nginx_time(text).map(number),
        TuningFormat::HaproxyTime => haproxy_time(text).map(number),
        // What Go's ParseBool takes.
        TuningFormat::Bool => match text {
            "true" | "True" | "TRUE" | "1" | "t" | "T" => {
                Ok(Some(SettingValue::Word("true".to_owned())))
            }
            "false" | "False" | "FALSE" | "0" | "f" | "F" => {
                Ok(Some(SettingValue::Word("false".to_owned())))
            }
            _ => Err("true or false"),
        },
        TuningFormat::Word => Ok(Some(SettingValue::Word(text.to_owned()))),
        TuningFormat::Attributes => {
            let value = attribute(text, key.unwrap_or_default())?;
            value
                .map(|value| match value.as_str() {
                    "true" | "false" => Ok(SettingValue::Word(value)),
                    _ => go_duration(&value).map(SettingValue::Number),
                })
                .transpose()
        }
        TuningFormat::Yaml => {
            let value: Value = serde_yaml::from_str(text).map_err(|_| "YAML")?;
            Ok(inside(&value, key.unwrap_or_default()).map(|text| duration_or_word(&text)))
        }
        TuningFormat::Json => {
            serde_json::from_str::<Value>(text).map_err(|_| "JSON")?;
            Ok(Some(SettingValue::Word(text.to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_vendor_means_something_else_by_a_bare_number() {
        assert_eq!(go_duration("1m30s"), Ok(90.0));
        assert_eq!(go_duration("500ms"), Ok(0.5));
        assert_eq!(go_duration("45"), Ok(45.0));
        assert_eq!(nginx_time("1m 30s"), Ok(90.0));
        assert_eq!(nginx_time("240"), Ok(240.0));
        assert_eq!(haproxy_time("5000"), Ok(5.0));
        assert_eq!(haproxy_time("30m"), Ok(1800.0));
        for text in ["", "s", "-5s", "5 apples", "1h2", "∞", "NaN", "inf"] {
            assert!(go_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn attribute_lists_are_searched() {
        let text = "deregistration_delay.timeout_seconds=30, stickiness.enabled=true";
        let found = |key| read(TuningFormat::Attributes, Some(key), text);
        assert_eq!(
            found("deregistration_delay.timeout_seconds"),
            Ok(Some(SettingValue::Number(30.0)))
        );
        assert_eq!(
            found("stickiness.enabled"),
            Ok(Some(SettingValue::Word("true".to_owned())))
        );
        assert_eq!(found("other"), Ok(None));
        assert!(read(TuningFormat::Attributes, Some("a"), "a").is_err());
        assert!(read(TuningFormat::Attributes, Some("a"), "a=soon").is_err());
    }

    #[test]
    fn yaml_in_an_annotation_is_searched() {
        let read = |text| read(TuningFormat::Yaml, Some("terminationDrainDuration"), text);
        assert_eq!(
            read("terminationDrainDuration: 60s\nconcurrency: 2"),
            Ok(Some(SettingValue::Number(60.0)))
        );
        assert_eq!(
            read("{\"terminationDrainDuration\": \"1m\"}"),
            Ok(Some(SettingValue::Number(60.0)))
        );
        assert_eq!(read("concurrency: 2"), Ok(None));
        assert!(read("{").is_err());
    }

    proptest! {
        #[test]
        fn no_value_makes_it_panic(text in "\\PC{0,30}|[0-9.msh =,]{0,20}") {
            for format in [
                TuningFormat::Number, TuningFormat::Seconds, TuningFormat::GoDuration, TuningFormat::NginxTime, TuningFormat::HaproxyTime,
                TuningFormat::Bool, TuningFormat::Word, TuningFormat::Attributes, TuningFormat::Yaml, TuningFormat::Json,
            ] {
                if let Ok(Some(SettingValue::Number(number))) = read(format, Some("a"), &text) {
                    prop_assert!(number.is_finite() && number >= 0.0);
                }
            }
        }
    }
}
