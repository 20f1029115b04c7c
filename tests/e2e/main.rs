//! The whole story against a real API server: `cargo test --test e2e -- --ignored`.
//!
//! `DRAIN_CHECK_E2E_KUBECONFIG` names a kubeconfig of a cluster to be used, or `KUBEBUILDER_ASSETS` a folder with etcd,
//! kube-apiserver and kube-controller-manager, which are then started here. Everything is written with kubectl, in a namespace and on
//! Nodes that are made for each test and removed after it. `DRAIN_CHECK_E2E_AUDIT_LOG` names the audit log of a cluster that was given. No kubelet owns these Nodes: what a kubelet would write, the test writes.

mod cluster;
mod evictions;
mod given;
mod made;
mod situations;
mod stage;
mod started;
mod stories;
mod watch;
