//! Everything that is declared in a file, under one roof: definitions of the graph, and what the text declares where the
//! graph knows nothing. Reads each file and each share of the graph once, and only those that are asked for.

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use rustc_hash::FxHashSet;

use crate::explore::{
    exploration::Section,
    id::{self, Id, Ids},
};
use crate::{
    candidate::Candidate, candidates::SizeTier, declarations::outline::FileOutline,
    index::IndexSnapshot, memo::Memo, text_cache::TextCache,
};
use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};
use retriever_workspace::{
    LineRange, RepoPath, TextFile, Workspace, escape_control, truncate_line,
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

/// The declarations of one file, in the order of lines.
struct FileSymbols {
    entries: Vec<Entry>,
    named: Mutex<Named>,
}

/// The IDs of a file's first declarations: each follows from those before it, and few files are asked for their last.
struct Named {
    makes: Ids,
    ids: Vec<Id>,
}

/// Where a declaration stands; the rest is read when it is asked for.
struct Entry {
    range: LineRange,
    line: u32,
    node: Option<NodeId>,
    place: OnceLock<Place>,
}

/// The declarations of a workspace as one run sees them.
pub(super) struct SymbolTable<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) graph: &'a Graph,
    files: usize,
    texts: &'a TextCache<'a>,
    /// Where outlines are kept, when they are at hand.
    words: Option<&'a IndexSnapshot>,
    outlines: Memo<String, Option<Arc<FileOutline>>>,
    sheets: Memo<String, Arc<FileSymbols>>,
    secondary: Memo<String, bool>,
    aside: Memo<NodeId, bool>,
}

impl<'a> SymbolTable<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        texts: &'a TextCache<'a>,
        words: Option<&'a IndexSnapshot>,
        graph: &'a Graph,
    ) -> Self {
        Self {
            workspace,
            graph,
            files: graph.files().len(),
            texts,
            words,
            outlines: Memo::default(),
            sheets: Memo::default(),
            secondary: Memo::default(),
            aside: Memo::default(),
        }
    }

    /// The size class by the files that the graph knows; `None` when it knows none.
    pub(super) fn tier(&self) -> Option<SizeTier> {
        (self.files > 0).then(|| SizeTier::of(self.files))
    }

    /// A file's text; `None` for one that can't be read any more.
    pub(super) fn text(&self, path: &str) -> Option<Arc<TextFile>> {
        self.texts.read(&RepoPath::parse(path, "").ok()?)
    }

    /// Whether a file is a test, generated, or otherwise beside the point of the program.
    pub(super) fn is_secondary(&self, path: &str) -> bool {
        self.secondary.get(path, || {
            RepoPath::parse(path, "").is_ok_and(|path| {
                let known = self.words.and_then(|words| words.is_secondary(&path));
                known.unwrap_or_else(|| self.workspace.traits(&path, "").is_secondary())
            })
        })
    }

    /// Whether a node lies in a file that is beside the point, or in tests that stand in the file they test.
    pub(super) fn is_aside(&self, node: NodeId) -> bool {
        self.aside.get(&node, || {
            self.graph.path_of(node).is_none_or(|path| self.is_secondary(path))
                || self.is_inner_test(node)
        })
    }

    /// Whether a node belongs to tests that stand in the file they test.
    pub(super) fn is_inner_test(&self, node: NodeId) -> bool {
        self.graph.heading(node).is_some_and(|known| {
            let outline = self.outline(known.path);
            outline.is_some_and(|outline| outline.is_test(known.name_line))
        })
    }

    fn outline(&self, path: &str) -> Option<Arc<FileOutline>> {
        let kept = || self.words?.outline_of(&RepoPath::parse(path, "").ok()?);
        let made = || kept().or_else(|| Some(FileOutline::of(&*self.text(path)?))).map(Arc::new);
        self.outlines.get(path, made)
    }

    /// Every declaration of a file; those of the graph, or what the text declares where it knows none.
    fn sheet(&self, path: &str) -> Arc<FileSymbols> {
        self.sheets.get(path, || Arc::new(self.declared(path)))
    }

    fn declared(&self, path: &str) -> FileSymbols {
        let entries: Vec<Entry> = self
            .graph
            .nodes_of(path)
            .filter_map(|id| {
                let known = self.graph.heading(NodeId(id))?;
                let range = LineRange::new(known.start, known.end)?;
                (known.kind != NodeKind::File).then_some(Entry {
                    range,
                    line: known.name_line,
                    node: Some(NodeId(id)),
                    place: OnceLock::new(),
                })
            })
            .collect();
        if entries.is_empty() {
            return self.declared_in_text(path);
        }
        FileSymbols { entries, named: Mutex::new(Named { makes: Ids::new(path), ids: Vec::new() }) }
    }

    fn declared_in_text(&self, path: &str) -> FileSymbols {
        let (mut makes, mut ids, mut entries) = (Ids::new(path), Vec::new(), Vec::new());
        let file = self.text(path);
        let declared = file.as_ref().map_or_else(Vec::new, |file| {
            crate::declarations::declarations(file.path.extension(), file.text())
        });
        for found in &declared {
            let declaration = &found.declaration;
            let owner = found.parent.and_then(|parent| declared.get(parent));
            let name = match owner {
                Some(owner) => format!("{}.{}", owner.declaration.name, declaration.name),
                None => declaration.name.clone(),
            };
            let id = makes.next(&["text ", &declaration.kind, " ", &name]);
            let line = declaration.range.start();
            let place = Place {
                id: id.as_str().to_owned(),
                path: path.to_owned(),
                range: declaration.range,
                line,
                kind: one_line(&declaration.kind),
                name: one_line(&name),
                signature: one_line(
                    file.as_ref().and_then(|file| file.line(line)).unwrap_or_default(),
                ),
                doc: String::new(),
                node: None,
            };
            ids.push(id);
            let (range, place) = (place.range, OnceLock::from(place));
            entries.push(Entry { range, line, node: None, place });
        }
        FileSymbols { entries, named: Mutex::new(Named { makes, ids }) }
    }

    /// The IDs of a file's first `count` declarations, at least.
    fn ids<'s>(&self, sheet: &'s FileSymbols, count: usize) -> MutexGuard<'s, Named> {
        let mut named = sheet.named.lock().unwrap_or_else(PoisonError::into_inner);
        let known = named.ids.len();
        for entry in sheet.entries.iter().take(count).skip(known) {
            let heading = entry.node.and_then(|node| self.graph.heading(node));
            let (kind, name) = heading.as_ref().map_or(("", ""), |it| (it.kind.as_ref(), it.qname));
            let id = named.makes.next(&[kind, " ", name]);
            named.ids.push(id);
        }
        named
    }

    /// The place of the declaration at a number of its file.
    fn made<'s>(&self, path: &str, sheet: &'s FileSymbols, at: usize) -> &'s Place {
        let entry = &sheet.entries[at];
        entry.place.get_or_init(|| {
            let id = self.ids(sheet, at + 1).ids.get(at).copied().unwrap_or_default();
            let known = entry.node.and_then(|node| self.graph.node(node));
            Place {
                id: id.as_str().to_owned(),
                path: path.to_owned(),
                range: entry.range,
                line: entry.line,
                kind: known.map_or_else(String::new, |node| {
                    if node.is_method { "method".to_owned() } else { node.kind.to_string() }
                }),
                name: entry.node.map_or_else(String::new, |node| self.full_name(node)),
                signature: known.map_or_else(String::new, |node| one_line(&node.signature)),
                doc: known.map_or_else(String::new, |node| one_line(&node.doc)),
                node: entry.node,
            }
        })
    }

    /// Whether a declaration is named on one of `lines`.
    pub(super) fn declares(&self, path: &str, lines: LineRange) -> bool {
        self.sheet(path).entries.iter().any(|entry| lines.contains(entry.line))
    }

    /// A node's name with that of its type.
    pub(super) fn full_name(&self, node: NodeId) -> String {
        let name = self.graph.heading(node).map_or("", |node| node.name);
        let owner = self.owner(node).and_then(|owner| self.graph.heading(owner));
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
        self.graph.kind(node).is_some_and(|kind| {
            use NodeKind::{Alias, Class, Enum, Interface, Struct, Trait};
            matches!(kind, Class | Struct | Interface | Trait | Enum | Alias)
        })
    }

    /// Whether a node is something that runs.
    pub(super) fn is_function(&self, node: NodeId) -> bool {
        self.graph.kind(node) == Some(NodeKind::Function)
    }

    /// The place of a node.
    pub(super) fn place(&self, node: NodeId) -> Option<Place> {
        let path = self.graph.path_of(node)?;
        let sheet = self.sheet(path);
        let at = sheet.entries.binary_search_by_key(&Some(node), |entry| entry.node).ok()?;
        Some(self.made(path, &sheet, at).clone())
    }

    /// The place that a candidate stands for: a declaration, or a window of lines.
    pub(super) fn place_of(&self, candidate: &Candidate) -> Option<Place> {
        let path = candidate.file.path.as_str();
        let range = candidate.range?;
        let Some(symbol) = candidate.symbols.first() else {
            return Some(self.window(path, range));
        };
        let sheet = self.sheet(path);
        let all = || sheet.entries.iter().enumerate();
        let mut at_line = all()
            .filter(|(_, entry)| entry.line == symbol.line || entry.range.start() == symbol.line);
        let same_name = |at: usize| {
            let place = self.made(path, &sheet, at);
            let owned =
                || place.name.strip_suffix(&symbol.name).is_some_and(|it| it.ends_with('.'));
            (place.name == symbol.name || owned()).then_some(place)
        };
        let found = at_line.clone().find_map(|(at, _)| same_name(at));
        let found = found.or_else(|| Some(self.made(path, &sheet, at_line.next()?.0)));
        // Attributes may stand between the heading that the text has and the line that the graph names.
        let mut around = all()
            .rev()
            .filter(|(_, entry)| entry.range.contains(symbol.line) && entry.range.covers(range));
        let found = found.or_else(|| around.find_map(|(at, _)| same_name(at)));
        Some(found.cloned().unwrap_or_else(|| self.window(path, range)))
    }

    /// A place that is no declaration: its ID stands for its first line.
    fn window(&self, path: &str, range: LineRange) -> Place {
        let sheet = self.sheet(path);
        let mut ids = Ids::new(path);
        ids.extend(self.ids(&sheet, sheet.entries.len()).ids.iter().copied());
        let text = self.text(path);
        let line = range.start();
        let text = text.as_deref().and_then(|file| file.line(line)).unwrap_or_default();
        Place {
            id: ids.next(&[&window_basis(line)]).as_str().to_owned(),
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
            let sheet = self.sheet(path);
            let ids = self.ids(&sheet, sheet.entries.len()).ids.clone();
            let meant = (0..).zip(&ids).filter(|(_, id)| id.as_str().starts_with(prefix));
            found.extend(meant.map(|(at, _)| self.made(path, &sheet, at).clone()));
            let Some(file) = self.text(path) else { continue };
            let taken: FxHashSet<Id> = ids.iter().copied().collect();
            let mut ids = Ids::new(path);
            for line in 1..=file.line_count() {
                let named = ids.first(&[&window_basis(line)]);
                if named.as_str().starts_with(prefix) && !taken.contains(&named) {
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

fn window_basis(line: u32) -> String {
    format!("line {line}")
}

/// Text of the repository as a part of a line.
pub(super) fn one_line(text: &str) -> String {
    let text: Vec<&str> = text.split_whitespace().collect();
    let text = escape_control(&text.join(" "));
    match text.char_indices().nth(SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A line of source as it is printed.
fn printable(line: &str) -> String {
    escape_control(&truncate_line(line.trim_end()))
}
