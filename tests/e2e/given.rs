//! Was a cluster given?

use std::path::PathBuf;

/// The kubeconfig that the environment names.
pub(crate) fn given() -> Option<PathBuf> {
    let named = std::env::var_os("DRAIN_CHECK_E2E_KUBECONFIG")?;
    let path = PathBuf::from(named);
    assert!(path.is_file(), "{} is no file", path.display());
    Some(path)
}
