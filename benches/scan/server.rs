//! Serves a cluster that is too large for values: the lists as texts, page by page, everything else from the tests' store.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Query, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::Value;

#[path = "../../tests/it/fake_api/answers.rs"]
mod answers;
#[path = "../../tests/it/fake_api/compress.rs"]
mod compress;
#[path = "../../tests/it/fake_api/happened.rs"]
mod happened;
#[path = "../../tests/it/fake_api/store.rs"]
mod store;

/// The lists that are large, by the beginning of their objects' texts.
const LISTS: [(&str, &str, &str, &str); 5] = [
    (
        "/api/v1/services",
        "v1",
        "Service",
        r#"{"apiVersion":"v1","kind":"Service","#,
    ),
    (
        "/api/v1/endpoints",
        "v1",
        "Endpoints",
        r#"{"apiVersion":"v1","kind":"Endpoints","#,
    ),
    (
        "/api/v1/pods",
        "v1",
        "Pod",
        r#"{"apiVersion":"v1","kind":"Pod","#,
    ),
    (
        "/api/v1/nodes",
        "v1",
        "Node",
        r#"{"apiVersion":"v1","kind":"Node","#,
    ),
    (
        "/apis/discovery.k8s.io/v1/endpointslices",
        "discovery.k8s.io/v1",
        "EndpointSlice",
        "",
    ),
];

/// Of the pods' list, kube-proxy's own are asked for by this label as well.
const KUBE_PROXY: (&str, &str) = (
    "/api/v1/namespaces/kube-system/pods",
    r#""k8s-app":"kube-proxy""#,
);

struct Served {
    /// Texts of objects without version and kind, as items of a list have them.
    lists: BTreeMap<&'static str, (&'static str, &'static str, Vec<String>)>,
    store: store::Store,
}

impl Served {
    /// Of a file with one object in each line.
    fn read(file: &Path) -> Self {
        let mut lists = BTreeMap::new();
        for (path, version, kind, _) in LISTS {
            lists.insert(path, (version, kind, Vec::new()));
        }
        lists.insert(KUBE_PROXY.0, ("v1", "Pod", Vec::new()));
        let mut others = Vec::new();
        let file = std::fs::File::open(file).expect("the cluster's file");
        for line in BufReader::new(file).lines() {
            let line = line.expect("UTF-8");
            let text = line.trim_end_matches(',');
            let found = LISTS
                .iter()
                .find(|list| !list.3.is_empty() && text.starts_with(list.3));
            if let Some((path, _, _, start)) = found {
                let item = format!("{{{}", &text[start.len()..]);
                if *path == "/api/v1/pods" && text.contains(KUBE_PROXY.1) {
                    lists
                        .get_mut(KUBE_PROXY.0)
                        .expect("a list")
                        .2
                        .push(item.clone());
                }
                lists.get_mut(path).expect("a list").2.push(item);
            } else if text.contains(r#","kind":"EndpointSlice","#) {
                let list = lists.get_mut(LISTS[4].0).expect("a list");
                // Its fields are sorted, so that these do not stand at the beginning.
                let item = text.replacen(r#","apiVersion":"discovery.k8s.io/v1""#, "", 1);
                list.2
                    .push(item.replacen(r#","kind":"EndpointSlice""#, "", 1));
            } else if let Ok(object @ Value::Object(_)) = serde_json::from_str(text) {
                others.push(object);
            }
        }
        Self {
            lists,
            store: store::Store::new(others),
        }
    }

    fn page(&self, path: &str, query: &BTreeMap<String, String>) -> Option<String> {
        let (version, kind, items) = self.lists.get(path)?;
        let no_such_label = query
            .get("labelSelector")
            .is_some_and(|label| *label != "k8s-app=kube-proxy");
        let items = if no_such_label { &[] } else { items.as_slice() };
        let number = |key: &str| {
            query
                .get(key)
                .map(|text| text.parse::<usize>().expect("a number"))
        };
        let start = number("continue").unwrap_or(0);
        let end = number("limit").map_or(items.len(), |limit| items.len().min(start + limit));
        let next = if end < items.len() {
            format!(
                r#","continue":"{end}","remainingItemCount":{}"#,
                items.len() - end
            )
        } else {
            String::new()
        };
        Some(format!(
            r#"{{"kind":"{kind}List","apiVersion":"{version}","metadata":{{"resourceVersion":"7"{next}}},"items":[{}]}}"#,
            items[start..end].join(",")
        ))
    }
}

async fn answer(State(served): State<Arc<Served>>, request: Request) -> Response {
    let Query(query) = Query::try_from_uri(request.uri()).expect("a query");
    let path = request.uri().path();
    if let Some(text) = served.page(path, &query) {
        return compress::packed(text, request.headers());
    }
    let accept = request
        .headers()
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok());
    match served.store.find(path, &query, accept.unwrap_or_default()) {
        Ok(found) => axum::Json(found).into_response(),
        Err(said) => (StatusCode::NOT_FOUND, said).into_response(),
    }
}

/// Serves a file's objects until the process ends; writes the address on a line of its own when it is ready.
pub(super) fn serve(file: &Path) {
    let served = Arc::new(Served::read(file));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
            .await
            .expect("a port");
        let mut out = std::io::stdout();
        writeln!(out, "http://{}", listener.local_addr().expect("an address")).expect("stdout");
        out.flush().expect("stdout");
        let app = Router::new().fallback(answer).with_state(served);
        axum::serve(listener, app).await.expect("a server");
    });
}
