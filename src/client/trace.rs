//! What was asked of the server, and how long did it take? One line for each request, for `--verbose`.
//!
//! Method, path, status and time, and nothing else: headers and bodies hold what others must not see.

use std::io::Write as _;
use std::time::Duration;

use http::StatusCode;

/// The path without the mark of a list's next page, which is long and tells nobody anything.
fn short(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else {
        return path.to_owned();
    };
    let shown: Vec<_> = query
        .split('&')
        .map(|part| match part.strip_prefix("continue=") {
            Some(_) => "continue=...",
            None => part,
        })
        .collect();
    format!("{path}?{}", shown.join("&"))
}

/// The line about one request; without a status there was no answer.
fn line(path: &str, status: Option<StatusCode>, took: Duration) -> String {
    let status = status.as_ref().map_or("no answer", StatusCode::as_str);
    format!("GET {} {status} in {} ms\n", short(path), took.as_millis())
}

/// Says on standard error what was asked. It may be closed: that is no reason to fail.
#[allow(clippy::disallowed_methods, reason = "-v is for people")]
pub(crate) fn tell(path: &str, status: Option<StatusCode>, took: Duration) {
    let line = line(path, status, took);
    let _ = std::io::stderr().write_all(line.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_path_as_it_was_sent_but_for_the_mark_of_a_page() {
        let took = Duration::from_micros(12_900);
        let ok = Some(StatusCode::OK);
        assert_eq!(
            line("/api/v1/pods?limit=500&continue=eyJ2&x=1", ok, took),
            "GET /api/v1/pods?limit=500&continue=...&x=1 200 in 12 ms\n"
        );
        assert_eq!(
            line("/version", None, took),
            "GET /version no answer in 12 ms\n"
        );
    }
}
