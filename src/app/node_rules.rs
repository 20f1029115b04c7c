//! `--node-rules NODE=FILE` → what was dumped of nodes' kernels.

use std::io::Read;
use std::path::Path;

use anyhow::{Context, bail};

use crate::analysis::node_dump::NodeDump;
use crate::facts::kube_proxy::ProxyMode;
use crate::files::{self, Known, Purpose};
use crate::node_rules;

/// Reads the files. One that cannot be judged leaves the others their answer; one that cannot be opened is an error.
pub(super) fn read(given: &[String], stdin: &mut dyn Read) -> anyhow::Result<Vec<NodeDump>> {
    let mut dumps: Vec<NodeDump> = Vec::new();
    for text in given {
        let Some((node, file)) = text
            .split_once('=')
            .filter(|(node, file)| !node.is_empty() && !file.is_empty())
        else {
            bail!("--node-rules {text}: write NODE=FILE, as node-a=rules.txt");
        };
        let content = if file == "-" {
            files::text_from(stdin, Purpose::NODE_RULES)
                .with_context(|| format!("--node-rules {text}: standard input"))?
        } else {
            files::text(Path::new(file), Known::Named, Purpose::NODE_RULES)
                .with_context(|| format!("--node-rules {text}"))?
        };
        let at = dumps.iter().position(|dump| dump.node == node);
        let at = at.unwrap_or_else(|| {
            dumps.push(NodeDump {
                node: node.to_owned(),
                rules: Vec::new(),
                unread: Vec::new(),
            });
            dumps.len() - 1
        });
        match node_rules::read(&content) {
            Ok(rules) => dumps[at].rules.extend(rules),
            Err(error) => dumps[at].unread.push((file.to_owned(), error.to_string())),
        }
    }
    Ok(dumps)
}

/// The mode of which all dumps are, which tells more than a default.
pub(super) fn mode(dumps: &[NodeDump]) -> Option<ProxyMode> {
    let mut modes = dumps
        .iter()
        .flat_map(|dump| &dump.rules)
        .map(node_rules::Rules::mode);
    let first = modes.next()?;
    modes.all(|mode| mode == first).then_some(first)
}
