//! Does a name say that its value is a secret, and is there anything to hide?

/// Parts of names whose values are secrets, whatever stands around them.
const ANYWHERE: [&str; 9] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
];

/// The same as whole words of a name only: `author` is no `auth`.
const WORDS: [&str; 11] = [
    "pass",
    "pwd",
    "auth",
    "authorization",
    "bearer",
    "cookie",
    "dsn",
    "jwt",
    "sas",
    "sig",
    "signature",
];

/// Words before `key` that make it a secret one.
const KEYS: [&str; 7] = [
    "account",
    "encryption",
    "license",
    "master",
    "session",
    "signing",
    "subscription",
];

/// Does a name say that its value is a secret?
#[must_use]
pub(super) fn is_secret(name: &str) -> bool {
    let mut plain = String::with_capacity(name.len());
    let mut parts: Vec<String> = vec![String::new()];
    let mut lower = false;
    for sign in name.chars() {
        if !sign.is_ascii_alphanumeric() || (lower && sign.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        lower = sign.is_ascii_lowercase();
        if sign.is_ascii_alphanumeric() {
            let sign = sign.to_ascii_lowercase();
            plain.push(sign);
            if let Some(part) = parts.last_mut() {
                part.push(sign);
            }
        }
    }
    ANYWHERE.iter().any(|word| plain.contains(word))
        || parts.iter().any(|part| WORDS.contains(&part.as_str()))
        || parts
            .windows(2)
            .any(|two| KEYS.contains(&two[0].as_str()) && two[1] == "key")
}

/// A reference to a value, a switch or nothing: there is nothing to hide.
pub(super) fn is_harmless(value: &str) -> bool {
    matches!(
        value,
        "" | "true" | "false" | "null" | "yes" | "no" | "on" | "off"
    ) || value.starts_with(['$', '`'])
}
