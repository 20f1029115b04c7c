//! What does the probe say of connections that end in each way that there is?

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use drain_check::probe::{Asked, Method, Settings, start};
use drain_check::recording::line::{Line, Said};
use drain_check::timeline::change::{Outcome, Probed};
use futures_util::StreamExt as _;

use crate::fake_api::FakeApi;

fn asked(url: String) -> Asked {
    Asked {
        url,
        rate: 100,
        method: Method::Get,
        timeout: Duration::from_secs(2),
        insecure: false,
        host: None,
    }
}

/// What so many connections meet.
fn lines(asked: Asked, count: usize) -> Vec<Line> {
    let settings = Settings::new(asked).expect("sensible");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let results = start(settings).expect("it begins");
        let all = results.take(count).collect::<Vec<_>>();
        tokio::time::timeout(Duration::from_secs(20), all)
            .await
            .expect("results")
    })
}

fn probed(asked: Asked, count: usize) -> Vec<Probed> {
    let lines = lines(asked, count).into_iter();
    let probed = lines.map(|line| match line.said {
        Said::Probed(probed) => probed,
        other => panic!("{other:?}"),
    });
    probed.collect()
}

/// What each of some connections meets: the same.
fn outcome(asked: Asked) -> Outcome {
    let all = probed(asked, 3);
    assert!(
        all.iter().all(|one| one.outcome == all[0].outcome),
        "{all:?}"
    );
    all[0].outcome
}

/// A server that does this with each connection, and what it read from them.
struct Server {
    address: SocketAddr,
    read: Arc<Mutex<Vec<String>>>,
}

impl Server {
    fn on(address: &str, answer: impl Fn(&mut TcpStream) + Send + 'static) -> Option<Self> {
        let listener = TcpListener::bind(address).ok()?;
        let address = listener.local_addr().expect("an address");
        let read: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = read.clone();
        // It ends with the test's process.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let mut text = vec![0; 4096];
                let length = stream.read(&mut text).unwrap_or(0);
                let text = String::from_utf8_lossy(&text[..length]).into_owned();
                noted.lock().expect("a lock").push(text);
                answer(&mut stream);
            }
        });
        Some(Self { address, read })
    }

    fn new(answer: impl Fn(&mut TcpStream) + Send + 'static) -> Self {
        Self::on("127.0.0.1:0", answer).expect("a port")
    }

    /// Answers with this.
    fn saying(text: &'static str) -> Self {
        Self::new(move |stream| {
            let _ = stream.write_all(text.as_bytes());
        })
    }

    fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}/healthz?a=b", self.address)
    }

    fn read(&self) -> Vec<String> {
        self.read.lock().expect("a lock").clone()
    }
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[test]
fn an_answer_below_500_is_one_and_each_connection_is_new_and_carries_nothing() {
    let server = Server::saying(OK);
    let all = probed(asked(server.url("http")), 5);
    for one in &all {
        assert_eq!(one.outcome, Outcome::Answered(200));
        assert_eq!(one.url, server.url("http"));
        assert!(one.seconds > 0.0 && one.seconds < 2.0, "{one:?}");
    }
    assert!(all.is_sorted_by_key(|one| one.opened));
    let read = server.read();
    assert!(read.len() >= 5);
    for request in read {
        let mut lines: Vec<&str> = request.trim().lines().collect();
        lines.sort_unstable();
        let host = format!("host: {}", server.address);
        let agent = concat!(
            "user-agent: kubectl-drain-check/",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(
            lines,
            [
                "GET /healthz?a=b HTTP/1.1",
                "connection: close",
                &host,
                agent
            ]
        );
    }
}

#[test]
fn a_redirect_is_an_answer_and_is_not_followed() {
    let server =
        Server::saying("HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n");
    assert_eq!(outcome(asked(server.url("http"))), Outcome::Answered(302));
    assert!(
        server
            .read()
            .iter()
            .all(|request| request.starts_with("GET /healthz?a=b "))
    );
}

#[test]
fn head_and_another_host_are_what_is_asked_for() {
    let server = Server::saying("HTTP/1.1 204 No Content\r\n\r\n");
    let asked = Asked {
        method: Method::Head,
        host: Some("shop.example".to_owned()),
        ..asked(server.url("http"))
    };
    assert_eq!(outcome(asked), Outcome::Answered(204));
    for request in server.read() {
        assert!(
            request.starts_with("HEAD /healthz?a=b HTTP/1.1\r\n"),
            "{request}"
        );
        assert!(request.contains("host: shop.example\r\n"), "{request}");
    }
}

#[test]
fn a_status_of_500_and_above_has_failed() {
    let server = Server::saying("HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n");
    let outcome = outcome(asked(server.url("http")));
    assert_eq!(outcome, Outcome::Status(503));
    assert!(outcome.failed());
}

#[test]
fn nobody_there_is_refused() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    assert_eq!(
        outcome(asked(format!("http://{address}/"))),
        Outcome::Refused
    );
    assert_eq!(
        outcome(asked(format!("https://{address}/"))),
        Outcome::Refused
    );
}

#[test]
fn what_ends_before_or_in_the_middle_of_an_answer_is_reset() {
    let silent = Server::new(|_| {});
    assert_eq!(outcome(asked(silent.url("http"))), Outcome::Reset);
    let half = Server::saying("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf");
    assert_eq!(outcome(asked(half.url("http"))), Outcome::Reset);
    // It ends while TLS is set up.
    assert_eq!(outcome(asked(silent.url("https"))), Outcome::Reset);
}

#[test]
fn no_answer_in_time_is_a_timeout_and_takes_no_longer() {
    let slow = Server::new(|_| std::thread::sleep(Duration::from_secs(3)));
    let asked = Asked {
        timeout: Duration::from_millis(200),
        ..asked(slow.url("http"))
    };
    for one in probed(asked, 3) {
        assert_eq!(one.outcome, Outcome::Timeout);
        assert!((0.2..1.0).contains(&one.seconds), "{one:?}");
    }
}

#[test]
fn what_is_no_tls_or_shows_a_certificate_of_nobody_known_is_tls() {
    let plain = Server::saying(OK);
    assert_eq!(outcome(asked(plain.url("https"))), Outcome::Tls);
    let api = FakeApi::serving_tls(Vec::new());
    let url = format!("{}/version", api.url());
    assert_eq!(outcome(asked(url.clone())), Outcome::Tls);
    let insecure = Asked {
        insecure: true,
        ..asked(url)
    };
    assert_eq!(outcome(insecure), Outcome::Answered(200));
}

#[test]
fn an_address_of_ipv6_is_one() {
    let Some(server) = Server::on("[::1]:0", |stream| {
        let _ = stream.write_all(OK.as_bytes());
    }) else {
        let said = "skipped: no IPv6 here, so this was not tried with it";
        writeln!(std::io::stderr(), "{said}").expect("standard error");
        return;
    };
    assert_eq!(outcome(asked(server.url("http"))), Outcome::Answered(200));
}

#[test]
fn a_name_without_an_address_is_something_else() {
    assert_eq!(
        outcome(asked("http://nowhere.invalid/".to_owned())),
        Outcome::Other
    );
}

#[test]
fn it_stops_with_whoever_listens() {
    let server = Server::saying(OK);
    probed(asked(server.url("http")), 3);
    std::thread::sleep(Duration::from_millis(200));
    let read = server.read().len();
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(server.read().len(), read);
}

#[test]
fn a_result_is_a_line_of_a_recording() {
    let server = Server::saying(OK);
    for line in lines(asked(server.url("http")), 2) {
        assert_eq!(line.resource, "probe");
        let read = Line::read(&line.written()).expect("a line");
        assert!(matches!(
            read.said,
            Said::Probed(Probed {
                outcome: Outcome::Answered(200),
                ..
            })
        ));
    }
}
