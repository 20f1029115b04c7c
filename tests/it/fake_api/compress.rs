//! JSON as an API server sends it: compressed where it is long and the client takes that.

use std::io::Write;

use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};

/// A real server compresses what is longer.
const COMPRESSED_FROM: usize = 128 * 1024;

pub(super) fn packed(text: String, headers: &HeaderMap) -> Response {
    let media = (header::CONTENT_TYPE, "application/json");
    let takes = headers
        .get(header::ACCEPT_ENCODING)
        .is_some_and(|value| value == "gzip");
    if !takes || text.len() < COMPRESSED_FROM {
        return ([media], text).into_response();
    }
    // The level of the API server (apiserver/pkg/endpoints/handlers/responsewriters, `defaultGzipContentEncodingLevel`).
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(text.as_bytes()).expect("memory");
    let body = packer.finish().expect("memory");
    ([media, (header::CONTENT_ENCODING, "gzip")], body).into_response()
}
