//! Was a cluster given?

use std::path::PathBuf;

/// The kubeconfig that the environment names.
pub(crate) fn given() -> Option<PathBuf> {
    let named = std::env::var_os("DRAIN_CHECK_E2E_KUBECONFIG")?;
    let path = PathBuf::from(named);
    assert!(path.is_file(), "{} is no file", path.display());
    Some(path)
}

/// The audit log of that cluster's API server, where the environment names it.
pub(crate) fn given_audit_log() -> Option<PathBuf> {
    let named = std::env::var_os("DRAIN_CHECK_E2E_AUDIT_LOG")?;
    let path = PathBuf::from(named);
    assert!(path.is_file(), "{} is no file", path.display());
    Some(path)
}
