//! How does what was chosen become a client?

use http::header::{HeaderValue, USER_AGENT};
use http::uri::Uri;
use kube::client::RustlsTlsError;
use kube::config::{AuthInfo, Cluster, Config, ExecAuthCluster};

use super::budget::Budget;
use super::connection::Connection;
use super::error::ClusterError;
use super::limits::Limits;
use super::progress::Progress;
use super::{certificates, credentials, kubeconfig, proxy, transport};

/// A client, and what reports say of where it goes.
#[derive(Clone)]
pub(crate) struct Connected {
    /// The client.
    pub(crate) client: kube::Client,
    /// The server's address, for messages.
    pub(crate) server: String,
    /// The context's name, if there is one.
    pub(crate) context: Option<String>,
    /// The namespace of whoever names none.
    pub(crate) namespace: String,
    /// How much a server may make us hold.
    pub(crate) budget: Budget,
    /// How long it may take.
    pub(crate) limits: Limits,
    /// Where to say what is being read.
    pub(crate) progress: Progress,
    /// Whether each request is told on standard error.
    pub(crate) verbose: bool,
}

/// kubectl takes an address without a scheme as https if anything is said about TLS, else as http.
fn address(cluster: &Cluster, user: &AuthInfo) -> Result<Uri, ClusterError> {
    let wrong = |said: String| ClusterError::Kubeconfig {
        said,
        help: "write it as https://HOST:PORT, in the kubeconfig's cluster or with --server"
            .to_owned(),
    };
    let server = cluster.server.clone().unwrap_or_default();
    if server.is_empty() {
        return Err(wrong("the cluster has no server address".to_owned()));
    }
    let tls = cluster.certificate_authority.is_some()
        || cluster.certificate_authority_data.is_some()
        || cluster.insecure_skip_tls_verify == Some(true)
        || user.client_certificate.is_some()
        || user.client_certificate_data.is_some();
    let full = match (server.contains("://"), tls) {
        (true, _) => server,
        (false, true) => format!("https://{server}"),
        (false, false) => format!("http://{server}"),
    };
    // Without a password, which it may hold.
    let shown = match full.split_once("://").zip(full.rsplit_once('@')) {
        Some(((scheme, _), (_, host))) => format!("{scheme}://{host}"),
        None => full.clone(),
    };
    let uri: Uri = full
        .parse()
        .map_err(|error| wrong(format!("the server address {shown:?}: {error}")))?;
    if uri.host().is_none_or(str::is_empty) || !matches!(uri.scheme_str(), Some("http" | "https")) {
        return Err(wrong(format!(
            "the server address {shown:?} is no URL of a server"
        )));
    }
    Ok(uri)
}

/// Whom to trust, and to trust anybody: kubectl refuses that before it reads any file (client-go, `transport/transport.go`:
/// `TLSConfigFor`), for one of the two is not meant.
fn without_contradiction(cluster: &Cluster) -> Result<(), ClusterError> {
    let set = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let authority = set(&cluster.certificate_authority) || set(&cluster.certificate_authority_data);
    if cluster.insecure_skip_tls_verify != Some(true) || !authority {
        return Ok(());
    }
    Err(ClusterError::Kubeconfig {
        said: "the cluster has a certificate authority, and says that the server's certificate is not verified"
            .to_owned(),
        help: "take out insecure-skip-tls-verify or the certificate authority; kubectl refuses both together too"
            .to_owned(),
    })
}

/// The authorities to trust, in DER; `None` is whatever this machine trusts.
fn authorities(cluster: &Cluster, uri: &Uri) -> Result<Option<Vec<Vec<u8>>>, ClusterError> {
    // Nothing is verified: do not fail on a machine that trusts nobody.
    if cluster.insecure_skip_tls_verify == Some(true) || uri.scheme_str() == Some("http") {
        return Ok(Some(Vec::new()));
    }
    let wrong = |said: String| {
        ClusterError::Kubeconfig {
        said: format!("the certificate authority: {said}"),
        help: "correct certificate-authority in the kubeconfig, or name a PEM file with --certificate-authority"
            .to_owned(),
    }
    };
    let Some(text) = ExecAuthCluster::try_from(cluster)
        .map_err(|error| wrong(error.to_string()))?
        .certificate_authority_data
    else {
        return Ok(None);
    };
    // What the library says may quote a line of what was named.
    let found: Vec<Vec<u8>> = pem::parse_many(text)
        .map_err(|_| wrong("it cannot be read as PEM".to_owned()))?
        .into_iter()
        .filter(|block| block.tag() == "CERTIFICATE")
        .map(pem::Pem::into_contents)
        .collect();
    if found.is_empty() {
        return Err(wrong("there is no certificate in it".to_owned()));
    }
    Ok(Some(found))
}

/// What is wrong, without what the library quotes: the bytes of a key that is cut off.
fn words(error: &kube::Error) -> String {
    match error {
        kube::Error::RustlsTls(RustlsTlsError::InvalidIdentityPem(_)) => {
            "the client certificate or its key is no complete PEM".to_owned()
        }
        other => other.to_string(),
    }
}

/// Reads kubeconfigs, fetches credentials and makes a client; sends nothing to the server.
pub(crate) async fn connect(connection: &Connection) -> Result<Connected, ClusterError> {
    let chosen = kubeconfig::choose(connection)?;
    let mut cluster = chosen.cluster;
    let uri = address(&cluster, &chosen.user)?;
    let secure = uri.scheme_str() == Some("https");
    without_contradiction(&cluster)?;
    if secure {
        certificates::of_cluster(&mut cluster, connection)?;
    }
    let mut user = credentials::resolve(chosen.user, &cluster, connection, secure).await?;
    certificates::of_user(&mut user, connection)?;
    #[allow(clippy::disallowed_methods, reason = "where proxies are named")]
    let variable = |name: &str| std::env::var(name).ok();

    let mut config = Config::new(uri.clone());
    config.root_cert = authorities(&cluster, &uri)?;
    config.proxy_url = proxy::choose(&uri, cluster.proxy_url.as_deref(), variable)?;
    config.accept_invalid_certs = cluster.insecure_skip_tls_verify.unwrap_or(false);
    config.tls_server_name = cluster.tls_server_name.filter(|name| !name.is_empty());
    config.auth_info = user;
    config.headers = vec![(
        USER_AGENT,
        HeaderValue::from_static(concat!(
            env!("CARGO_PKG_NAME"),
            "/",
            env!("CARGO_PKG_VERSION")
        )),
    )];
    config.disable_compression = cluster.disable_compression == Some(true);
    let client = transport::client(&config).map_err(|error| ClusterError::Kubeconfig {
        said: format!("no connection can be set up: {}", words(&error)),
        help: "correct the kubeconfig's cluster and user; kubectl config view --minify shows them"
            .to_owned(),
    })?;

    let port = uri.port().map(|port| format!(":{port}"));
    Ok(Connected {
        client,
        // Without path and credentials, which an address may hold.
        server: format!(
            "{}://{}{}",
            uri.scheme_str().unwrap_or("https"),
            uri.host().unwrap_or_default(),
            port.unwrap_or_default()
        ),
        context: chosen.context,
        namespace: chosen
            .namespace
            .filter(|namespace| !namespace.is_empty())
            .unwrap_or_else(|| "default".to_owned()),
        budget: Budget::new(connection.max_answer_size),
        limits: Limits::new(connection),
        progress: connection.progress.clone(),
        verbose: connection.verbose,
    })
}
