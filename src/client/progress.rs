//! What is being read, for whoever waits?

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::words::{count, list};

#[derive(Debug, Default)]
struct State {
    /// What was asked for and is not answered yet, each as often as it was.
    waiting: Vec<String>,
    /// How many objects of lists were read.
    objects: usize,
}

/// What is being read; every clone is the same.
#[derive(Debug, Clone, Default)]
pub struct Progress(Arc<Mutex<State>>);

/// A request that is under way.
pub(crate) struct Asking {
    progress: Progress,
    what: String,
}

/// What a path asks for: the resource, or the path itself.
fn resource(path: &str) -> &str {
    let path = path.split('?').next().unwrap_or_default();
    let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let (["api", _, rest @ ..] | ["apis", _, _, rest @ ..]) = parts.as_slice() else {
        return path;
    };
    match rest {
        ["namespaces", _, resource, ..] | [resource, ..] => resource,
        [] => path,
    }
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it holds the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A request begins; it ends with the value.
    pub(crate) fn asks(&self, path: &str) -> Asking {
        let what = resource(path).to_owned();
        self.state().waiting.push(what.clone());
        Asking {
            progress: self.clone(),
            what,
        }
    }

    /// So many objects more were read.
    pub(crate) fn read(&self, objects: usize) {
        self.state().objects += objects;
    }

    /// One line about it, for a terminal.
    #[must_use]
    pub fn line(&self) -> String {
        let state = self.state();
        let so_far = count(state.objects, "object");
        if state.waiting.is_empty() {
            return format!("{so_far} read");
        }
        format!("waiting for {}; {so_far} so far", list(&state.waiting))
    }
}

impl Drop for Asking {
    fn drop(&mut self) {
        let mut state = self.progress.state();
        let place = state.waiting.iter().position(|what| *what == self.what);
        if let Some(place) = place {
            state.waiting.swap_remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_waited_for_is_named_once_and_until_it_is_there() {
        let progress = Progress::default();
        assert_eq!(progress.line(), "0 objects read");
        let pods = progress.asks("/api/v1/namespaces/shop/pods?limit=500");
        let others = progress.asks("/api/v1/namespaces/kube-system/pods?labelSelector=a%2Fb");
        let slices = progress.asks("/apis/discovery.k8s.io/v1/endpointslices");
        let service = progress.asks("/api/v1/namespaces/shop/services/web");
        let apis = progress.asks("/apis");
        progress.read(500);
        let line = "waiting for /apis, endpointslices, pods and services; 500 objects so far";
        assert_eq!(progress.line(), line);
        drop((pods, slices, service, apis));
        progress.read(1);
        assert_eq!(progress.line(), "waiting for pods; 501 objects so far");
        drop(others);
        assert_eq!(progress.line(), "501 objects read");
    }
}
