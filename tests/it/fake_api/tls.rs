//! A listener with TLS, to anybody or to clients with a certificate only.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::serve::Listener;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::danger::ClientCertVerifier;
use tokio_rustls::rustls::server::{NoClientAuth, WebPkiClientVerifier};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, version};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

use super::fixtures;

/// A listener with TLS; connections on which it fails are forgotten.
pub(super) struct Tls {
    inner: TcpListener,
    acceptor: TlsAcceptor,
}

impl Tls {
    pub(super) fn to_anybody(inner: TcpListener) -> Self {
        Self::new(inner, Arc::new(NoClientAuth))
    }

    pub(super) fn to_known(inner: TcpListener) -> Self {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_file(fixtures().join("tls/ca.crt"));
        roots
            .add(authority.expect("a certificate"))
            .expect("an authority");
        let provider = Arc::new(ring::default_provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        Self::new(inner, verifier.build().expect("a verifier"))
    }

    fn new(inner: TcpListener, clients: Arc<dyn ClientCertVerifier>) -> Self {
        let folder = fixtures().join("tls");
        let certificate =
            CertificateDer::from_pem_file(folder.join("server.crt")).expect("a certificate");
        let key = PrivateKeyDer::from_pem_file(folder.join("server.key")).expect("a key");
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&version::TLS13])
            .expect("a version")
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![certificate], key)
            .expect("a configuration");
        Self {
            inner,
            acceptor: TlsAcceptor::from(Arc::new(config)),
        }
    }
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            if let Ok((stream, address)) = self.inner.accept().await
                && let Ok(stream) = self.acceptor.accept(stream).await
            {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.inner.local_addr()
    }
}
