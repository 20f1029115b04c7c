//! Which file uses which, and by what names? Read from `use` and from paths in the code; a name that a module passes on (`pub use`) leads
//! to the file that defines it. What only types know (methods, fields) is not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Token, behind, read};

/// A module's path from the crate's root.
type Path = Vec<String>;

/// What one module says.
#[derive(Default)]
struct Module {
    file: String,
    /// What names stand for that it imports or passes on.
    names: BTreeMap<String, Path>,
    /// The modules all of whose names it takes.
    all_of: Vec<Path>,
    /// What it defines itself.
    items: BTreeSet<String>,
    /// Paths in its code, as they are written.
    paths: BTreeSet<Path>,
    /// Paths of its `use`, absolute.
    used: BTreeSet<Path>,
}

/// The modules of a crate.
#[derive(Default)]
pub(crate) struct Imports {
    modules: BTreeMap<Path, Module>,
}

/// From file to file, with the names that are used.
pub(crate) type Graph = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The module that a file below `src` is.
pub(crate) fn module_of(file: &str) -> Path {
    let parts = file.trim_end_matches(".rs").split('/');
    let parts = parts.filter(|part| !["mod", "lib"].contains(part));
    parts.map(str::to_owned).collect()
}

/// A path as it is written, from the root; `None` if it leads out of the crate.
fn absolute(
    written: &[String],
    from: &Path,
    module: &Module,
    children: &BTreeSet<String>,
) -> Option<Path> {
    let mut base = from.clone();
    let mut rest = written;
    match written.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                base.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            if let Some(target) = module.names.get(first) {
                // Not what it is a name for itself.
                base.clone_from(target);
                rest = &rest[1..];
            } else if !children.contains(first) && !module.items.contains(first) {
                return None;
            }
        }
    }
    base.extend(rest.iter().cloned());
    Some(base)
}

/// The paths of a tree such as `a::{b, c as d, e::*}`, each with the name that it is known by; `*` for all names.
fn tree(tokens: &[Token<'_>], before: &[String], found: &mut Vec<(Path, String)>) {
    let mut path = before.to_vec();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            Token::Sign("{") => {
                let end = behind(tokens, at);
                for part in split(&tokens[at + 1..end - 1]) {
                    tree(part, &path, found);
                }
                return;
            }
            Token::Sign("*") => {
                found.push((path, "*".to_owned()));
                return;
            }
            Token::Word("as") => {
                if let Some(Token::Word(name)) = tokens.get(at + 1) {
                    found.push((path, (*name).to_owned()));
                }
                return;
            }
            Token::Word("self") if !path.is_empty() => {}
            Token::Word(part) => path.push(part.to_owned()),
            Token::Sign(_) => {}
        }
        at += 1;
    }
    if let Some(name) = path.last().cloned() {
        found.push((path, name));
    }
}

/// What stands between the commas outside of brackets.
fn split<'t, 's>(tokens: &'s [Token<'t>]) -> Vec<&'s [Token<'t>]> {
    let (mut parts, mut start, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        match tokens[at] {
            Token::Sign("{") => at = behind(tokens, at),
            Token::Sign(",") => {
                parts.push(&tokens[start..at]);
                at += 1;
                start = at;
            }
            _ => at += 1,
        }
    }
    parts.push(&tokens[start..]);
    parts.retain(|part| !part.is_empty());
    parts
}

impl Imports {
    /// Reads files, by their paths below `src`.
    pub(crate) fn of(files: &[(String, String)]) -> Self {
        let mut imports = Self::default();
        let mut for_tests = BTreeSet::new();
        let mut written = Vec::new();
        for (file, code) in files {
            let (tokens, tests) = read(code);
            let path = module_of(file);
            for name in tests {
                let mut path = path.clone();
                path.push(name.to_owned());
                for_tests.insert(path);
            }
            written.push((file, path, tokens));
        }
        written
            .retain(|(_, path, _)| !(0..=path.len()).any(|end| for_tests.contains(&path[..end])));
        let mut uses = Vec::new();
        for (file, path, tokens) in &written {
            imports.module(file, path.clone(), tokens, &mut uses);
        }
        // Which names are modules is known only now.
        for (path, tree, known) in uses {
            let children = imports.children(&path);
            let module = &imports.modules[&path];
            let Some(target) = absolute(&tree, &path, module, &children) else {
                continue;
            };
            let module = imports.modules.get_mut(&path).expect("a module");
            module.used.insert(target.clone());
            if known == "*" {
                module.all_of.push(target);
            } else if known != "_" {
                module.names.insert(known, target);
            }
        }
        imports
    }

    fn children(&self, path: &Path) -> BTreeSet<String> {
        let deeper = self.modules.keys();
        deeper
            .filter(|other| other.len() == path.len() + 1 && other.starts_with(path))
            .filter_map(|other| other.last().cloned())
            .collect()
    }

    /// Reads one module, and those that are written inside of it.
    fn module(
        &mut self,
        file: &str,
        path: Path,
        tokens: &[Token<'_>],
        uses: &mut Vec<(Path, Path, String)>,
    ) {
        const DEFINES: [&str; 8] = [
            "fn", "struct", "enum", "trait", "type", "const", "static", "union",
        ];
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        let mut at = 0;
        while at < tokens.len() {
            let next = tokens.get(at + 1);
            match (tokens[at], next) {
                (Token::Word("mod"), Some(Token::Word(name)))
                    if tokens.get(at + 2) == Some(&Token::Sign("{")) =>
                {
                    let end = behind(tokens, at + 2);
                    let mut inner = path.clone();
                    inner.push((*name).to_owned());
                    self.module(file, inner, &tokens[at + 3..end - 1], uses);
                    at = end;
                }
                (Token::Word("use"), Some(Token::Word(_) | Token::Sign("{" | "::"))) => {
                    let end = at
                        + tokens[at..]
                            .iter()
                            .position(|token| *token == Token::Sign(";"))
                            .unwrap_or(1);
                    let mut found = Vec::new();
                    tree(&tokens[at + 1..end], &[], &mut found);
                    uses.extend(
                        found
                            .into_iter()
                            .map(|(tree, known)| (path.clone(), tree, known)),
                    );
                    at = end;
                }
                (Token::Word(first), Some(Token::Sign("::")))
                    if at == 0 || tokens[at - 1] != Token::Sign("::") =>
                {
                    let mut written = vec![first.to_owned()];
                    let mut end = at + 1;
                    while let (Some(Token::Sign("::")), Some(Token::Word(part))) =
                        (tokens.get(end), tokens.get(end + 1))
                    {
                        written.push((*part).to_owned());
                        end += 2;
                    }
                    module.paths.insert(written);
                    at = end;
                }
                (Token::Word(word), Some(Token::Word(name))) if DEFINES.contains(&word) => {
                    module.items.insert((*name).to_owned());
                    at += 1;
                }
                _ => at += 1,
            }
        }
        self.modules.insert(path, module);
    }

    /// The file that defines what a path leads to, and the name in it; without a name if that is a whole module.
    fn defined(
        &self,
        path: &[String],
        asked: &mut BTreeSet<Path>,
    ) -> Option<(&str, Option<String>)> {
        if !asked.insert(path.to_vec()) {
            return None;
        }
        let mut depth = 0;
        while depth < path.len() && self.modules.contains_key(&path[..=depth]) {
            depth += 1;
        }
        let module = self.modules.get(&path[..depth])?;
        let Some(name) = path.get(depth) else {
            return Some((&module.file, None));
        };
        if module.items.contains(name) {
            return Some((&module.file, Some(name.clone())));
        }
        if let Some(target) = module.names.get(name) {
            let target = [target, &path[depth + 1..]].concat();
            return self.defined(&target, asked);
        }
        let found = module.all_of.iter().find_map(|all| {
            let target = [all, &path[depth..]].concat();
            let (file, name) = self.defined(&target, asked)?;
            // Not a guess: the last resort below answers for names that nobody knows.
            self.modules
                .values()
                .any(|one| {
                    one.file == file && name.as_ref().is_some_and(|name| one.items.contains(name))
                })
                .then_some((file, name))
        });
        // What a macro defines is not seen.
        Some(found.unwrap_or((&module.file, Some(name.clone()))))
    }

    /// Who uses whom.
    pub(crate) fn graph(&self) -> Graph {
        let mut graph = Graph::new();
        for (path, module) in &self.modules {
            let children = self.children(path);
            let paths = module
                .paths
                .iter()
                .filter_map(|written| absolute(written, path, module, &children));
            for target in paths.chain(module.used.iter().cloned()) {
                // A module that is imported is not yet used: the paths that begin with it say what of it is.
                let Some((file, name)) = self.defined(&target, &mut BTreeSet::new()) else {
                    continue;
                };
                let name = match name {
                    Some(name) => name,
                    None if module.all_of.contains(&target) => "*".to_owned(),
                    None => continue,
                };
                if file != module.file {
                    let to = graph
                        .entry(module.file.clone())
                        .or_default()
                        .entry(file.to_owned())
                        .or_default();
                    to.insert(name);
                }
            }
        }
        graph
    }
}
