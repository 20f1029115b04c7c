//! The integration tests: one binary.

mod analysis;
mod answer;
mod architecture;
mod build;
mod causes;
mod checkout;
#[cfg(unix)]
mod ci;
mod cli;
mod cluster;
#[path = "../support/cluster/mod.rs"]
mod cluster_of_any_size;
mod collect;
#[path = "../support/colours.rs"]
mod colours;
#[cfg(unix)]
mod commands;
mod community;
#[cfg(unix)]
mod completion;
mod controllers;
#[path = "../support/corpus/mod.rs"]
mod corpus;
mod decode;
mod docs;
mod fake_api;
mod gates;
mod hostile;
#[cfg(target_os = "linux")]
mod krew;
mod language;
mod lint;
mod look;
mod nasty;
#[path = "../support/nasty/mod.rs"]
mod nasty_texts;
mod node_rules;
mod pages;
mod pictures;
#[cfg(unix)]
mod plugin;
mod probe;
#[cfg(unix)]
mod programs;
mod proxy;
mod reasons;
mod recording;
mod recordings;
#[cfg(target_os = "linux")]
mod release;
mod rollout;
mod rollouts;
mod rules;
mod shutdown;
mod simulate;
mod site;
mod sources;
mod watch;
