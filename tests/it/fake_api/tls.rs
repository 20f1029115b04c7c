//! How TLS is offered: to anybody or to clients with a certificate only, with HTTP/2 or without.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{NoClientAuth, WebPkiClientVerifier};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, version};

use super::fixtures;

pub(super) fn to_anybody() -> TlsAcceptor {
    acceptor(Arc::new(NoClientAuth), &["h2", "http/1.1"])
}

pub(super) fn without_http2() -> TlsAcceptor {
    acceptor(Arc::new(NoClientAuth), &["http/1.1"])
}

pub(super) fn to_known() -> TlsAcceptor {
    let mut roots = RootCertStore::empty();
    let authority = CertificateDer::from_pem_file(fixtures().join("tls/ca.crt"));
    roots
        .add(authority.expect("a certificate"))
        .expect("an authority");
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
    acceptor(verifier.build().expect("a verifier"), &["h2", "http/1.1"])
}

fn acceptor(clients: Arc<dyn ClientCertVerifier>, protocols: &[&str]) -> TlsAcceptor {
    let folder = fixtures().join("tls");
    let certificate =
        CertificateDer::from_pem_file(folder.join("server.crt")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).expect("a key");
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(&[&version::TLS13])
        .expect("a version")
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![certificate], key)
        .expect("a configuration");
    config.alpn_protocols = protocols.iter().map(|name| Vec::from(*name)).collect();
    TlsAcceptor::from(Arc::new(config))
}
