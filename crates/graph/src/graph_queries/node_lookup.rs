//! Resolves what a person or a model types to a node: by exact name, by qualified name, or to a list of candidates.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use super::{
    qualified_names::{is_qualified_by, parts},
    secondary_code::{is_secondary, is_test, is_test_module},
};
use crate::{
    graph_model::{EdgeKind, NodeId, NodeKind},
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
        /// At most five, nearest first, each in one spelling.
        nearest: Vec<String>,
    },
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
        self.keep_endings(&mut fitting, &wanted);
        fitting = self.without_overloads(fitting);
        self.drop_declared_for_others(&mut fitting);
        let full =
            |id: &NodeId| self.node(*id).is_some_and(|node| node.qname == target.name.trim());
        // A bare name means no test's own class rather than one of a namespace.
        let has_primary = || fitting.iter().any(|id| !self.is_secondary(*id));
        let is_meant = |id: &NodeId| wanted.len() > 1 || !self.is_secondary(*id) || !has_primary();
        if let [one] = fitting.iter().filter(|id| full(id)).collect::<Vec<_>>()[..]
            && is_meant(one)
        {
            fitting = vec![*one];
        }
        match fitting.as_slice() {
            [] => NameLookup::Nothing { nearest: self.nearest(&wanted) },
            [one] => NameLookup::One(*one),
            all => {
                let mut candidates = all.to_vec();
                candidates.sort_by_cached_key(|id| {
                    // The method of an interface is what those that implement it are called through.
                    let is_declaration = self.node(*id).is_some_and(|node| node.is_declaration)
                        && !self.incoming(*id).iter().any(|it| it.kind == EdgeKind::Implements);
                    let unused = usize::MAX - self.incoming(*id).len();
                    (self.is_secondary(*id), is_declaration, unused, *id)
                });
                NameLookup::Several { total: candidates.len(), candidates }
            }
        }
    }

    /// Keeps what ends with the very words, else what ends with them in other letters, if there is any: they come before what has
    /// others in between.
    fn keep_endings(&self, fitting: &mut Vec<NodeId>, wanted: &[&str]) {
        for same in [str::eq, str::eq_ignore_ascii_case] as [fn(&str, &str) -> bool; 2] {
            let ends = |id: &NodeId| {
                let Some(node) = self.node(*id) else { return false };
                let of_node = parts(&node.qname);
                let behind = of_node.len().checked_sub(wanted.len()).map(|at| &of_node[at..]);
                behind.is_some_and(|it| it.iter().zip(wanted).all(|(one, other)| same(one, other)))
            };
            if fitting.iter().any(ends) {
                fitting.retain(ends);
                return;
            }
        }
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

    /// The names that are nearest to one that nothing has: those of its last part with a similar part before it, else those that
    /// are similar to the last part.
    fn nearest(&self, wanted: &[&str]) -> Vec<String> {
        let Some((name, above)) = wanted.split_last() else { return Vec::new() };
        if let Some(owner) = above.last() {
            let owned = self.similarly_owned(name, &owner.to_lowercase());
            if !owned.is_empty() {
                return owned;
            }
        }
        let wanted = name.to_lowercase();
        let mut near: Vec<(usize, &str)> = self
            .until_cancelled(self.names())
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
        // Another spelling of a name says nothing new.
        let mut words = BTreeSet::new();
        near.retain(|(_, name)| {
            let letters = name.chars().filter(|letter| letter.is_alphanumeric());
            words.insert(letters.flat_map(char::to_lowercase).collect::<String>())
        });
        near.into_iter().take(CANDIDATES).map(|(_, name)| name.to_owned()).collect()
    }

    /// The full names of what is called `name` in something that is called similarly to `owner`.
    fn similarly_owned(&self, name: &str, owner: &str) -> Vec<String> {
        let mut near = BTreeSet::new();
        for id in self.named(&name.to_lowercase()) {
            let Some(node) = self.heading(id).filter(|node| node.name == name) else { continue };
            let around = parts(node.qname).into_iter().rev().nth(1).map(str::to_lowercase);
            let distance = around.map(|it| strsim::damerau_levenshtein(&it, owner));
            if let Some(distance) = distance.filter(|it| *it <= 1 + owner.chars().count() / 4) {
                near.insert((distance, node.qname.to_owned()));
            }
        }
        near.into_iter().take(CANDIDATES).map(|(_, name)| name).collect()
    }

    /// Returns the nodes that match all words of `query`, best first, and how many there are. Nodes whose full name ends with
    /// the words (`Store save`) come before those whose own name holds all words; in each group production code comes first. If
    /// there are none, the nodes whose own name holds some of the words and whose full name holds the others.
    pub fn search(&self, query: &str, limit: usize) -> (Vec<NodeId>, usize) {
        let words: Vec<String> = query
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .map(str::to_lowercase)
            .collect();
        let words: Vec<&str> =
            words.iter().map(String::as_str).filter(|word| !word.is_empty()).collect();
        let Some(last) = words.last() else { return (Vec::new(), 0) };
        let mut named: BTreeSet<(usize, String)> = BTreeSet::new();
        for (name, _) in self.until_cancelled(self.names()) {
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
        for (length, folded) in self.until_cancelled(named) {
            for id in self.named(&folded) {
                ranked.entry(id).or_insert((true, length));
            }
        }
        if ranked.is_empty() && words.len() > 1 {
            return self.search_members(&words, limit);
        }
        let mut beside: FxHashMap<&str, bool> = FxHashMap::default();
        let mut is_test_or_secondary = |id: NodeId| {
            let Some(node) = self.heading(id) else { return true };
            let path = node.path;
            let is_module = || parts(node.qname).iter().rev().skip(1).any(is_test_module);
            *beside.entry(path).or_insert_with(|| is_test(path) || is_secondary(path))
                || is_module()
        };
        let mut found: Vec<(bool, bool, usize, NodeId)> = ranked
            .into_iter()
            .map(|(id, (is_part, length))| (is_part, is_test_or_secondary(id), length, id))
            .collect();
        found.sort_unstable();
        let total = found.len();
        (found.into_iter().take(limit).map(|(.., id)| id).collect(), total)
    }

    /// Nodes whose own name holds some of the words, and whose full name holds the others.
    fn search_members(&self, words: &[&str], limit: usize) -> (Vec<NodeId>, usize) {
        let mut found: BTreeSet<(usize, bool, usize, NodeId)> = BTreeSet::new();
        for (name, _) in self.until_cancelled(self.names()) {
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
