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
const WORDS: [&str; 15] = [
    "cred",
    "creds",
    "otp",
    "psk",
    "pw",
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

/// Words that end with `pass` and have nothing to do with passwords.
const PASSES: [&str; 6] = [
    "bypass",
    "compass",
    "encompass",
    "overpass",
    "surpass",
    "underpass",
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

/// The words of a name in lower case, by its signs and capitals.
fn words(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut lower = false;
    for sign in name.chars() {
        if !sign.is_ascii_alphanumeric() || (lower && sign.is_ascii_uppercase()) {
            parts.push(String::new());
        }
        lower = sign.is_ascii_lowercase();
        if let Some(part) = parts.last_mut()
            && sign.is_ascii_alphanumeric()
        {
            part.push(sign.to_ascii_lowercase());
        }
    }
    parts
}

/// Is a name, or the last word of it, `key`? Its value may be a secret.
pub(super) fn is_key(name: &str) -> bool {
    words(name).last().is_some_and(|word| word == "key")
}

/// Does a name say that its value is a secret?
#[must_use]
pub(super) fn is_secret(name: &str) -> bool {
    let parts = words(name);
    let plain = parts.concat();
    let is_pass = |part: &str| part.ends_with("pass") && !PASSES.contains(&part);
    ANYWHERE.iter().any(|word| plain.contains(word))
        || parts
            .iter()
            .any(|part| WORDS.contains(&part.as_str()) || is_pass(part))
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
