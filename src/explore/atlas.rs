//! Everything that is declared in a file, under one roof: definitions of the graph, and what the text declares where the
//! graph knows nothing. Reads each file and each share of the graph once, and only those that are asked for.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    rc::Rc,
};

use super::{exploration::Section, id};
use crate::{
    graph::{EdgeKind, NodeId, NodeKind, View},
    lines::LineRange,
    recon::{self, Candidate, Tier},
    tools::{clip, render::visible},
    workspace::{RepoPath, TextFile, Workspace},
};

/// Characters of a signature.
const SIGNATURE_CHARS: usize = 160;
/// Lines that a place without a declaration has around the line that names it.
const WINDOW: u32 = 40;

/// A place that has an ID.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) id: String,
    pub(super) path: String,
    pub(super) range: LineRange,
    /// The line that names it.
    pub(super) line: u32,
    pub(super) kind: String,
    /// With the type it belongs to.
    pub(super) name: String,
    pub(super) signature: String,
    pub(super) doc: String,
    pub(super) node: Option<NodeId>,
}

/// The declarations of a workspace as one run sees them.
pub(super) struct Atlas<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) graph: &'a dyn View,
    nodes: BTreeMap<String, Range<u32>>,
    texts: RefCell<BTreeMap<String, Option<Rc<TextFile>>>>,
    places: RefCell<BTreeMap<String, Rc<Vec<Place>>>>,
    secondary: RefCell<BTreeMap<String, bool>>,
}

impl<'a> Atlas<'a> {
    pub(super) fn new(workspace: &'a Workspace, graph: &'a dyn View) -> Self {
        let nodes =
            graph.files().into_iter().map(|(path, nodes)| (path.to_owned(), nodes)).collect();
        Self {
            workspace,
            graph,
            nodes,
            texts: RefCell::default(),
            places: RefCell::default(),
            secondary: RefCell::default(),
        }
    }

    /// The size class by the files that the graph knows; `None` when it knows none.
    pub(super) fn tier(&self) -> Option<Tier> {
        (!self.nodes.is_empty()).then(|| Tier::of(self.nodes.len()))
    }

    /// A file's text; `None` for one that can't be read any more.
    pub(super) fn text(&self, path: &str) -> Option<Rc<TextFile>> {
        if let Some(known) = self.texts.borrow().get(path) {
            return known.clone();
        }
        let file = RepoPath::parse(path, "").ok().and_then(|path| self.workspace.read(&path).ok());
        let file = file.map(Rc::new);
        self.texts.borrow_mut().insert(path.to_owned(), file.clone());
        file
    }

    /// Whether a file is a test, generated, or otherwise beside the point of the program.
    pub(super) fn is_secondary(&self, path: &str) -> bool {
        if let Some(known) = self.secondary.borrow().get(path) {
            return *known;
        }
        let secondary = RepoPath::parse(path, "")
            .is_ok_and(|path| self.workspace.traits(&path, "").is_secondary());
        self.secondary.borrow_mut().insert(path.to_owned(), secondary);
        secondary
    }

    /// Whether a node lies in a file that is beside the point.
    pub(super) fn is_aside(&self, node: NodeId) -> bool {
        self.graph.node(node).is_none_or(|node| self.is_secondary(&node.path))
    }

    /// Every declaration of a file, with IDs; those of the graph first, in the order of lines.
    pub(super) fn places(&self, path: &str) -> Rc<Vec<Place>> {
        if let Some(known) = self.places.borrow().get(path) {
            return Rc::clone(known);
        }
        let places = Rc::new(self.read_places(path));
        self.places.borrow_mut().insert(path.to_owned(), Rc::clone(&places));
        places
    }

    fn read_places(&self, path: &str) -> Vec<Place> {
        let mut ids = Ids { path, taken: BTreeSet::new() };
        let mut places = Vec::new();
        for node in self.nodes.get(path).cloned().into_iter().flatten().map(NodeId) {
            let Some(known) = self.graph.node(node) else { continue };
            let Some(range) = LineRange::new(known.start, known.end) else { continue };
            if known.kind == NodeKind::File {
                continue;
            }
            places.push(Place {
                id: ids.of(&format!("{} {}", known.kind, known.qname)),
                path: path.to_owned(),
                range,
                line: known.name_line,
                kind: if known.is_method { "method".to_owned() } else { known.kind.to_string() },
                name: self.full_name(node),
                signature: one_line(&known.signature),
                doc: one_line(&known.doc),
                node: Some(node),
            });
        }
        if places.is_empty()
            && let Some(file) = self.text(path)
        {
            let declared = recon::declarations(file.path.extension(), file.text());
            for found in &declared {
                let declaration = &found.declaration;
                let owner = found.parent.and_then(|parent| declared.get(parent));
                let name = match owner {
                    Some(owner) => format!("{}.{}", owner.declaration.name, declaration.name),
                    None => declaration.name.clone(),
                };
                let line = declaration.range.start();
                places.push(Place {
                    id: ids.of(&format!("text {} {name}", declaration.kind)),
                    path: path.to_owned(),
                    range: declaration.range,
                    line,
                    kind: one_line(&declaration.kind),
                    name: one_line(&name),
                    signature: one_line(file.line(line).unwrap_or_default()),
                    doc: String::new(),
                    node: None,
                });
            }
        }
        places
    }

    /// A node's name with that of its type.
    pub(super) fn full_name(&self, node: NodeId) -> String {
        let name = self.graph.node(node).map_or("", |node| node.name.as_str());
        let owner = self.owner(node).and_then(|owner| self.graph.node(owner));
        match owner {
            Some(owner) => one_line(&format!("{}.{name}", owner.name)),
            None => one_line(name),
        }
    }

    /// The type that a node is a member of.
    pub(super) fn owner(&self, node: NodeId) -> Option<NodeId> {
        let mut above =
            self.graph.outgoing(node).iter().filter(|edge| edge.kind == EdgeKind::Parent);
        above.next().map(|edge| edge.to).filter(|owner| self.is_type(*owner))
    }

    /// Whether a node is a type.
    pub(super) fn is_type(&self, node: NodeId) -> bool {
        self.graph.node(node).is_some_and(|node| {
            use NodeKind::{Alias, Class, Enum, Interface, Struct, Trait};
            matches!(node.kind, Class | Struct | Interface | Trait | Enum | Alias)
        })
    }

    /// Whether a node is something that runs.
    pub(super) fn is_function(&self, node: NodeId) -> bool {
        self.graph.node(node).is_some_and(|node| node.kind == NodeKind::Function)
    }

    /// The place of a node.
    pub(super) fn place(&self, node: NodeId) -> Option<Place> {
        let path = &self.graph.node(node)?.path;
        self.places(path).iter().find(|place| place.node == Some(node)).cloned()
    }

    /// The place that a candidate stands for: a declaration, or a window of lines.
    pub(super) fn place_of(&self, candidate: &Candidate) -> Option<Place> {
        let path = candidate.file.path.as_str();
        let range = candidate.range?;
        let Some(symbol) = candidate.symbols.first() else {
            return Some(self.window(path, range));
        };
        let places = self.places(path);
        let named =
            |place: &&Place| place.line == symbol.line || place.range.start() == symbol.line;
        let same_name = |place: &&Place| {
            place.name == symbol.name || place.name.ends_with(&format!(".{}", symbol.name))
        };
        let found = places.iter().filter(named).find(same_name);
        let found = found.or_else(|| places.iter().find(named));
        // Attributes may stand between the heading that the text has and the line that the graph names.
        let near = |place: &&Place| {
            same_name(place) && place.range.contains(symbol.line) && place.range.covers(range)
        };
        let found = found.or_else(|| places.iter().rev().find(near));
        Some(found.cloned().unwrap_or_else(|| self.window(path, range)))
    }

    /// A place that is no declaration: its ID stands for its first line.
    fn window(&self, path: &str, range: LineRange) -> Place {
        let places = self.places(path);
        let mut ids = Ids { path, taken: places.iter().map(|place| place.id.clone()).collect() };
        let text = self.text(path);
        let line = range.start();
        let text = text.as_deref().and_then(|file| file.line(line)).unwrap_or_default();
        Place {
            id: ids.of(&window_basis(line)),
            path: path.to_owned(),
            range,
            line,
            kind: "lines".to_owned(),
            name: range.to_string(),
            signature: one_line(text.trim()),
            doc: String::new(),
            node: None,
        }
    }

    /// Every place whose ID starts with `prefix`.
    pub(super) fn with_prefix(&self, prefix: &str, paths: &BTreeSet<String>) -> Vec<Place> {
        let mut found = Vec::new();
        for path in paths.iter().filter(|path| id::may_be_in(path, prefix)) {
            let places = self.places(path);
            found.extend(places.iter().filter(|place| place.id.starts_with(prefix)).cloned());
            let Some(file) = self.text(path) else { continue };
            let taken: BTreeSet<&str> = places.iter().map(|place| place.id.as_str()).collect();
            for line in 1..=file.line_count() {
                let named = id::id(path, &window_basis(line), 0);
                if named.starts_with(prefix) && !taken.contains(named.as_str()) {
                    let end = (line + WINDOW - 1).min(file.line_count());
                    found.extend(LineRange::new(line, end).map(|range| self.window(path, range)));
                }
            }
        }
        found
    }

    /// The lines of a range as one section.
    pub(super) fn section(&self, path: &str, range: LineRange) -> Option<Section> {
        let file = self.text(path)?;
        let lines: Vec<String> = file.lines(range).map(|(_, line)| printable(line)).collect();
        let end = range.start() + u32::try_from(lines.len()).ok()?.checked_sub(1)?;
        Some(Section { start: range.start(), end, source: lines.join("\n") })
    }

    /// Characters of lines, their numbers not counted.
    pub(super) fn cost(&self, path: &str, range: LineRange) -> usize {
        let Some(file) = self.text(path) else { return 0 };
        file.lines(range).map(|(_, line)| line.trim_end().len().min(420) + 1).sum()
    }
}

/// Hands out IDs that are different within a file.
struct Ids<'a> {
    path: &'a str,
    taken: BTreeSet<String>,
}

impl Ids<'_> {
    fn of(&mut self, declared: &str) -> String {
        let mut salt = 0;
        loop {
            let id = id::id(self.path, declared, salt);
            if self.taken.insert(id.clone()) {
                return id;
            }
            salt += 1;
        }
    }
}

fn window_basis(line: u32) -> String {
    format!("line {line}")
}

/// Text of the repository as a part of a line.
pub(super) fn one_line(text: &str) -> String {
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = visible(&text.join(" "));
    match text.char_indices().nth(SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A line of source as it is printed.
fn printable(line: &str) -> String {
    visible(&clip(line.trim_end()))
}
