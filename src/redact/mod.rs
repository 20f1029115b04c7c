//! What of an object may be shown to others? What is read of it, without what may be secret.
//!
//! ```text
//! objects  which kind is read how ┬ parts: what has a type, written again as it was read; the mask in a few places
//!                                 └ untyped: what only the catalogue of traffic sources reads, with all of its fields
//! names    which names are those of secrets     words  what looks like a secret in texts and commands
//! programs which take one under a letter        shapes how tokens begin of those who let one see what they are
//! annotations  the short list
//! ```
//!
//! Whatever is taken out, verdicts stay as they were: tests judge every fixture before and after.
#![deny(clippy::disallowed_methods)]

mod annotations;
mod names;
mod objects;
mod parts;
mod programs;
mod shapes;
mod untyped;
mod words;

pub use objects::{object, written};
pub use words::text;

/// What stands in place of a secret.
pub const MASK: &str = "REDACTED";

/// What is taken out, as the head of a snapshot says it.
pub const REMOVED: [&str; 8] = [
    "Secrets, and every object that a check does not read",
    "fields that the model does not read: volumes but for claims and emptyDir, image pull secrets, security contexts, resource limits, managedFields",
    "messages but for those that the scheduler and controllers write about pods that they cannot place or make",
    "values of environment variables but for a few known settings and what a preStop command names (valueFrom: {} stands for them)",
    "annotations but for those that Kubernetes, load balancers, ingress controllers and meshes are known to read",
    "what looks like a secret in commands, arguments, annotations and settings: passwords, tokens, keys, URLs' users (REDACTED stands for them)",
    "keys of ConfigMaps that are not known settings; kubeconfigs; HTTP headers of probes and hooks",
    "certificates, keys and CA bundles",
];

/// What is still there, likewise.
pub const KEPT: &str = "names, namespaces, labels, addresses, images, commands, host names";
