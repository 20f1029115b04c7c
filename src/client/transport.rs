//! What lies between a request and the server: kube's layers (the server's path, credentials, whom to act as), compression,
//! our connections, TLS and a proxy.

use http::Uri;
use hyper::rt::{Read, Write};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use kube::client::{ClientBuilder, ConfigExt as _, RustlsTlsError};
use kube::config::Config;
use tower::Service;
use tower_http::decompression::DecompressionLayer;

use super::pool;

fn server_name(name: &str) -> Result<FixedServerNameResolver, kube::Error> {
    let name = name.to_owned().try_into();
    let name = name.map_err(RustlsTlsError::InvalidServerName);
    Ok(FixedServerNameResolver::new(
        name.map_err(kube::Error::RustlsTls)?,
    ))
}

/// Puts TLS on connections to somebody who is no API server, where the address asks for it, and HTTP/1.1 on top. Trusts whom this machine
/// trusts, or anybody; a name stands in place of the address's.
pub(crate) fn over_tls<C>(
    connector: C,
    uri: &Uri,
    insecure: bool,
    name: Option<&str>,
) -> Result<HttpsConnector<C>, kube::Error> {
    let mut config = Config::new(uri.clone());
    config.accept_invalid_certs = insecure;
    // Nothing is verified: do not fail on a machine that trusts nobody.
    if insecure || uri.scheme_str() == Some("http") {
        config.root_cert = Some(Vec::new());
    }
    let mut tls = HttpsConnectorBuilder::new()
        .with_tls_config(config.rustls_client_config()?)
        .https_or_http();
    if let Some(name) = name {
        tls = tls.with_server_name_resolver(server_name(name)?);
    }
    Ok(tls.enable_http1().wrap_connector(connector))
}

/// A client whose connections go through the proxy that the configuration names, if it does.
pub(crate) fn client(config: &Config) -> Result<kube::Client, kube::Error> {
    let mut tcp = HttpConnector::new();
    // TLS comes on top of it.
    tcp.enforce_http(false);
    // As Go has it: a small request does not wait for the acknowledgement of the one before.
    tcp.set_nodelay(true);
    let Some(proxy) = &config.proxy_url else {
        return over(tcp, config);
    };
    match proxy.scheme_str() {
        Some("socks5") => over(socks(proxy, tcp, config), config),
        Some("https") => {
            let tls = config.rustls_https_connector_with_connector(tcp)?;
            over(tunnel(proxy, tls, config), config)
        }
        _ => over(tunnel(proxy, tcp, config), config),
    }
}

/// What the proxy's address says of who asks, as its kind wants it.
fn credentials(proxy: &Uri, config: &Config) -> Option<Intercept> {
    let matcher = Matcher::builder().all(proxy.to_string()).build();
    matcher.intercept(&config.cluster_url)
}

/// Says `CONNECT` to a proxy, with the name and password of its address.
fn tunnel<C>(proxy: &Uri, connector: C, config: &Config) -> Tunnel<C> {
    let tunnel = Tunnel::new(proxy.clone(), connector);
    let known = credentials(proxy, config);
    match known.as_ref().and_then(Intercept::basic_auth) {
        Some(header) => tunnel.with_auth(header.clone()),
        None => tunnel,
    }
}

/// Asks a SOCKS proxy, with the name and password of its address (RFC 1929).
fn socks<C>(proxy: &Uri, connector: C, config: &Config) -> SocksV5<C> {
    let socks = SocksV5::new(proxy.clone(), connector);
    let known = credentials(proxy, config);
    match known.as_ref().and_then(Intercept::raw_auth) {
        Some((user, password)) => socks.with_auth(user.to_owned(), password.to_owned()),
        None => socks,
    }
}

/// Puts on these connections what kube's own client (kube-client 5.0.0, `client/builder.rs`) puts on its own, but for its
/// retries: they wait as long as a server's `Retry-After` says, fifteen times; `api` has bounds.
fn over<C>(connector: C, config: &Config) -> Result<kube::Client, kube::Error>
where
    C: Service<Uri> + Clone + Send + Sync + 'static,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    C::Future: Send + 'static,
    C::Error: Into<pool::BoxError>,
{
    let mut tls = HttpsConnectorBuilder::new()
        .with_tls_config(config.rustls_client_config()?)
        .https_or_http();
    if let Some(name) = &config.tls_server_name {
        tls = tls.with_server_name_resolver(server_name(name)?);
    }
    // client-go knows this variable too (`k8s.io/apimachinery/pkg/util/net/http.go`): the way out where something between
    // here and the server says HTTP/2 and cannot do it.
    #[allow(clippy::disallowed_methods, reason = "a variable of client-go")]
    let https = if std::env::var_os("DISABLE_HTTP2").is_some_and(|value| !value.is_empty()) {
        tls.enable_http1().wrap_connector(connector)
    } else {
        tls.enable_all_versions().wrap_connector(connector)
    };
    let connections = pool::service(https, config.cluster_url.clone());
    let builder = ClientBuilder::new(connections, config.default_namespace.clone())
        .with_layer(&config.extra_headers_layer()?)
        // It unpacks while a body is read, so that whoever bounds what is read bounds what is unpacked.
        .with_layer(&DecompressionLayer::new().gzip(!config.disable_compression))
        .with_layer(&config.base_uri_layer());
    Ok(match config.auth_layer()? {
        Some(credentials) => builder.with_layer(&credentials).build(),
        None => builder.build(),
    })
}
