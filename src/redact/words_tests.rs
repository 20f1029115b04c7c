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
        "PGPASS",
        "--requirepass",
        "-storepass",
        "--bind-pw",
        "--otp",
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
        "--bypass",
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

#[test]
fn a_letter_of_a_program_that_takes_a_secret_is_known() {
    for (before, after) in [
        (
            "mysql -u root -phunter2 shop",
            "mysql -u root -pREDACTED shop",
        ),
        (
            "mysqldump -p'a b' shop; sleep 5",
            "mysqldump -p'REDACTED' shop; sleep 5",
        ),
        (
            "sshpass -p hunter2 ssh -p 22 a",
            "sshpass -p REDACTED ssh -p 22 a",
        ),
        ("sshpass -p \"a b\" ssh a", "sshpass -p \"REDACTED\" ssh a"),
        (
            "timeout 5 redis-cli -a hunter2 shutdown",
            "timeout 5 redis-cli -a REDACTED shutdown",
        ),
        ("app key=hunter2 wait=5", "app key=REDACTED wait=5"),
    ] {
        assert_eq!(text(before), after);
        assert_eq!(text(after), after);
    }
    for whole in [
        "mysql -p shop",
        "mysqladmin --port 3306 -p$PASS shutdown",
        "mkdir -p /var/run/app && ps -p 1",
        "docker run -p 8080:80 web",
        "redis-cli -h localhost shutdown; ls -a hidden",
        "app --tls-key=/etc/tls/tls.key --sort-key=2 --key=ca.pem",
        "kubectl annotate pod x partition-key=a/b",
    ] {
        assert_eq!(text(whole), whole);
    }
    let words = [
        "redis-cli",
        "-a",
        "hunter2",
        "--tls-key",
        "/x",
        "--key",
        "hunter2",
    ];
    let masked = [
        "redis-cli",
        "-a",
        "REDACTED",
        "--tls-key",
        "/x",
        "--key",
        "REDACTED",
    ];
    assert_eq!(command_of(&words), masked);
    let words = ["/usr/bin/mysql", "-phunter2", "-p", "shop"];
    let masked = ["/usr/bin/mysql", "-pREDACTED", "-p", "shop"];
    assert_eq!(command_of(&words), masked);
}

#[test]
fn an_image_keeps_its_tag_and_digest_and_no_password() {
    let commit = "3f2a9c0d4e5b6a7980123456789abcdef0123456";
    let digest = format!("web@sha256:{}", "0123456789abcdef".repeat(4));
    for whole in [
        "nginx:1.27",
        "registry.example:5000/team/web:v1",
        &format!("web:{commit}"),
        &digest,
    ] {
        assert_eq!(image(whole), whole);
    }
    for (before, after) in [
        (
            "me:hunter2@registry.example/web:1",
            "REDACTED@registry.example/web:1",
        ),
        (
            "https://me:hunter2@registry.example/web:1",
            "https://REDACTED@registry.example/web:1",
        ),
        (
            &format!("me:hunter2@r.example/{digest}"),
            &format!("REDACTED@r.example/{digest}"),
        ),
        (
            "registry.example/ghp_abcdefghijklmnop1234/web",
            "registry.example/REDACTED/web",
        ),
    ] {
        assert_eq!(image(before), after);
        assert_eq!(image(after), after);
    }
}

/// Something of a shape: `ghp_[0-9A-Za-z]{36}`, at random.
fn of_shape(shape: &str, random: &mut impl FnMut(usize) -> usize) -> String {
    let mut out = String::new();
    let mut rest = shape;
    while let Some((plain, class)) = rest.split_once('[') {
        out.push_str(plain);
        let (class, after) = class.split_once("]{").expect("a class");
        let (times, after) = after.split_once('}').expect("a number");
        let signs: Vec<char> = class.chars().collect();
        let mut all = Vec::new();
        let mut at = 0;
        while at < signs.len() {
            let range = signs.get(at + 1) == Some(&'-') && at + 2 < signs.len();
            all.extend(signs[at]..=signs[if range { at + 2 } else { at }]);
            at += if range { 3 } else { 1 };
        }
        let times: usize = times.parse().expect("a number");
        let mut part: String = (0..times).map(|_| all[random(all.len())]).collect();
        // Chance seldom leaves out digits, and ends hardly ever with a sign.
        if times > 8 && all.contains(&'7') {
            for at in [2, 5, times - 1] {
                part.replace_range(at..=at, "7");
            }
        }
        out.push_str(&part);
        rest = after;
    }
    out + rest
}

/// The most of a token that may be left, in signs: what stands for who has it, and the host of an address.
const LEFT: usize = 30;

#[test]
fn tokens_of_every_published_shape_are_masked_wherever_they_stand() {
    let facts = include_str!("../../tests/fixtures/secrets/shapes.yaml");
    let facts: serde_json::Value = serde_yaml::from_str(facts).expect("YAML");
    let shapes = facts["shapes"].as_array().expect("a list");
    assert!(shapes.len() > 130, "{}", shapes.len());
    let mut seed = 7_usize;
    let mut random = |below: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    let mut survived = Vec::new();
    for shape in shapes {
        let (id, shape) = (&shape["id"], shape["shape"].as_str().expect("text"));
        for _ in 0..20 {
            let token = of_shape(shape, &mut random);
            for around in [
                "run @ now",
                "run --x=@ now",
                "run '@' now",
                "{\"a\": \"@\"}",
                "curl http://a/?x=@",
            ] {
                // An address within another is one address, with one user.
                if around.contains("://") && shape.contains("://") {
                    continue;
                }
                let masked = text(&around.replace('@', &token));
                let left = token
                    .as_bytes()
                    .windows(LEFT + 1)
                    .any(|part| masked.contains(std::str::from_utf8(part).expect("ASCII")));
                let (before, after) = around.split_once('@').expect("a place");
                if left
                    || !masked.contains(MASK)
                    || !masked.starts_with(before)
                    || !masked.ends_with(after)
                {
                    survived.push(format!("{id} {token}: {masked}"));
                }
            }
        }
    }
    survived.dedup_by_key(|one| one.split(' ').next().map(str::to_owned));
    assert!(survived.is_empty(), "{}", survived.join("\n"));
    for name in facts["names"].as_array().expect("a list") {
        let name = name
            .as_str()
            .expect("text")
            .replace('-', "_")
            .to_uppercase();
        assert_eq!(
            text(&format!("{name}=hunter22 app")),
            format!("{name}=REDACTED app")
        );
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
