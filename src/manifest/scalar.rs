//! What does a YAML scalar mean to kubectl? YAML 1.1 as go-yaml v2 reads it, not YAML 1.2.
//!
//! Table: `sigs.k8s.io/yaml`, `goyaml.v2/resolve.go`. Timestamps need no case of their own: kubectl keeps
//! them as strings, and none of them looks like a number.

use std::borrow::Cow;

use serde_json::{Number, Value};

/// The meaning of a scalar.
#[derive(Debug, Clone, PartialEq)]
pub enum Scalar {
    /// `null`, `~` or nothing at all.
    Null,
    /// `true`, `yes`, `off`, `n`, …
    Bool(bool),
    /// A number that JSON can hold.
    Number(Number),
    /// Everything else.
    String(String),
}

impl Scalar {
    /// The same as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(yes) => Value::Bool(*yes),
            Self::Number(number) => Value::Number(number.clone()),
            Self::String(text) => Value::String(text.clone()),
        }
    }

    /// The same as the key of a JSON object; `None` for null, which cannot be one.
    #[must_use]
    pub fn to_key(&self) -> Option<String> {
        match self {
            Self::Null => None,
            Self::Bool(yes) => Some(yes.to_string()),
            Self::Number(number) => Some(number.to_string()),
            Self::String(text) => Some(text.clone()),
        }
    }
}

impl Scalar {
    /// The same for whoever needs it no more.
    pub(crate) fn into_key(self) -> Option<String> {
        match self {
            Self::String(text) => Some(text),
            other => other.to_key(),
        }
    }

    /// Likewise as JSON.
    pub(crate) fn into_value(self) -> Value {
        match self {
            Self::String(text) => Value::String(text),
            other => other.to_value(),
        }
    }
}

/// Reads a scalar. `core_tag` is the name in an explicit `!!name`; `plain` means it stood without quotes.
///
/// The error is a sentence for the user.
pub fn read<'t>(
    text: impl Into<Cow<'t, str>>,
    plain: bool,
    core_tag: Option<&str>,
) -> Result<Scalar, String> {
    let text = text.into();
    let Some(tag) = core_tag else {
        return if plain {
            resolve(text)
        } else {
            Ok(Scalar::String(text.into_owned()))
        };
    };
    if !matches!(tag, "null" | "bool" | "int" | "float") {
        return Ok(Scalar::String(text.into_owned()));
    }
    let scalar = resolve(Cow::Borrowed(&text))?;
    let fits = match &scalar {
        Scalar::Null => tag == "null",
        Scalar::Bool(_) => tag == "bool",
        // `!!float 1` is a float; whether `!!int 1.0` is an integer, go-yaml leaves to the decoder.
        Scalar::Number(number) => tag == "float" || (tag == "int" && !number.is_f64()),
        Scalar::String(_) => false,
    };
    if fits {
        Ok(scalar)
    } else {
        Err(format!("this cannot be read as a !!{tag}"))
    }
}

/// Reads a plain scalar without a tag.
fn resolve(text: Cow<'_, str>) -> Result<Scalar, String> {
    let other = other_than_text(&text)?;
    Ok(other.unwrap_or_else(|| Scalar::String(text.into_owned())))
}

/// The key that a scalar without a tag is; `None` for what no key can be, and for what cannot be read.
pub(crate) fn key(text: Cow<'_, str>, plain: bool) -> Option<Cow<'_, str>> {
    let other = if plain {
        other_than_text(&text).ok()?
    } else {
        None
    };
    match other {
        None => Some(text),
        Some(scalar) => scalar.into_key().map(Cow::Owned),
    }
}

/// What a plain scalar without a tag is; `None` where it is only text.
pub(crate) fn other_than_text(text: &str) -> Result<Option<Scalar>, String> {
    let scalar = match text {
        "" | "~" | "null" | "Null" | "NULL" => Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Scalar::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Scalar::Bool(false)
        }
        ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF"
        | "-.inf" | "-.Inf" | "-.INF" => {
            return Err("this is a number that JSON cannot hold".to_owned());
        }
        _ => return Ok(number(text).map(Scalar::Number)),
    };
    Ok(Some(scalar))
}

/// `yes` and `off`, in bytes.
const LONGEST_OLDER_BOOLEAN: usize = 3;

/// Is a plain scalar a boolean for kubectl, as in YAML 1.1, and a text in YAML 1.2: `yes`, `on`?
pub(crate) fn is_older_boolean(text: &str) -> bool {
    // `true` and `false`, which are both, are longer than all of these.
    text.len() <= LONGEST_OLDER_BOOLEAN
        && matches!(other_than_text(text), Ok(Some(Scalar::Bool(_))))
}

fn number(text: &str) -> Option<Number> {
    match text.as_bytes().first()? {
        // Underscores are dropped from numbers, but not from those that start with a dot.
        b'.' => float(text),
        b'+' | b'-' | b'0'..=b'9' => {
            let plain = if text.contains('_') {
                Cow::Owned(text.replace('_', ""))
            } else {
                Cow::Borrowed(text)
            };
            integer(&plain).or_else(|| float(&plain))
        }
        _ => None,
    }
}

/// An integer with Go's base prefixes: `0x`, `0o`, `0b`, and a bare `0` for octal.
fn integer(text: &str) -> Option<Number> {
    let (sign, digits) = match text.as_bytes().first()? {
        b'-' => ("-", &text[1..]),
        b'+' => ("+", &text[1..]),
        _ => ("", text),
    };
    let (base, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    // Rust would take a second sign here, Go does not.
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let small = if sign.is_empty() {
        i64::from_str_radix(digits, base)
    } else {
        i64::from_str_radix(&format!("{sign}{digits}"), base)
    };
    if let Ok(small) = small {
        return Some(small.into());
    }
    // Only unsigned text may use the upper half of 64 bits.
    if sign.is_empty() {
        return u64::from_str_radix(digits, base).ok().map(Into::into);
    }
    None
}

fn float(text: &str) -> Option<Number> {
    // Rust also reads `inf` and `nan`; YAML spells those differently.
    if !text
        .bytes()
        .all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
    {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    // Go writes whole floats without a fraction, so `1e3` and `08` reach the API server as integers.
    // Below 2^53 every whole float is exact.
    if value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0 {
        return format!("{value:.0}").parse::<i64>().ok().map(Into::into);
    }
    Number::from_f64(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plain(text: &str) -> Value {
        read(text, true, None).unwrap().to_value()
    }

    #[test]
    fn every_spelling_of_a_boolean_is_a_boolean() {
        for text in [
            "y", "Y", "yes", "Yes", "YES", "on", "On", "ON", "true", "True", "TRUE",
        ] {
            assert_eq!(plain(text), json!(true), "{text}");
        }
        for text in [
            "n", "N", "no", "No", "NO", "off", "Off", "OFF", "false", "False", "FALSE",
        ] {
            assert_eq!(plain(text), json!(false), "{text}");
        }
    }

    #[test]
    fn near_booleans_stay_strings() {
        for text in ["yEs", "tRUE", "oN", "none", "yes!", "nope"] {
            assert_eq!(plain(text), json!(text));
        }
    }

    #[test]
    fn integers_have_go_prefixes_and_underscores() {
        for (text, want) in [
            ("0644", 420),
            ("0o644", 420),
            ("-0644", -420),
            ("0x1F", 31),
            ("0b101", 5),
            ("1_000", 1000),
            ("+7", 7),
            ("-7", -7),
            ("0", 0),
            ("-0", 0),
            ("08", 8),
            ("0899", 899),
        ] {
            assert_eq!(plain(text), json!(want), "{text}");
        }
        assert_eq!(plain("18446744073709551615"), json!(u64::MAX));
        assert_eq!(plain("-9223372036854775808"), json!(i64::MIN));
    }

    #[test]
    fn floats_are_numbers_and_whole_ones_integers() {
        assert_eq!(plain("1.5"), json!(1.5));
        assert_eq!(plain(".5"), json!(0.5));
        assert_eq!(plain("-1.5e-3"), json!(-0.0015));
        assert_eq!(plain("1e3"), json!(1000));
        assert_eq!(plain("5.0"), json!(5));
        assert_eq!(plain("99999999999999999999"), json!(1e20));
    }

    #[test]
    fn near_numbers_stay_strings() {
        for text in [
            "1.2.3",
            "0x",
            "0xfg",
            "0o",
            "-",
            "+",
            ".",
            "_1",
            "1e999",
            "0x-1",
            "--1",
            "inf",
            "nan",
            "500m",
            "1Gi",
            "12:30",
            "10.0.0.1",
            "2001-12-14",
            "2001-12-14T21:59:43Z",
        ] {
            assert_eq!(plain(text), json!(text));
        }
    }

    #[test]
    fn null_has_three_spellings_and_the_empty_one() {
        for text in ["", "~", "null", "Null", "NULL"] {
            assert_eq!(plain(text), Value::Null);
        }
    }

    #[test]
    fn quotes_make_strings() {
        for text in ["yes", "0644", "", "~", "1.5", ".nan"] {
            assert_eq!(read(text, false, None).unwrap().to_value(), json!(text));
        }
    }

    #[test]
    fn a_tag_decides_over_the_quotes() {
        let tagged = |text, tag| read(text, false, Some(tag)).map(|s| s.to_value());
        assert_eq!(tagged("5", "int"), Ok(json!(5)));
        assert_eq!(read("5", true, Some("str")).unwrap().to_value(), json!("5"));
        assert_eq!(
            tagged("five", "int"),
            Err("this cannot be read as a !!int".into())
        );
    }

    #[test]
    fn infinity_is_refused_because_json_has_none() {
        assert!(read(".inf", true, None).is_err());
        assert!(read("-.INF", true, None).is_err());
    }

    #[test]
    fn keys_are_written_as_json_writes_them() {
        let key = |text| read(text, true, None).unwrap().to_key();
        assert_eq!(key("on").as_deref(), Some("true"));
        assert_eq!(key("0644").as_deref(), Some("420"));
        assert_eq!(key("~"), None);
    }
}
