//! Which nodes are one definition: prototypes and bodies, overloads, parts of a type that is opened again.

use std::collections::{BTreeMap, BTreeSet};

use super::{parameter_lists::ParameterList, qualified_names::parts, secondary_code::is_test_node};
use crate::{
    graph_model::{Edge, EdgeKind, LanguageFamily, Node, NodeId, NodeKind},
    store::Graph,
};

/// A name in lower case, and the languages in which it is asked for: those of another family define something else.
pub(super) type NameInFamily = (LanguageFamily, String);

/// Nodes by their full name and kind.
pub(super) type NodesByFullName<'g> = BTreeMap<(&'g str, NodeKind), Vec<NodeId>>;

impl Graph {
    /// Returns the nodes that are one definition with `id`, which comes first: its prototypes and overloads.
    pub fn overloads(&self, id: NodeId) -> Vec<NodeId> {
        let Some(node) = self.node(id) else { return vec![id] };
        self.overloads_among(&self.by_full_name([name_in_family(node)]), id)
    }

    /// Returns the nodes of these names by their full name and kind.
    pub(super) fn by_full_name(
        &self,
        names: impl IntoIterator<Item = NameInFamily>,
    ) -> NodesByFullName<'_> {
        let mut found = NodesByFullName::new();
        for id in names.into_iter().flat_map(|(family, name)| self.named_in(family, &name)) {
            if let Some(node) = self.heading(id) {
                found.entry((node.qname, node.kind)).or_default().push(id);
            }
        }
        found
    }

    fn overloads_among(&self, nodes: &NodesByFullName<'_>, id: NodeId) -> Vec<NodeId> {
        let same = self.node(id).and_then(|node| nodes.get(&(node.qname.as_str(), node.kind)));
        let sets = self.definition_sets(same.cloned().unwrap_or_default());
        let mut set = sets.into_iter().find(|set| set.contains(&id)).unwrap_or_default();
        set.retain(|other| *other != id);
        set.insert(0, id);
        set
    }

    /// Returns the bodies of a declared method, or the declarations of a body. If there are several, only those with the same
    /// parameters.
    pub(super) fn declared_apart(&self, id: NodeId) -> Vec<NodeId> {
        match self.node(id).filter(|node| may_be_apart(node)) {
            Some(node) => self.apart_among(&self.by_full_name([name_in_family(node)]), id),
            None => Vec::new(),
        }
    }

    /// The same, where `nodes` are those of all names that are asked about.
    pub(super) fn apart_among(&self, nodes: &NodesByFullName<'_>, id: NodeId) -> Vec<NodeId> {
        let Some(node) = self.node(id).filter(|node| may_be_apart(node)) else { return Vec::new() };
        let mut others = self.overloads_among(nodes, id);
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

    /// Drops what files only declare where code outside of tests defines the same: a type, a function, a type's member.
    pub(super) fn drop_declared_for_others(&self, ids: &mut Vec<NodeId>) {
        if ids.len() < 2 {
            return;
        }
        let only_declares = |node: &Node| {
            let ends = node.language.capabilities().declaration_files.iter();
            ends.into_iter().any(|end| node.path.ends_with(end))
        };
        let owner = |node: &Node| {
            let parts = parts(&node.qname);
            let place = parts.len().checked_sub(2).filter(|_| node.is_method);
            place.and_then(|at| parts.get(at)).map(|owner| (*owner).to_owned())
        };
        let nodes = ids.iter().filter_map(|id| Some((*id, self.node(*id)?)));
        let defined = nodes.filter(|(id, node)| !only_declares(node) && !self.is_secondary(*id));
        let is_whole = |kind: NodeKind| kind.is_type() || kind == NodeKind::Module;
        // An alias or an interface is no code.
        let defined = defined.map(|(_, node)| node);
        let defined =
            defined.filter(|it| !matches!(it.kind, NodeKind::Alias | NodeKind::Interface));
        let key = |it: &Node| (it.language.family(), is_whole(it.kind), owner(it));
        let defined: BTreeSet<_> = defined.map(key).collect();
        ids.retain(|id| {
            let Some(node) = self.node(*id).filter(|node| only_declares(node)) else { return true };
            !defined.contains(&key(node))
        });
    }

    /// Keeps one node of each definition.
    pub(super) fn without_overloads(&self, ids: Vec<NodeId>) -> Vec<NodeId> {
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
        let builds = |edge: &Edge| edge.kind.is_inheritance();
        parts.sort_by_cached_key(|id| {
            let is_secondary = self.is_secondary(*id);
            let has_base = self.outgoing(*id).iter().any(builds);
            (is_secondary, !has_base, usize::MAX - self.incoming(*id).len(), *id)
        });
        parts
    }

    /// Returns a function that one header declares, then its bodies for several platforms, which are in files that include the
    /// header. The build chooses the body, so the declaration stands for all of them. `None` if `nodes`, which have one full
    /// name, are no such function.
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
        let mut signatures = [BTreeSet::new(), BTreeSet::new()];
        for (is_declaration, path, id) in nodes {
            let node = self.node(*id)?;
            let capabilities = node.language.capabilities();
            let in_header = capabilities.headers.iter().any(|end| path.ends_with(end));
            let is_shared =
                node.kind == NodeKind::Function && !node.is_private && !is_test_node(node);
            if !is_shared || in_header != *is_declaration {
                return None;
            }
            let (before, _) = node.signature.split_once(&node.name)?;
            let words = capabilities.file_local_words;
            let is_local = before.split_whitespace().any(|word| words.contains(&word));
            if is_local && !node.is_method || !in_header && !including.contains(&node.path) {
                continue;
            }
            signatures[usize::from(in_header)]
                .insert(parameter_types(&node.signature, &node.name)?);
            if in_header { &mut declared } else { &mut bodies }.push(*id);
        }
        let files: BTreeSet<&str> =
            bodies.iter().filter_map(|id| self.node(*id)).map(|node| node.path.as_str()).collect();
        let [of_bodies, of_header] = &signatures;
        let is_one = files.len() > 1 && of_bodies.is_subset(of_header);
        is_one.then(|| declared.into_iter().chain(bodies).collect())
    }

    /// Whether functions of one full name are overloads that headers define, with at most one other file among them.
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
}

/// What to ask for to find the nodes that may be one definition with `node`.
pub(super) fn name_in_family(node: &Node) -> NameInFamily {
    (node.language.family(), node.name.to_lowercase())
}

/// Whether a declaration and the body of a function may stand in two files.
pub(super) fn may_be_apart(node: &Node) -> bool {
    node.kind == NodeKind::Function && !node.language.capabilities().headers.is_empty()
}

/// The types of the parameters in the signature of a function of C, without the parameters' names.
fn parameter_types(signature: &str, name: &str) -> Option<Vec<String>> {
    let (_, list) = signature.split_once(name)?.1.split_once('(')?;
    let list = ParameterList::behind_parenthesis(list);
    list.is_whole.then(|| list.parameters.into_iter().map(parameter_type).collect())
}

/// `const char* name[2]` without the name.
fn parameter_type(written: &str) -> String {
    let declared = written.split(['[', '=']).next().unwrap_or(written).trim();
    // A parameter that nothing uses may have its name in a comment.
    let unnamed = declared.strip_suffix("*/").and_then(|it| it.rsplit_once("/*"));
    let declared = unnamed.map_or(declared, |(ty, _)| ty.trim());
    let ty = declared.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let is_named = ty.trim_end().ends_with(|c: char| c == '*' || c.is_alphanumeric());
    let ty = if is_named { ty } else { declared };
    ty.split_whitespace().collect()
}
