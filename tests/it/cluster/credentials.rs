//! What proves who asks, and to whom it is shown: tokens, passwords, certificates, and a proxy on the way.

use std::io::{Read, Write};

use serde_json::{Value, json};

use super::harness::Setup;
use crate::fake_api::{FakeApi, Fault, TLS_NAME, fixtures, recording};

fn web() -> Vec<Value> {
    recording("rollout-midway")
}

const SECRET: &str = "s3cr3t-t0ken";

#[test]
fn the_token_is_shown_to_a_server_with_tls_wherever_it_comes_from() {
    let api = FakeApi::serving_tls(web());
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), format!("{SECRET}\n")).expect("a file");
    let file = file.path().to_str().expect("UTF-8");
    let cases = [
        (json!({"token": SECRET}), &[][..]),
        (json!({"tokenFile": file}), &[]),
        (json!({"token": "", "tokenFile": file}), &[]),
        (json!({"token": "old", "tokenFile": file}), &[]),
        (json!({"token": SECRET, "tokenFile": "/nowhere"}), &[]),
        (json!({}), &["--token", SECRET]),
        (json!({"token": "old"}), &["--token", SECRET]),
        (json!({"tokenFile": "/nowhere"}), &["--token", SECRET]),
        (
            json!({"username": "u", "password": "p"}),
            &["--token", SECRET],
        ),
    ];
    for (user, flags) in cases {
        let setup = Setup::with_user(&api, "rollout", &user);
        let ran = setup.run(&[&["svc/web", "-o", "json"], flags].concat());
        ran.report();
        ran.hides(SECRET);
        let last = api.asked().pop().expect("a request");
        let shown = last.header("authorization");
        assert_eq!(shown, Some("Bearer s3cr3t-t0ken"), "{user}");
    }
    for (user, flags) in [
        (json!({"username": "u", "password": SECRET}), &[][..]),
        (
            json!({"token": "old"}),
            &["--username", "u", "--password", SECRET],
        ),
    ] {
        let setup = Setup::with_user(&api, "rollout", &user);
        let ran = setup.run(&[&["svc/web", "-o", "json"], flags].concat());
        ran.report();
        ran.hides(SECRET);
        let last = api.asked().pop().expect("a request");
        assert_eq!(
            last.header("authorization"),
            Some("Basic dTpzM2NyM3QtdDBrZW4=")
        );
    }
}

#[test]
fn refused_credentials_are_not_repeated_in_the_cure() {
    let api = FakeApi::serving_tls(web());
    api.fault("/", Fault::Status(401, "Unauthorized"));
    let setup = Setup::with_user(&api, "rollout", &json!({"token": "old"}));
    for secret in [
        &["--token", SECRET][..],
        &["--username", "u", "--password", SECRET],
    ] {
        let ran = setup.run(&[&["svc/web"], secret].concat());
        ran.refused(&["kubectl auth whoami", "--kubeconfig"]);
        ran.hides(SECRET);
    }
}

#[test]
fn without_tls_no_credentials_are_shown_to_anybody() {
    let api = FakeApi::serving(web());
    for user in [
        json!({"token": SECRET}),
        json!({"username": "u", "password": SECRET}),
        json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "/nowhere",
            "interactiveMode": "Never"}}),
        json!({"tokenFile": "/nowhere"}),
    ] {
        let setup = Setup::with_user(&api, "rollout", &user);
        setup.run(&["svc/web", "-o", "json"]).report();
        setup
            .run(&["svc/web", "-o", "json", "--token", SECRET])
            .report();
    }
    for asked in api.asked() {
        assert_eq!(asked.header("authorization"), None);
    }
}

#[test]
fn credentials_that_cannot_be_used_are_an_error_that_does_not_show_them() {
    let api = FakeApi::serving_tls(web());
    let refused = |user: Value, facts: &[&str]| {
        let ran = Setup::with_user(&api, "rollout", &user).run(&["svc/web"]);
        ran.refused(facts);
        ran.hides(SECRET);
    };
    refused(
        json!({"token": format!("{SECRET}\nx")}),
        &["the token", "line break"],
    );
    refused(
        json!({"tokenFile": "/nowhere"}),
        &["/nowhere", "tokenFile", "--token"],
    );
    let pem = format!("-----BEGIN {SECRET}");
    refused(
        json!({"client-certificate-data": pem, "client-key-data": pem}),
        &[],
    );
    // A key that is cut off.
    let cut = format!("-----BEGIN PRIVATE KEY-----\n{SECRET}\n").into_bytes();
    let cut = json!(k8s_openapi::ByteString(cut));
    let user = json!({"client-certificate-data": cut, "client-key-data": cut});
    let ran = Setup::with_user(&api, "rollout", &user).run(&["svc/web"]);
    ran.refused(&["no complete PEM", "kubeconfig"]);
    ran.hides(SECRET);
    // Nor its bytes as numbers.
    ran.hides("115, 51, 99");
    refused(json!({"token": {"secret": SECRET}}), &["kubeconfig"]);
    assert_eq!(api.paths(), [""; 0]);

    let setup = Setup::with_user(&api, "rollout", &json!({}));
    let text = format!(
        "apiVersion: v1\nkind: Config\nusers:\n- name: me\n  user:\n    token: [{SECRET}\n"
    );
    std::fs::write(&setup.kubeconfig, text).expect("a file");
    let ran = setup.run(&["svc/web"]);
    ran.refused(&["the kubeconfig", "config:", "correct the file"]);
    ran.hides(SECRET);
}

#[test]
fn a_certificate_that_does_not_fit_is_an_error_with_a_cure() {
    let api = FakeApi::serving_tls(web());
    let setup = Setup::with_user(&api, "rollout", &json!({"token": SECRET}));
    let arguments = |more: &[&'static str]| [&["svc/web", "-o", "json"], more].concat();
    let ran = setup.run(&arguments(&["--tls-server-name", "other.test"]));
    ran.refused(&["cannot talk to", "certificate", "--tls-server-name"]);
    // Another server has another name: the kubeconfig's does not hold for it.
    let url = api.url();
    let ran = setup.run(&["svc/web", "--server", &url]);
    ran.refused(&["certificate"]);
    setup
        .run(&[
            "svc/web",
            "-o",
            "json",
            "--server",
            &url,
            "--tls-server-name",
            TLS_NAME,
        ])
        .report();

    // An authority that did not sign it: an own one, valid, but another's.
    let file = setup.folder.path().join("empty.crt");
    std::fs::write(&file, "no certificate").expect("a file");
    let file = file.to_str().expect("UTF-8");
    let ran = setup.run(&["svc/web", "--certificate-authority", file]);
    ran.refused(&["certificate authority", "PEM"]);
    assert!(api.asked().len() < 30, "only the good one came through");

    let ran = setup.run(&arguments(&[
        "--insecure-skip-tls-verify",
        "--tls-server-name",
        "x.test",
    ]));
    ran.report();
}

/// The fixture of this name, in base64.
fn base64(name: &str) -> Value {
    let bytes = std::fs::read(fixtures().join("tls").join(name)).expect("the fixture");
    serde_json::to_value(k8s_openapi::ByteString(bytes)).expect("a text")
}

#[test]
fn a_client_certificate_is_shown_wherever_it_comes_from() {
    let api = FakeApi::serving_known(web());
    let path = |name: &str| fixtures().join("tls").join(name).display().to_string();
    let (certificate, key) = (path("server.crt"), path("server.key"));
    let flags = ["--client-certificate", &certificate, "--client-key", &key];
    let text = |name: &str| std::fs::read_to_string(path(name)).expect("the fixture");
    let status = json!({"clientCertificateData": text("server.crt"), "clientKeyData": text("server.key").trim_end()});
    let credential = json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}).to_string();
    let mut cases = vec![
        (
            json!({"client-certificate": certificate, "client-key": key}),
            &[][..],
        ),
        (
            json!({"client-certificate-data": base64("server.crt"), "client-key-data": base64("server.key")}),
            &[],
        ),
        (json!({}), &flags),
        (
            json!({"client-certificate-data": "b2xk", "client-key-data": "b2xk"}),
            &flags,
        ),
    ];
    if cfg!(unix) {
        let exec = json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1",
            "interactiveMode": "Never", "command": "/bin/sh",
            "args": ["-c", "printf %s \"$CREDENTIAL\""],
            "env": [{"name": "CREDENTIAL", "value": credential}]}});
        cases.push((exec, &[]));
    }
    for (user, flags) in cases {
        let before = api.paths().len();
        let setup = Setup::with_user(&api, "rollout", &user);
        setup
            .run(&[&["svc/web", "-o", "json"], flags].concat())
            .report();
        assert!(api.paths().len() > before, "{user}");
    }

    let before = api.paths().len();
    let ran = Setup::with_user(&api, "rollout", &json!({})).run(&["svc/web"]);
    ran.refused(&["cannot talk to"]);
    assert_eq!(api.paths().len(), before);
}

/// Hands on what each of two says to the other.
fn join(mut inner: std::net::TcpStream, mut outer: std::net::TcpStream) {
    let mut back = (
        outer.try_clone().expect("a half"),
        inner.try_clone().expect("a half"),
    );
    std::thread::spawn(move || std::io::copy(&mut inner, &mut outer));
    std::thread::spawn(move || std::io::copy(&mut back.0, &mut back.1));
}

/// Listens, and leads whoever says `CONNECT` to the address that he names; tells what was said.
fn proxy() -> (String, std::sync::mpsc::Receiver<String>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let (told, tells) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for inner in listener.incoming() {
            let mut inner = inner.expect("a connection");
            let mut said = Vec::new();
            let mut sign = [0];
            while !said.ends_with(b"\r\n\r\n") && inner.read(&mut sign).is_ok_and(|read| read == 1)
            {
                said.push(sign[0]);
            }
            let said = String::from_utf8(said).expect("text");
            let to = said.split(' ').nth(1).unwrap_or_default().to_owned();
            // The test may have ended.
            let _ = told.send(said);
            let outer = std::net::TcpStream::connect(to).expect("a server");
            inner
                .write_all(b"HTTP/1.1 200 OK\r\n\r\n")
                .expect("an answer");
            join(inner, outer);
        }
    });
    (url, tells)
}

#[test]
fn the_kubeconfigs_proxy_leads_to_the_server_and_sees_no_credentials() {
    let api = FakeApi::serving_tls(web());
    let (url, tells) = proxy();
    let setup = Setup::with_user(&api, "rollout", &json!({"token": SECRET}));
    let text = std::fs::read_to_string(&setup.kubeconfig).expect("the file");
    let mut config: Value = serde_json::from_str(&text).expect("JSON");
    config["clusters"][0]["cluster"]["proxy-url"] = json!(url);
    std::fs::write(&setup.kubeconfig, config.to_string()).expect("a file");
    setup.run(&["svc/web", "-o", "json"]).report();
    let said: Vec<String> = tells.try_iter().collect();
    assert!(!said.is_empty());
    for said in said {
        let server = api.url();
        let connect = format!("CONNECT {} ", server.trim_start_matches("https://"));
        assert!(said.starts_with(&connect), "{said}");
        assert!(!said.contains(SECRET), "{said}");
    }

    config["clusters"][0]["cluster"]["proxy-url"] = json!("no url at all");
    std::fs::write(&setup.kubeconfig, config.to_string()).expect("a file");
    setup
        .run(&["svc/web"])
        .refused(&["proxy-url", "http://HOST:PORT"]);
}

/// A SOCKS proxy (RFC 1928) that wants a name and a password (RFC 1929), and leads to the address that it is asked for; tells both.
fn socks() -> (
    std::net::SocketAddr,
    std::sync::mpsc::Receiver<(String, String)>,
) {
    fn some(stream: &mut std::net::TcpStream, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count];
        stream
            .read_exact(&mut bytes)
            .expect("as much as was announced");
        bytes
    }
    fn word(stream: &mut std::net::TcpStream) -> String {
        let length = usize::from(some(stream, 1)[0]);
        String::from_utf8(some(stream, length)).expect("text")
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (told, tells) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for inner in listener.incoming() {
            let mut inner = inner.expect("a connection");
            let head = some(&mut inner, 2);
            let offers = some(&mut inner, usize::from(head[1]));
            if !offers.contains(&2) {
                // No method that is acceptable.
                inner.write_all(&[5, 0xff]).expect("an answer");
                continue;
            }
            inner.write_all(&[5, 2]).expect("an answer");
            some(&mut inner, 1);
            let (user, password) = (word(&mut inner), word(&mut inner));
            let right = user == "me" && password == "hunter 2";
            // The test may have ended.
            let _ = told.send((user, password));
            inner.write_all(&[1, u8::from(!right)]).expect("an answer");
            if !right {
                continue;
            }
            let asked = some(&mut inner, 4);
            assert_eq!(asked[3], 1, "an address of IPv4");
            let to = some(&mut inner, 6);
            let ip = std::net::Ipv4Addr::new(to[0], to[1], to[2], to[3]);
            let port = u16::from_be_bytes([to[4], to[5]]);
            let outer = std::net::TcpStream::connect((ip, port)).expect("a server");
            inner
                .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
                .expect("an answer");
            join(inner, outer);
        }
    });
    (address, tells)
}

#[test]
fn a_socks_proxy_gets_the_name_and_password_of_its_address_as_from_kubectl() {
    let api = FakeApi::serving_tls(web());
    let (address, tells) = socks();
    let setup = Setup::with_user(&api, "rollout", &json!({"token": SECRET}));
    let text = std::fs::read_to_string(&setup.kubeconfig).expect("the file");
    let with = |user: &str| {
        let mut config: Value = serde_json::from_str(&text).expect("JSON");
        let url = format!("socks5://{user}{address}");
        config["clusters"][0]["cluster"]["proxy-url"] = json!(url);
        std::fs::write(&setup.kubeconfig, config.to_string()).expect("a file");
        setup.run(&["svc/web", "-o", "json"])
    };
    with("me:hunter%202@").report();
    let said: Vec<_> = tells.try_iter().collect();
    assert!(!said.is_empty());
    for (user, password) in said {
        assert_eq!((user.as_str(), password.as_str()), ("me", "hunter 2"));
    }
    for user in ["", "me:wrong@"] {
        let ran = with(user);
        ran.refused(&["cannot talk to"]);
        ran.hides("wrong");
    }
    // More than the protocol has room for (RFC 1929, 2).
    let long = format!("me:{}@", "wrong".repeat(60));
    let ran = with(&long);
    ran.refused(&["proxy-url"]);
    ran.hides("wrong");
}
