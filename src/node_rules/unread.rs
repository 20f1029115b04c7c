//! Why can a dump not be judged?

/// Why a dump cannot be judged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    /// It is empty.
    #[error("it is empty: the command wrote nothing, or failed")]
    Empty,
    /// No tool that is known writes such a text.
    #[error("it is no output of iptables-save, nft list ruleset or ipvsadm -S -n")]
    NotKnown,
    /// It holds a tool's error.
    #[error("it holds an error message and no rules: the command failed on the node")]
    Failed,
    /// It ends too early.
    #[error("it is cut off: {0}")]
    Cut(String),
    /// A line makes no sense.
    #[error("line {0} {1}")]
    Line(usize, String),
    /// An entry of a list makes no sense.
    #[error("entry {0} of the list (a {1}) holds what is not known")]
    Entry(usize, String),
    /// Something is not in it.
    #[error("it lacks {0}")]
    Lacks(String),
    /// It holds others' rules.
    #[error(
        "none of kube-proxy's rules are in it: another data plane routes there, kube-proxy has another mode, or the rules are in the other of iptables-legacy and iptables-nft"
    )]
    NotKubeProxys,
    /// kube-proxy had not programmed any Service.
    #[error("kube-proxy has programmed no Service: it was starting, or its first sync failed")]
    NotSynced,
}
