//! Takes connections in and counts them, with TLS or without, and serves what each speaks: HTTP/1.1 or HTTP/2.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Extension;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;

/// Serves for ever.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    app: Router,
    connections: &AtomicUsize,
) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        connections.fetch_add(1, Ordering::SeqCst);
        // As API servers do (Go's `net.TCPConn`: no delay by default): else what was said waits for 40 ms until the line before is known to
        // have come.
        let _ = stream.set_nodelay(true);
        let (tls, app) = (tls.clone(), app.clone());
        tokio::spawn(async move {
            match tls {
                None => speak(stream, app).await,
                // A connection on which TLS fails is forgotten.
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        speak(stream, app).await;
                    }
                }
            }
        });
    }
}

/// Answers on one connection until it ends, or until an answer is the last one that it may give.
async fn speak(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static, app: Router) {
    let last = Arc::new(Notify::new());
    let app = TowerToHyperService::new(app.layer(Extension(last.clone())));
    let builder = Builder::new(TokioExecutor::new());
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), app));
    tokio::select! {
        _ = &mut connection => return,
        () = last.notified() => connection.as_mut().graceful_shutdown(),
    }
    // Clients end connections as they like.
    let _ = connection.await;
}
