//! Calls that have no edge and may mean a definition: those by its name, and those that are written without it.

use std::{collections::BTreeSet, ops::Range};

use rayon::prelude::*;

use super::secondary_code::{is_secondary, is_test};
use crate::{
    graph_model::{Language, Node, NodeId, NodeKind, OpenCallTarget},
    store::Graph,
};

impl Graph {
    /// Returns the calls without a target by the name of a node, production code first: those in files of its languages that may
    /// mean it, or those that are taken for calls of a library. Returns nothing if the name is that of all constructors of the
    /// language, since a call by it may mean any type.
    pub fn open_calls_by_name_of(&self, node: &Node, wanted: OpenCallTarget) -> Vec<(&str, u32)> {
        let family = node.language.family();
        if node.language.capabilities().constructor_name == Some(&node.name) {
            return Vec::new();
        }
        let files: Vec<(&str, Range<u32>)> = self.files();
        let of_file = |(path, nodes): &(&'_ str, Range<u32>)| {
            let is_of_family = Language::of_path(path).map(Language::family) == Some(family);
            if !is_of_family || self.is_cancelled() {
                return Vec::new();
            }
            self.open_calls_by_name(NodeId(nodes.start), &node.name, wanted)
        };
        let lines: Vec<Vec<u32>> = files.par_iter().map(of_file).collect();
        let mut calls = BTreeSet::new();
        for ((path, _), lines) in files.iter().zip(lines).filter(|(_, lines)| !lines.is_empty()) {
            let is_test_or_secondary = is_test(path) || is_secondary(path);
            calls.extend(lines.into_iter().map(|line| (is_test_or_secondary, *path, line)));
        }
        calls.into_iter().map(|(_, path, line)| (path, line)).collect()
    }

    /// Whether what calls a function does so without its name, by a sign or by a form of the language: such calls have no edges.
    pub fn is_run_unnamed(&self, function: NodeId) -> bool {
        let Some(node) = self.node(function).filter(|it| it.kind == NodeKind::Function) else {
            return false;
        };
        let name = node.name.as_str();
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '`' | '@' | '#');
        name.starts_with(|c| !is_word(c)) || (node.language.capabilities().runs_unnamed)(name)
    }
}
