//! Any kubeconfig leads to a server or to an error. Nothing is sent, and no plugin runs: a token is given.

use std::path::PathBuf;
use std::sync::LazyLock;

use drain_check::client::{Connection, Secret, destination};
use tokio::runtime::Runtime;

use crate::FOLDER;

/// What nothing may print, unless the file says it itself.
const TOKEN: &str = "hunter2-0f-nobody";

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().build().expect("a runtime")
});

fn ends(connection: &Connection) -> Result<String, String> {
    let end = RUNTIME.block_on(destination(connection));
    end.map_err(|error| format!("{error}: {}", error.help()))
}

/// The file of a kubeconfig.
pub fn kubeconfig(bytes: &[u8]) {
    let file: PathBuf = FOLDER.path().join("config");
    std::fs::write(&file, bytes).expect("a file");
    let connection = Connection {
        kubeconfig: Some(file),
        token: Some(Secret::from(TOKEN.to_owned())),
        ..Connection::default()
    };
    // Without one of its own, the authorities that this machine trusts are read: too slow to do here each time.
    let text = String::from_utf8_lossy(bytes);
    let has_authority = text.contains("certificate-authority");
    let given = text.contains(TOKEN) || text.contains('\\');
    let open = Connection {
        insecure_skip_tls_verify: Some(true),
        ..connection.clone()
    };
    let ways = [Some(open), has_authority.then_some(connection)];
    for connection in ways.into_iter().flatten() {
        let said = ends(&connection);
        assert_eq!(said, ends(&connection), "read twice, two answers");
        let said = said.unwrap_or_else(|error| error);
        assert!(given || !said.contains(TOKEN), "{said}");
        // An address or a few sentences, however long the file.
        assert!(said.len() < (64 << 10) + 2 * bytes.len(), "{}", said.len());
    }
}
