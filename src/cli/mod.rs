//! What the command line takes. No logic.

pub mod connection;

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

/// Which pods do new connections to a Service go to while they terminate, from which node, and why?
#[derive(Debug, Parser)]
#[command(
    name = "kubectl-drain_check",
    bin_name = "kubectl drain-check",
    version,
    after_help = "Examples:\n  kubectl get svc,endpointslices,pods,nodes -A -o yaml > now.yaml\n  kubectl drain-check svc/web -f now.yaml\n  kubectl drain-check svc/web -f now.yaml --kube-version 1.25\n\nExit: 0 it answered; 2 it could not."
)]
pub struct Args {
    /// Services: svc/NAME or NAME. Without any, every Service of the input
    pub targets: Vec<String>,
    /// Files or directories to read, `-` for standard input. Without any, the cluster is asked
    #[arg(short = 'f', long = "filename", value_name = "FILE|DIR|-")]
    pub filename: Vec<PathBuf>,
    /// Read directories with everything below them
    #[arg(short = 'R', long)]
    pub recursive: bool,
    /// Only Services of this namespace
    #[arg(short = 'n', long)]
    pub namespace: Option<String>,
    /// Pretend that every component is this version (1.25, v1.30.3)
    #[arg(long, value_name = "V")]
    pub kube_version: Option<String>,
    /// kube-proxy's feature gates
    #[arg(long, value_name = "A=true,B=false", value_delimiter = ',')]
    pub feature_gates: Vec<String>,
    /// kube-proxy's mode on Linux nodes
    #[arg(long, value_name = "MODE")]
    pub proxy_mode: Option<Mode>,
    /// How to print the answer
    #[arg(short = 'o', long, value_enum, default_value = "table")]
    pub output: Output,
    /// How to reach the cluster
    #[command(flatten)]
    pub connection: connection::ConnectionArgs,
}

/// `--proxy-mode`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Mode {
    /// iptables rules
    Iptables,
    /// nftables rules (1.29 and later)
    Nftables,
    /// IPVS virtual servers
    Ipvs,
    /// HNS balancers on Windows
    Winkernel,
}

/// `-o`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Output {
    /// For people
    Table,
    /// One JSON document
    Json,
}
