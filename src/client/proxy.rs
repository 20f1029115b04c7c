//! Through which proxy? As Go's net/http, and so kubectl, reads `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`.
//!
//! kube-client 5.0.0 compares `NO_PROXY` with the proxy's own address instead of the server's, so it is not left to it.

use std::net::IpAddr;

use http::Uri;

use super::error::ClusterError;

/// The proxy for a server: the kubeconfig's `proxy-url` always, the environment's unless `NO_PROXY` excludes the server.
pub(crate) fn choose(
    server: &Uri,
    proxy_url: Option<&str>,
    variable: impl Fn(&str) -> Option<String>,
) -> Result<Option<Uri>, ClusterError> {
    let set = |names: [&str; 2]| {
        names
            .into_iter()
            .find_map(|name| variable(name).filter(|value| !value.is_empty()))
    };
    if let Some(url) = proxy_url.filter(|url| !url.is_empty()) {
        return parse(url, "the kubeconfig's proxy-url").map(Some);
    }
    let names = if server.scheme_str() == Some("http") {
        ["HTTP_PROXY", "http_proxy"]
    } else {
        ["HTTPS_PROXY", "https_proxy"]
    };
    let Some(url) = set(names) else {
        return Ok(None);
    };
    let excluded = set(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    let host = server.host().unwrap_or_default();
    let port = server.port_u16().unwrap_or(match server.scheme_str() {
        Some("http") => 80,
        _ => 443,
    });
    if is_excluded(host, port, &excluded) {
        return Ok(None);
    }
    parse(&url, names[0]).map(Some)
}

fn parse(url: &str, from: &str) -> Result<Uri, ClusterError> {
    let full = if url.contains("://") {
        url.to_owned()
    } else {
        format!("http://{url}")
    };
    let wrong = |error: &str| ClusterError::Kubeconfig {
        // Without the URL, which may hold a password.
        said: format!("{from} {error}"),
        help: "write it as http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT".to_owned(),
    };
    let uri: Uri = full
        .parse()
        .map_err(|error| wrong(&format!("is not a URL: {error}")))?;
    match uri.scheme_str() {
        Some("socks5") if !fits_socks(&uri) => {
            Err(wrong("has a name or a password that is too long for SOCKS"))
        }
        Some("http" | "https" | "socks5") => Ok(uri),
        _ => Err(wrong("is no proxy of a kind that is known")),
    }
}

/// A SOCKS proxy takes 255 bytes of each, and a name of at least one (RFC 1929, 2; Go's `internal/socks` refuses others too);
/// hyper-util 0.1.21 has room for 259 of both.
fn fits_socks(uri: &Uri) -> bool {
    let authority = uri.authority().map_or("", |all| all.as_str());
    // Encoded, they are longer; nobody has one of that length.
    authority
        .rsplit_once('@')
        .is_none_or(|(user, _)| user.len() <= 256)
}

/// Does `NO_PROXY` name this server? Loopback addresses never go through a proxy.
fn is_excluded(host: &str, port: u16, list: &str) -> bool {
    let host = host
        .trim_start_matches('[')
        .trim_end_matches(']')
        .to_lowercase();
    let ip: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || ip.is_some_and(|ip| ip.is_loopback()) {
        return true;
    }
    list.split(',')
        .map(str::trim)
        .filter(|entry| !entry.is_empty())
        .any(|entry| matches(entry, &host, ip, port))
}

fn matches(entry: &str, host: &str, ip: Option<IpAddr>, port: u16) -> bool {
    if entry == "*" {
        return true;
    }
    if let Some((network, bits)) = entry.split_once('/') {
        return match (network.parse(), bits.parse(), ip) {
            (Ok(network), Ok(bits), Some(ip)) => contains(network, bits, ip),
            _ => false,
        };
    }
    if let Ok(named) = entry.trim_matches(['[', ']']).parse::<IpAddr>() {
        return ip == Some(named);
    }
    let (name, wanted) = match entry.rsplit_once(':') {
        Some((name, number)) => (name.trim_matches(['[', ']']), number.parse::<u16>().ok()),
        None => (entry, None),
    };
    if wanted.is_some_and(|wanted| wanted != port) {
        return false;
    }
    if let Ok(named) = name.parse::<IpAddr>() {
        return ip == Some(named);
    }
    let name = name.to_lowercase();
    let name = name.strip_prefix('*').unwrap_or(&name);
    match name.strip_prefix('.') {
        // `.example.org` is what is below it, `example.org` also itself.
        Some(_) => host.ends_with(name),
        None => host == name || host.ends_with(&format!(".{name}")),
    }
}

fn contains(network: IpAddr, bits: u32, ip: IpAddr) -> bool {
    match (network, ip) {
        (IpAddr::V4(network), IpAddr::V4(ip)) if bits <= 32 => {
            let shift = 32 - bits;
            u64::from(network.to_bits()) >> shift == u64::from(ip.to_bits()) >> shift
        }
        (IpAddr::V6(network), IpAddr::V6(ip)) if bits <= 128 => {
            bits == 0 || network.to_bits() >> (128 - bits) == ip.to_bits() >> (128 - bits)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proxy(server: &str, url: Option<&str>, set: &[(&str, &str)]) -> Option<String> {
        choose(&server.parse().expect("a URI"), url, |name| {
            set.iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
        .expect("a choice")
        .map(|uri| uri.to_string())
    }

    #[test]
    fn the_variable_of_the_servers_scheme_counts() {
        let set = [
            ("HTTPS_PROXY", "http://secure:1"),
            ("http_proxy", "plain:2"),
        ];
        assert_eq!(
            proxy("https://api.example.org", None, &set).as_deref(),
            Some("http://secure:1/")
        );
        assert_eq!(
            proxy("http://api.example.org", None, &set).as_deref(),
            Some("http://plain:2/")
        );
        assert_eq!(proxy("https://api.example.org", None, &[]), None);
    }

    #[test]
    fn no_proxy_is_compared_with_the_server_and_not_with_the_proxy() {
        let excluded = |server: &str, list: &str| {
            let set = [
                ("HTTPS_PROXY", "http://proxy.corp:3128"),
                ("NO_PROXY", list),
            ];
            proxy(server, None, &set).is_none()
        };
        assert!(excluded(
            "https://api.example.org:6443",
            "a.b, example.org,"
        ));
        assert!(excluded("https://api.example.org:6443", ".example.org"));
        assert!(excluded("https://api.example.org:6443", "*.example.org"));
        assert!(excluded(
            "https://api.example.org:6443",
            "api.example.org:6443"
        ));
        assert!(excluded("https://10.1.2.3:6443", "10.0.0.0/8"));
        assert!(excluded("https://10.1.2.3:6443", "10.1.2.3"));
        assert!(excluded("https://[fd00::7]:6443", "fd00::/64"));
        assert!(excluded("https://[fd00::7]:6443", "[fd00::7]:6443"));
        assert!(excluded("https://api.example.org", "*"));
        assert!(!excluded("https://api.example.org:6443", "proxy.corp"));
        assert!(!excluded("https://api.example.org:6443", "ample.org"));
        assert!(!excluded("https://example.org", ".example.org"));
        assert!(!excluded(
            "https://api.example.org:6443",
            "api.example.org:443"
        ));
        assert!(!excluded("https://11.1.2.3", "10.0.0.0/8"));
        assert!(!excluded("https://10.1.2.3", "nonsense/8"));
    }

    #[test]
    fn the_kubeconfigs_proxy_wins_and_no_proxy_does_not_apply_to_it() {
        let set = [("HTTPS_PROXY", "http://other:1"), ("NO_PROXY", "*")];
        assert_eq!(
            proxy("https://api", Some("socks5://jump:1080"), &set).as_deref(),
            Some("socks5://jump:1080/")
        );
    }

    #[test]
    fn a_server_on_this_machine_is_asked_directly() {
        let set = [
            ("HTTPS_PROXY", "http://proxy:1"),
            ("HTTP_PROXY", "http://proxy:1"),
        ];
        assert_eq!(proxy("https://127.0.0.1:6443", None, &set), None);
        assert_eq!(proxy("https://[::1]:6443", None, &set), None);
        assert_eq!(proxy("http://localhost:8001", None, &set), None);
    }
}
