//! How an answer is written, rightly and wrongly.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use serde_json::{Value, json};

use super::compress;

pub(super) fn status(code: u16, said: &str) -> Response {
    let body = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
        "message": said, "code": code});
    let code = StatusCode::from_u16(code).expect("a status");
    (code, axum::Json(body)).into_response()
}

pub(super) fn packed(found: Result<Value, String>, headers: &HeaderMap) -> Response {
    let text = match found {
        Ok(value) => value.to_string(),
        Err(said) => return status(404, &said),
    };
    compress::packed(text, headers)
}

pub(super) fn cut(found: Result<Value, String>) -> Response {
    let text = match found {
        Ok(value) => value.to_string(),
        Err(said) => return status(404, &said),
    };
    let half = text.as_bytes()[..text.len() / 2].to_vec();
    let parts = [Ok(half), Err(std::io::Error::other("cut"))];
    Body::from_stream(futures_util::stream::iter(parts)).into_response()
}

pub(super) fn drip(found: Result<Value, String>, pause: Duration) -> Response {
    let text = match found {
        Ok(value) => value.to_string(),
        Err(said) => return status(404, &said),
    };
    let bytes = futures_util::stream::iter(text.into_bytes());
    let slowly = bytes.then(move |byte| async move {
        tokio::time::sleep(pause).await;
        Ok::<_, std::io::Error>(vec![byte])
    });
    Body::from_stream(slowly).into_response()
}

pub(super) fn unpacking(body: Vec<u8>) -> Response {
    let media = (header::CONTENT_TYPE, "application/json");
    ([media, (header::CONTENT_ENCODING, "gzip")], body).into_response()
}

pub(super) fn endless(announced: Option<u64>) -> Response {
    let pieces =
        futures_util::stream::repeat_with(|| Ok::<_, std::io::Error>(vec![b' '; 64 * 1024]));
    let mut response = Body::from_stream(pieces).into_response();
    if let Some(length) = announced {
        response
            .headers_mut()
            .insert(header::CONTENT_LENGTH, length.into());
    }
    response
}
