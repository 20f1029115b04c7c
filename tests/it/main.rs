//! The integration tests: one binary.

mod architecture;
mod build;
mod checkout;
#[cfg(unix)]
mod ci;
mod cli;
mod cluster;
#[path = "../support/cluster/mod.rs"]
mod cluster_of_any_size;
#[path = "../support/colours.rs"]
mod colours;
#[cfg(unix)]
mod commands;
mod community;
#[cfg(unix)]
mod completion;
#[path = "../support/corpus/mod.rs"]
mod corpus;
mod data_planes;
mod differences;
mod docs;
mod ends;
mod fake_api;
mod gates;
mod hook;
mod hook_properties;
mod hostile;
#[cfg(target_os = "linux")]
mod krew;
mod kubelet;
mod language;
mod lint;
mod lint_corpus;
mod lint_fix;
mod lint_fix_layouts;
mod lint_outputs;
mod lint_suppress;
mod lint_suppress_laws;
mod lint_suppress_settings;
mod look;
mod modes;
mod nasty;
#[path = "../support/nasty/mod.rs"]
mod nasty_texts;
mod oracle;
mod pictures;
#[cfg(unix)]
mod plugin;
#[cfg(unix)]
mod programs;
mod properties;
mod reasons;
mod recording;
mod recordings;
#[cfg(target_os = "linux")]
mod release;
mod rule_fixtures;
mod rules;
mod rules_manifests;
mod rules_patches;
mod rules_readiness;
mod rules_shutdown;
mod shutdown;
mod site;
mod snapshot;
mod sources;
mod specs;
mod terminating;
