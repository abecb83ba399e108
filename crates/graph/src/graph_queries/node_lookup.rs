//! Resolves what a person or a model types to a node: by exact name, by qualified name, or to a list of candidates.

use std::collections::{BTreeMap, BTreeSet};

use retriever_workspace::RepoPath;
use rustc_hash::FxHashMap;

use crate::{
    graph_model::{Edge, EdgeKind, Node, NodeId, NodeKind},
    store::Graph,
};

/// Candidates that an ambiguous name lists.
const CANDIDATES: usize = 5;

/// What to look for.
#[derive(Clone, Copy, Debug, Default)]
pub struct LookupTarget<'a> {
    /// A name, `Type.member`, or qname; `.`, `::`, `#` and `/` all separate.
    pub name: &'a str,
    /// Only in files whose path contains this.
    pub file: Option<&'a str>,
    /// Only this kind.
    pub kind: Option<NodeKind>,
}

/// The result of looking up a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameLookup {
    /// One node.
    One(NodeId),
    /// Several: the best few, and how many there are.
    Several {
        /// Best first; [`Graph::lookup`] gives at most five.
        candidates: Vec<NodeId>,
        /// All that fit.
        total: usize,
    },
    /// None; the nearest names.
    Nothing {
        /// At most five, nearest first.
        nearest: Vec<String>,
    },
}

/// Returns the parts of a full name, however its language separates them.
pub fn parts(name: &str) -> Vec<&str> {
    name.split(['.', ':', '#', '/', '\\'])
        .map(|part| part.trim_end_matches("()"))
        .filter(|part| !part.is_empty())
        .collect()
}

/// Whether the parts of a full name hold all of `wanted` but the last, in order above its own name. The last part is the
/// name itself, which the caller compares.
pub fn is_qualified_by(qname: &str, wanted: &[&str], same: fn(&str, &str) -> bool) -> bool {
    let have = parts(qname);
    let mut above = have.iter().rev().skip(1);
    wanted.iter().rev().skip(1).all(|part| above.any(|have| same(have, part)))
}

impl Graph {
    /// Finds the node that `target` names.
    pub fn lookup(&self, target: LookupTarget<'_>) -> NameLookup {
        match self.lookup_all(target) {
            NameLookup::Several { mut candidates, total } => {
                candidates.truncate(CANDIDATES);
                NameLookup::Several { candidates, total }
            }
            found => found,
        }
    }

    /// Finds the node that `target` names, or all that it may mean.
    pub fn lookup_all(&self, target: LookupTarget<'_>) -> NameLookup {
        let wanted = parts(target.name.trim());
        let Some(last) = wanted.last().copied() else {
            return NameLookup::Nothing { nearest: Vec::new() };
        };
        let by_name = self.named(&last.to_lowercase());
        let spelled = |id: &NodeId| self.node(*id).is_some_and(|node| node.name == last);
        let mut fitting = self.fitting(&by_name, &wanted, target, str::eq);
        fitting.retain(spelled);
        if fitting.is_empty() {
            fitting = self.fitting(&by_name, &wanted, target, str::eq_ignore_ascii_case);
        }
        if fitting.is_empty() {
            // A file's own name has a dot in it.
            let path = target.name.trim().trim_start_matches("./");
            let below = format!("/{path}");
            let is_it = |known: &str| {
                (known == path || known.ends_with(&below))
                    && target.file.is_none_or(|file| known.contains(file))
                    && target.kind.is_none_or(|kind| kind == NodeKind::File)
            };
            let files = self.files().into_iter().filter(|(known, _)| is_it(known));
            fitting = files.map(|(_, nodes)| NodeId(nodes.start)).collect();
        }
        // What ends with the very words comes before what has them in between or in other letters.
        let ends =
            |id: &NodeId| self.node(*id).is_some_and(|node| parts(&node.qname).ends_with(&wanted));
        if fitting.iter().any(ends) {
            fitting.retain(ends);
        }
        fitting = self.without_overloads(fitting);
        let full =
            |id: &NodeId| self.node(*id).is_some_and(|node| node.qname == target.name.trim());
        if fitting.iter().filter(|id| full(id)).count() == 1 {
            fitting.retain(full);
        }
        match fitting.as_slice() {
            [] => NameLookup::Nothing { nearest: self.nearest(last) },
            [one] => NameLookup::One(*one),
            all => {
                let mut candidates = all.to_vec();
                candidates.sort_by_cached_key(|id| {
                    let is_declaration = self.node(*id).is_some_and(|node| node.is_declaration);
                    let unused = usize::MAX - self.incoming(*id).len();
                    (self.is_secondary(*id), is_declaration, unused, *id)
                });
                NameLookup::Several { total: candidates.len(), candidates }
            }
        }
    }

    /// Whether a definition stands beside the code that people work on: in tests and what supports them, documentation or
    /// examples, in what a program wrote or what was copied in.
    pub fn is_secondary(&self, id: NodeId) -> bool {
        self.node(id).is_some_and(|node| is_test_node(node) || is_secondary(&node.path))
    }

    /// Returns the nodes that are one definition with `id`, which comes first: its prototypes and overloads.
    pub fn overloads(&self, id: NodeId) -> Vec<NodeId> {
        let Some(node) = self.node(id) else { return vec![id] };
        let named = self.named(&node.name.to_lowercase());
        let same = named.into_iter().filter(|other| {
            self.node(*other).is_some_and(|it| it.qname == node.qname && it.kind == node.kind)
        });
        let sets = self.definition_sets(same.collect());
        let mut set = sets.into_iter().find(|set| set.contains(&id)).unwrap_or_default();
        set.retain(|other| *other != id);
        set.insert(0, id);
        set
    }

    /// The bodies of a method that is declared apart from them, or the declarations of a body: the only one, or those with the
    /// same parameters.
    pub(super) fn declared_apart(&self, id: NodeId) -> Vec<NodeId> {
        let Some(node) = self.node(id) else { return Vec::new() };
        let has_headers = !node.language.capabilities().headers.is_empty();
        if node.kind != NodeKind::Function || !has_headers {
            return Vec::new();
        }
        let mut others = self.overloads(id);
        others.retain(|other| {
            self.node(*other).is_some_and(|other| other.is_declaration != node.is_declaration)
        });
        if others.len() > 1 {
            let types = |node: &Node| parameter_types(&node.signature, &node.name);
            let given = types(node);
            others.retain(|other| self.node(*other).is_some_and(|other| types(other) == given));
        }
        others
    }

    /// Keeps one node of each definition.
    fn without_overloads(&self, ids: Vec<NodeId>) -> Vec<NodeId> {
        if ids.len() < 2 {
            return ids;
        }
        self.definition_sets(ids).into_iter().filter_map(|set| set.first().copied()).collect()
    }

    /// Groups nodes that are one definition; what has a body comes first. Equal full names in one file are overloads, but
    /// where a type gets members from several blocks they may be methods of several traits. Declarations without a body
    /// belong to the only file that has bodies of that name. Headers are parts of one program.
    fn definition_sets(&self, ids: Vec<NodeId>) -> Vec<Vec<NodeId>> {
        let mut by_name: BTreeMap<(&str, NodeKind), Vec<_>> = BTreeMap::new();
        for id in ids {
            let Some(node) = self.node(id) else { continue };
            let known = by_name.entry((node.qname.as_str(), node.kind)).or_default();
            known.push((node.is_declaration, node.path.as_str(), id));
        }
        let mut sets = Vec::new();
        for mut nodes in by_name.into_values() {
            nodes.sort_unstable();
            if nodes.len() > 1 && self.parts_of_type(nodes[0].2).len() > 1 {
                sets.push(self.main_part_first(nodes.into_iter().map(|(.., id)| id).collect()));
                continue;
            }
            let bodies = nodes.iter().filter(|(is_declaration, ..)| !is_declaration);
            let files: BTreeSet<&str> = bodies.map(|(_, path, _)| *path).collect();
            if files.len() > 1 && self.is_in_headers(&nodes) {
                sets.push(nodes.into_iter().map(|(.., id)| id).collect());
                continue;
            }
            if files.len() > 1
                && let Some(variants) = self.variants(&nodes)
            {
                nodes.retain(|(.., id)| !variants.contains(id));
                sets.push(variants);
            }
            let mut by_file: BTreeMap<&str, Vec<NodeId>> = BTreeMap::new();
            for (is_declaration, path, id) in nodes {
                let apart = self.node(id).is_some_and(|node| {
                    node.is_method && node.language.capabilities().implements_for_outside_types
                });
                if apart {
                    sets.push(vec![id]);
                    continue;
                }
                let home = files.first().filter(|_| is_declaration && files.len() == 1);
                // With bodies in several files, the one that a prototype declares is unknown.
                if is_declaration && files.len() > 1 && !files.contains(path) {
                    continue;
                }
                by_file.entry(home.copied().unwrap_or(path)).or_default().push(id);
            }
            sets.extend(by_file.into_values());
        }
        sets.sort_unstable();
        sets
    }

    /// Sorts the parts of one type: what is used most, or says what it builds on, comes first.
    fn main_part_first(&self, mut parts: Vec<NodeId>) -> Vec<NodeId> {
        let builds = |edge: &Edge| matches!(edge.kind, EdgeKind::Inherits | EdgeKind::Implements);
        parts.sort_by_cached_key(|id| {
            let is_secondary = self.is_secondary(*id);
            let has_base = self.outgoing(*id).iter().any(builds);
            (is_secondary, !has_base, usize::MAX - self.incoming(*id).len(), *id)
        });
        parts
    }

    /// Of functions by one full name the only one that a header declares, then its bodies in several files that include the
    /// header: those of several platforms. Which body runs is the choice of the build: the declaration stands for all.
    fn variants(&self, nodes: &[(bool, &str, NodeId)]) -> Option<Vec<NodeId>> {
        let mut headers = BTreeSet::new();
        let mut including = BTreeSet::new();
        for (_, path, id) in nodes.iter().filter(|(is_declaration, ..)| *is_declaration) {
            headers.insert(*path);
            let imports = self.incoming(*id).iter().filter(|edge| edge.kind == EdgeKind::Imports);
            including.extend(imports.filter_map(|edge| self.node(edge.from)).map(|at| &at.path));
        }
        if headers.len() != 1 {
            return None;
        }
        let (mut declared, mut bodies) = (Vec::new(), Vec::new());
        let mut signatures = BTreeSet::new();
        for (is_declaration, path, id) in nodes {
            let node = self.node(*id)?;
            let capabilities = node.language.capabilities();
            let in_header = capabilities.headers.iter().any(|end| path.ends_with(end));
            let is_shared = node.kind == NodeKind::Function
                && !node.is_method
                && !node.is_private
                && !is_test_node(node);
            if !is_shared || in_header != *is_declaration {
                return None;
            }
            let (before, _) = node.signature.split_once(&node.name)?;
            let words = capabilities.file_local_words;
            let is_local = before.split_whitespace().any(|word| words.contains(&word));
            if is_local || !in_header && !including.contains(&node.path) {
                continue;
            }
            signatures.insert(parameter_types(&node.signature, &node.name)?);
            if in_header { &mut declared } else { &mut bodies }.push(*id);
        }
        let files: BTreeSet<&str> =
            bodies.iter().filter_map(|id| self.node(*id)).map(|node| node.path.as_str()).collect();
        let is_one = !declared.is_empty() && files.len() > 1 && signatures.len() == 1;
        is_one.then(|| declared.into_iter().chain(bodies).collect())
    }

    /// Whether functions by one full name are overloads of several headers, at most one other file among these.
    fn is_in_headers(&self, nodes: &[(bool, &str, NodeId)]) -> bool {
        let mut others = BTreeSet::new();
        for (is_declaration, path, id) in nodes {
            let Some(node) = self.node(*id) else { return false };
            let is_shared =
                node.kind == NodeKind::Function && !node.is_private && !is_test_node(node);
            if !is_shared {
                return false;
            }
            let headers = node.language.capabilities().headers;
            if !is_declaration && !headers.iter().any(|end| path.ends_with(end)) {
                others.insert(*path);
            }
        }
        others.len() <= 1
    }

    fn fitting(
        &self,
        candidates: &[NodeId],
        wanted: &[&str],
        target: LookupTarget<'_>,
        same: fn(&str, &str) -> bool,
    ) -> Vec<NodeId> {
        let fits = |id: &&NodeId| {
            let Some(node) = self.node(**id) else { return false };
            is_qualified_by(&node.qname, wanted, same)
                && target.kind.is_none_or(|kind| node.kind == kind)
                && target.file.is_none_or(|file| node.path.contains(file))
        };
        candidates.iter().filter(fits).copied().collect()
    }

    fn nearest(&self, name: &str) -> Vec<String> {
        let wanted = name.to_lowercase();
        let mut near: Vec<(usize, &str)> = self
            .names()
            .into_iter()
            .map(|(known, _)| known)
            .filter(|known| known.len().abs_diff(wanted.len()) <= 12)
            .filter_map(|known| {
                let folded = known.to_lowercase();
                let distance = strsim::damerau_levenshtein(&folded, &wanted);
                let contained = wanted.len() > 2
                    && (folded.contains(&wanted) || folded.len() > 3 && wanted.contains(&folded));
                let close = distance <= 1 + wanted.chars().count() / 4;
                (close || contained)
                    .then_some((if contained { distance / 3 } else { distance }, known))
            })
            .collect();
        near.sort_unstable();
        near.into_iter().take(CANDIDATES).map(|(_, name)| name.to_owned()).collect()
    }

    /// Nodes that every word of `query` names, best first, and how many there are: first those whose full name ends with the
    /// words (`Store save`), then those whose own name holds all of them, of both those of production code first. If there is
    /// none, those whose name contains some of the words, and the rest of the full name the others.
    pub fn search(&self, query: &str, limit: usize) -> (Vec<NodeId>, usize) {
        let words: Vec<String> = query
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .map(str::to_lowercase)
            .collect();
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        let Some(last) = words.last() else { return (Vec::new(), 0) };
        let mut named: BTreeSet<(usize, String)> = BTreeSet::new();
        for (name, _) in self.names() {
            let folded = name.to_lowercase();
            if words.iter().all(|word| folded.contains(word)) {
                named.insert((name.len(), folded));
            }
        }
        let members = self.named(last).into_iter().filter(|id| {
            let folded = self.heading(*id).map(|node| node.qname.to_lowercase());
            folded.is_some_and(|qname| parts(&qname).ends_with(&words))
        });
        let mut ranked: BTreeMap<NodeId, (bool, usize)> =
            members.map(|id| (id, (false, 0))).collect();
        for (length, folded) in named {
            for id in self.named(&folded) {
                ranked.entry(id).or_insert((true, length));
            }
        }
        if ranked.is_empty() && words.len() > 1 {
            return self.search_members(&words, limit);
        }
        let mut beside: FxHashMap<&str, bool> = FxHashMap::default();
        let mut is_beside = |id: NodeId| {
            let Some(node) = self.heading(id) else { return true };
            let path = node.path;
            let is_module = || parts(node.qname).iter().rev().skip(1).any(is_test_module);
            *beside.entry(path).or_insert_with(|| is_test(path) || is_secondary(path))
                || is_module()
        };
        let mut found: Vec<(bool, bool, usize, NodeId)> = ranked
            .into_iter()
            .map(|(id, (is_part, length))| (is_part, is_beside(id), length, id))
            .collect();
        found.sort_unstable();
        let total = found.len();
        (found.into_iter().take(limit).map(|(.., id)| id).collect(), total)
    }
}

impl Graph {
    fn search_members(&self, words: &[&str], limit: usize) -> (Vec<NodeId>, usize) {
        let mut found: BTreeSet<(usize, bool, usize, NodeId)> = BTreeSet::new();
        for (name, _) in self.names() {
            let folded = name.to_lowercase();
            let rest: Vec<&&str> = words.iter().filter(|word| !folded.contains(**word)).collect();
            if rest.len() == words.len() {
                continue;
            }
            for id in self.named(&folded) {
                let qname =
                    self.node(id).map_or_else(String::new, |node| node.qname.to_lowercase());
                if rest.iter().all(|word| qname.contains(**word)) {
                    found.insert((rest.len(), self.is_secondary(id), name.len(), id));
                }
            }
        }
        let total = found.len();
        (found.into_iter().take(limit).map(|(.., id)| id).collect(), total)
    }
}

/// The types of the parameters in the signature of a function of C, without the parameters' names.
fn parameter_types(signature: &str, name: &str) -> Option<Vec<String>> {
    let (_, list) = signature.split_once(name)?.1.split_once('(')?;
    let (mut depth, mut start, mut types) = (0, 0, Vec::new());
    for (at, byte) in list.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b',' | b')' if depth == 0 => {
                types.push(parameter_type(&list[start..at]));
                start = at + 1;
                if byte == b')' {
                    return Some(types);
                }
            }
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// `const char* name[2]` without the name.
fn parameter_type(written: &str) -> String {
    let declared = written.split(['[', '=']).next().unwrap_or(written).trim();
    let ty = declared.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let is_named = ty.trim_end().ends_with(|c: char| c == '*' || c.is_alphanumeric());
    let ty = if is_named { ty } else { declared };
    ty.split_whitespace().collect()
}

/// Whether a definition is part of a test, by its file or by a module around it.
pub(super) fn is_test_node(node: &Node) -> bool {
    is_test(&node.path) || parts(&node.qname).iter().rev().skip(1).any(is_test_module)
}

fn is_test_module(part: &&str) -> bool {
    matches!(*part, "test" | "tests")
}

/// Whether a file stands beside the code that people work on, by its path.
pub(super) fn is_secondary(path: &str) -> bool {
    RepoPath::parse(path, "").is_ok_and(|path| retriever_workspace::is_secondary(&path))
}

/// Returns whether a file is part of the tests, by its path.
pub fn is_test(path: &str) -> bool {
    path.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        matches!(part.as_str(), "test" | "tests" | "__tests__" | "spec" | "testing" | "fixtures")
            || part.contains(".test.")
            || part.contains(".spec.")
            || part.starts_with("test_")
            || part.contains("_test.")
    })
}
