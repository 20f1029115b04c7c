//! Tests of what looks like a secret, and what does not.

use proptest::prelude::*;

use super::*;

#[test]
fn names_of_secrets_are_known_in_every_spelling() {
    for name in [
        "PASSWORD",
        "PGPASSWORD",
        "--db-password",
        "apiKey",
        "API_KEY",
        "aws_secret_access_key",
        "X-Auth-Token",
        "Authorization",
        "AccountKey",
        "client.secret",
        "SENTRY_DSN",
    ] {
        assert!(is_secret(name), "{name}");
    }
    for name in [
        "author",
        "authority",
        "compass",
        "sleep",
        "key",
        "--tls-key",
        "monkey",
        "signal",
        "passive",
        "",
    ] {
        assert!(!is_secret(name), "{name}");
    }
}

#[test]
fn a_secret_is_masked_and_the_words_around_it_stay() {
    for (before, after) in [
        (
            "app --password=hunter2 --port=80",
            "app --password=REDACTED --port=80",
        ),
        (
            "app --token hunter2; sleep 5",
            "app --token REDACTED; sleep 5",
        ),
        (
            "PGPASSWORD='a b c' psql && sleep 5",
            "PGPASSWORD='REDACTED' psql && sleep 5",
        ),
        (
            "curl -u me:hunter2 http://a/drain",
            "curl -u REDACTED http://a/drain",
        ),
        (
            "curl http://me:hunter2@a:8/drain; sleep 9",
            "curl http://REDACTED@a:8/drain; sleep 9",
        ),
        (
            "curl -H \"Authorization: Bearer abc.def\" http://a && sleep 3",
            "curl -H \"Authorization: Bearer REDACTED\" http://a && sleep 3",
        ),
        (
            "curl -H 'X-Api-Key: hunter2' http://a",
            "curl -H 'X-Api-Key: REDACTED' http://a",
        ),
        (
            "curl 'http://a/drain?token=hunter2&wait=5'",
            "curl 'http://a/drain?token=REDACTED&wait=5'",
        ),
        (
            "{\"password\":\"hunter2\",\"wait\":5}",
            "{\"password\":\"REDACTED\",\"wait\":5}",
        ),
        (
            "{\\\"password\\\": \\\"hunter2\\\", \\\"a\\\": 1}",
            "{\\\"password\\\": \\\"REDACTED\\\", \\\"a\\\": 1}",
        ),
        (
            "mesh:\n  token: hunter2\n  drain: 5s\n",
            "mesh:\n  token: REDACTED\n  drain: 5s\n",
        ),
        (
            "authorization: \"Basic aHVudGVyMg==\"",
            "authorization: \"Basic REDACTED\"",
        ),
        ("echo 0123456789abcdef0123456789abcdef", "echo REDACTED"),
        ("echo ghp_abcdefghijklmnop1234", "echo REDACTED"),
        (
            "x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln y",
            "x REDACTED y",
        ),
        (
            "a\n-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----\nb",
            "a\nREDACTED\nb",
        ),
    ] {
        assert_eq!(text(before), after);
    }
}

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for whole in [
        "sleep 15",
        "nginx -s quit; while pgrep -x nginx; do sleep 1; done",
        "curl -X POST http://localhost:15000/quitquitquit",
        "curl -H \"Authorization: Bearer $TOKEN\" http://a",
        "app --token=$(cat /var/run/token) --use-token=false",
        "PASSWORD= app",
        "kill -TERM 1 && wait",
        "/opt/Company1/SomethingLonger/AndLonger/Still/bin/stop",
        "registry.example/team/a-rather-long-name-of-an-application-2:v1.2.3",
        "std::token::parse",
        "{\"idle_timeout.timeout_seconds\": 60}",
    ] {
        assert_eq!(text(whole), whole);
    }
}

fn command_of(words: &[&str]) -> Vec<String> {
    let mut words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    command(words.iter_mut());
    words
}

#[test]
fn a_flags_value_may_be_a_word_of_its_own_and_hold_any_sign() {
    let words = [
        "app",
        "--password",
        "a, b",
        "--api-key=x;y z",
        "-u",
        "me:it",
        "--token",
        "--wait",
        "5",
    ];
    let masked = [
        "app",
        "--password",
        "REDACTED",
        "--api-key=REDACTED",
        "-u",
        "REDACTED",
        "--token",
        "--wait",
        "5",
    ];
    assert_eq!(command_of(&words), masked);
    assert_eq!(command_of(&masked), masked);
}

#[test]
fn a_script_is_read_as_a_script_and_a_dollar_elsewhere_as_a_dollar() {
    let words = [
        "sh",
        "-ec",
        "TOKEN=abc sleep 5; app --token $TOKEN",
        "x",
        "TOKEN=a b",
        "--token=$it",
        "--token=$(IT)",
    ];
    let masked = [
        "sh",
        "-ec",
        "TOKEN=REDACTED sleep 5; app --token $TOKEN",
        "x",
        "TOKEN=REDACTED",
        "--token=REDACTED",
        "--token=$(IT)",
    ];
    assert_eq!(command_of(&words), masked);
}

proptest! {
    #[test]
    fn masking_twice_is_masking_once_and_never_panics(before in ".*") {
        let once = text(&before);
        prop_assert_eq!(text(&once), once);
    }

    #[test]
    fn no_value_of_a_secrets_name_survives(
        name in "(--)?(db-)?(password|token|api-key|client_secret)",
        between in "(=| = |: |=\"|: ')",
        secret in "[a-zA-Z0-9!@#%^*_+]{12,20}",
    ) {
        prop_assume!(!is_harmless(&secret));
        let masked = text(&format!("app {name}{between}{secret} sleep 5"));
        prop_assert!(!masked.contains(&secret), "{}", masked);
    }
}
