//! What was dumped of a node's kernel?

use crate::facts::kube_proxy::ProxyMode;
use crate::node_rules::Rules;

/// What was dumped of one node.
#[derive(Debug)]
pub struct NodeDump {
    /// The node, as it was named.
    pub node: String,
    /// Its rules: one for each family, or two where it was dumped twice.
    pub rules: Vec<Rules>,
    /// Files of it that could not be read, each with why.
    pub unread: Vec<(String, String)>,
}

impl NodeDump {
    /// The mode whose rules they are; `None` where none could be read.
    #[must_use]
    pub fn mode(&self) -> Option<ProxyMode> {
        self.rules.first().map(Rules::mode)
    }
}
