//! What was asked of the probe, and is it sensible?

use std::time::Duration;

use http::Uri;

use crate::words::plain;

/// So many connections may be under way at once: a process has a thousand descriptors where nobody allows more.
const AT_ONCE: f64 = 500.0;

/// The longest that one connection may take.
const LONGEST: Duration = Duration::from_secs(30);

/// What is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Method {
    /// `GET`
    #[default]
    Get,
    /// `HEAD`
    Head,
}

impl Method {
    /// As HTTP writes it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
        }
    }
}

/// What somebody asks for.
#[derive(Debug, Clone)]
pub struct Asked {
    /// `https://shop.example/healthz`
    pub url: String,
    /// New connections a second.
    pub rate: u32,
    /// What is sent.
    pub method: Method,
    /// How long one may take.
    pub timeout: Duration,
    /// Whoever answers is believed to be who they say.
    pub insecure: bool,
    /// The name that is asked for, and that a certificate must have, in place of the URL's.
    pub host: Option<String>,
}

/// The same, looked through.
#[derive(Debug, Clone)]
pub struct Settings {
    pub(super) url: String,
    pub(super) uri: Uri,
    pub(super) rate: u32,
    pub(super) method: Method,
    pub(super) timeout: Duration,
    pub(super) insecure: bool,
    pub(super) host: Option<String>,
}

impl Settings {
    /// Looks through what was asked.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it, and what would be right.
    pub fn new(asked: Asked) -> Result<Self, String> {
        let Asked {
            url,
            rate,
            method,
            timeout,
            insecure,
            host,
        } = asked;
        let uri: Uri = url
            .parse()
            .map_err(|error| format!("--probe: {:?} is no URL: {error}", plain(&url)))?;
        if !matches!(uri.scheme_str(), Some("http" | "https"))
            || uri.host().is_none_or(str::is_empty)
        {
            return Err("--probe: write it as http://HOST:PORT/PATH or https://…".to_owned());
        }
        if uri
            .authority()
            .is_some_and(|whole| whole.as_str().contains('@'))
        {
            // Without the URL, which holds a password.
            return Err(
                "--probe: it sends no credentials; leave out what stands before the @".to_owned(),
            );
        }
        if !(1..=100).contains(&rate) {
            return Err("--probe-rate: between 1 and 100 connections a second".to_owned());
        }
        if timeout.is_zero() || timeout > LONGEST {
            return Err(format!(
                "--probe-timeout: more than 0 and at most {} s",
                LONGEST.as_secs()
            ));
        }
        if f64::from(rate) * timeout.as_secs_f64() > AT_ONCE {
            return Err(format!(
                "--probe-rate times --probe-timeout is how many connections may be open at once: at most {AT_ONCE}"
            ));
        }
        let name = host.as_deref().unwrap_or("x");
        if name.is_empty()
            || http::HeaderValue::from_str(name).is_err()
            || name.contains(['/', ' '])
        {
            return Err("--probe-host: a name, as a Host header has it".to_owned());
        }
        Ok(Self {
            url,
            uri,
            rate,
            method,
            timeout,
            insecure,
            host,
        })
    }

    /// What it is going to do, before it begins.
    #[must_use]
    pub fn told(&self) -> String {
        let each = match self.rate {
            1 => "a new connection a second".to_owned(),
            many => format!("{many} new connections a second"),
        };
        let host = self
            .host
            .as_ref()
            .map(|host| format!(" as {}", plain(host)));
        let trust = if self.insecure && self.uri.scheme_str() == Some("https") {
            "; its certificate is not verified"
        } else {
            ""
        };
        format!(
            "probe: {} {}{} from this machine, {each}, {} s for each, without credentials and without following redirects{trust}",
            self.method.name(),
            plain(&self.url),
            host.unwrap_or_default(),
            self.timeout.as_secs_f64(),
        )
    }

    /// The name and perhaps the port that are asked for.
    pub(super) fn authority(&self) -> &str {
        let own = self
            .uri
            .authority()
            .map_or("", http::uri::Authority::as_str);
        self.host.as_deref().unwrap_or(own)
    }

    /// The name that a certificate must have, where it is another than the URL's.
    pub(super) fn server_name(&self) -> Option<&str> {
        let host = self.host.as_deref()?;
        // A port is no part of a name; an address in brackets has colons of its own.
        Some(match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(url: &str) -> Asked {
        Asked {
            url: url.to_owned(),
            rate: 10,
            method: Method::Get,
            timeout: Duration::from_secs(2),
            insecure: false,
            host: None,
        }
    }

    #[test]
    fn only_what_can_be_probed_without_credentials_is_taken() {
        for url in [
            "http://shop.example",
            "https://shop.example:8443/healthz?a=b",
            "http://[::1]:8080/",
        ] {
            assert!(Settings::new(asked(url)).is_ok(), "{url}");
        }
        for url in [
            "shop.example",
            "/healthz",
            "ftp://shop.example",
            "http://",
            "",
            "http://a b/",
        ] {
            assert!(Settings::new(asked(url)).is_err(), "{url}");
        }
        let said =
            Settings::new(asked("http://me:hunter2@shop.example/")).expect_err("credentials");
        assert!(
            said.contains("no credentials") && !said.contains("hunter2"),
            "{said}"
        );
    }

    #[test]
    fn no_more_connections_are_open_at_once_than_a_process_may_have() {
        for (rate, seconds, fine) in [
            (100, 5, true),
            (100, 6, false),
            (0, 2, false),
            (101, 1, false),
            (1, 31, false),
            (1, 0, false),
        ] {
            let asked = Asked {
                rate,
                timeout: Duration::from_secs(seconds),
                ..asked("http://shop.example")
            };
            assert_eq!(Settings::new(asked).is_ok(), fine, "{rate} {seconds}");
        }
    }

    #[test]
    fn a_host_is_asked_for_and_expected_in_the_certificate() {
        for (host, fine, name) in [
            ("shop.example", true, "shop.example"),
            ("shop.example:8443", true, "shop.example"),
            ("", false, ""),
            ("a\r\nCookie: x", false, ""),
            ("a/b", false, ""),
        ] {
            let asked = Asked {
                host: Some(host.to_owned()),
                ..asked("https://192.0.2.1/")
            };
            let settings = Settings::new(asked);
            assert_eq!(settings.is_ok(), fine, "{host:?}");
            if let Ok(settings) = settings {
                assert_eq!(settings.authority(), host);
                assert_eq!(settings.server_name(), Some(name));
            }
        }
    }
}
