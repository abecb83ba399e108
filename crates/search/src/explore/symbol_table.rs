//! The symbol table of one exploration: the declarations of each file with their IDs, from the graph, or from the text
//! where the graph knows nothing. Files and parts of the graph are read when they are asked for, each once.

use std::sync::{Arc, OnceLock};

use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};
use retriever_workspace::{Cancellation, LineRange, RepoPath, TextFile, Workspace};
use rustc_hash::FxHashSet;

use super::{
    exploration::SourceExcerpt,
    file_symbols::{Entry, FileSymbols, SymbolPlace},
    place_id::{PathsById, PlaceId, PlaceIdGenerator},
    printed_source::{self, one_line},
};
use crate::{
    bounded_memo::BoundedMemo,
    candidate::Candidate,
    declarations::{FileOutline, NestedDeclaration},
    index::FullTextSnapshot,
    per_file_limits,
    search_corpus::RepositorySizeTier,
    shared_memo::SharedMemo,
    texts_of_one_search::TextCache,
};

/// Lines of a place that is no declaration, from the line that its ID stands for.
const WINDOW_LINES: u32 = 40;
/// Lines between two looks at the cancellation.
const CHECK_INTERVAL: u32 = 1 << 10;

/// The declarations of files, kept beside the graph that has them for the next explorations.
#[derive(Default)]
struct KeptSymbols(BoundedMemo<String, Arc<FileSymbols>>);

/// Whether nodes lie in secondary files or in tests, kept in the same way.
#[derive(Default)]
struct KeptAsides(BoundedMemo<NodeId, bool>);

/// The declarations of a workspace.
pub(super) struct SymbolTable<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) graph: &'a Graph,
    /// Ends the exploration; what is cut short is incomplete.
    pub(super) cancellation: &'a Cancellation,
    graph_files: usize,
    texts: &'a TextCache<'a>,
    /// Those that were asked for, so that their paths are read once.
    known_texts: SharedMemo<String, Option<Arc<TextFile>>>,
    /// Has stored outlines; without it they are made from the texts.
    index: Option<&'a FullTextSnapshot>,
    outlines: SharedMemo<String, Option<Arc<FileOutline>>>,
    files: SharedMemo<String, Arc<FileSymbols>>,
    kept: Arc<KeptSymbols>,
    is_secondary: SharedMemo<String, bool>,
    asides: Arc<KeptAsides>,
}

impl<'a> SymbolTable<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        graph: &'a Graph,
        texts: &'a TextCache<'a>,
        index: Option<&'a FullTextSnapshot>,
        cancellation: &'a Cancellation,
    ) -> Self {
        Self {
            workspace,
            graph,
            cancellation,
            graph_files: graph.file_count(),
            texts,
            known_texts: SharedMemo::default(),
            index,
            outlines: SharedMemo::default(),
            files: SharedMemo::default(),
            kept: graph.kept(),
            is_secondary: SharedMemo::default(),
            asides: graph.kept(),
        }
    }

    /// Returns the size class by the files of the graph; `None` when it has none.
    pub(super) fn tier(&self) -> Option<RepositorySizeTier> {
        (self.graph_files > 0).then(|| RepositorySizeTier::of(self.graph_files))
    }

    /// Returns a file's text; `None` if it can't be read.
    pub(super) fn text(&self, path: &str) -> Option<Arc<TextFile>> {
        self.known_texts.get(path, || self.texts.read(&RepoPath::parse(path, "").ok()?))
    }

    /// Whether a file is a test, generated, or otherwise beside the point of the program.
    fn is_secondary(&self, path: &str) -> bool {
        self.is_secondary.get(path, || {
            RepoPath::parse(path, "").is_ok_and(|path| {
                let known = self.index.and_then(|index| index.is_secondary(&path));
                known.unwrap_or_else(|| self.workspace.traits(&path, "").is_secondary())
            })
        })
    }

    /// Whether a node lies in a secondary file, or in a test inside another file.
    pub(super) fn is_aside(&self, node: NodeId) -> bool {
        let is_aside = || {
            self.graph.path_of(node).is_none_or(|path| self.is_secondary(path))
                || self.is_inner_test(node)
        };
        self.asides.0.get_unless(&node, is_aside, || self.cancellation.is_cancelled())
    }

    /// Whether a node belongs to a test inside a file that is not one of tests.
    pub(super) fn is_inner_test(&self, node: NodeId) -> bool {
        self.graph.heading(node).is_some_and(|known| {
            let outline = self.outline(known.path);
            outline.is_some_and(|outline| outline.is_test(known.name_line))
        })
    }

    fn outline(&self, path: &str) -> Option<Arc<FileOutline>> {
        self.outlines.get(path, || {
            let stored = || self.index?.outline_of(&RepoPath::parse(path, "").ok()?);
            let made = || {
                let file = self.text(path)?;
                let budget = per_file_limits::file_budget(file.text().len(), self.cancellation);
                Some(Arc::new(FileOutline::of(&file, &budget).ok()?.0))
            };
            stored().or_else(made)
        })
    }

    /// Returns every declaration of a file: those of the graph, or those of the text where the graph has none.
    fn symbols(&self, path: &str) -> Arc<FileSymbols> {
        self.files.get(path, || {
            let kept = self.kept.0.get(path, || Arc::new(self.symbols_of_graph(path)));
            if kept.entries.is_empty() { Arc::new(self.symbols_of_text(path)) } else { kept }
        })
    }

    fn symbols_of_graph(&self, path: &str) -> FileSymbols {
        let entry = |id: u32| {
            let known = self.graph.heading(NodeId(id))?;
            let range = LineRange::new(known.start, known.end)?;
            let (line, node) = (known.name_line, Some(NodeId(id)));
            (known.kind != NodeKind::File).then(|| Entry {
                range,
                line,
                node,
                place: OnceLock::new(),
            })
        };
        let entries: Vec<Entry> = self.graph.nodes_of(path).filter_map(entry).collect();
        let (generator, ids) = (PlaceIdGenerator::new(path), Vec::new());
        FileSymbols::new(entries, generator, ids)
    }

    fn symbols_of_text(&self, path: &str) -> FileSymbols {
        let (mut generator, mut ids, mut entries) =
            (PlaceIdGenerator::new(path), Vec::new(), Vec::new());
        let file = self.text(path);
        let declared = file.as_ref().map_or_else(Vec::new, |file| self.declared_in(file));
        for found in &declared {
            let declaration = &found.declaration;
            let owner = found.owner(found.parent.and_then(|parent| declared.get(parent)));
            let name = match owner {
                Some(owner) => format!("{owner}.{}", declaration.name),
                None => declaration.name.clone(),
            };
            let id = generator.next_id(&["text ", &declaration.kind, " ", &name]);
            let line = declaration.range.start();
            let text = file.as_ref().and_then(|file| file.line(line)).unwrap_or_default();
            let place = SymbolPlace {
                id: id.as_str().to_owned(),
                path: path.to_owned(),
                range: declaration.range,
                line,
                kind: one_line(&declaration.kind),
                name: one_line(&name),
                signature: one_line(text),
                doc: String::new(),
                node: None,
            };
            ids.push(id);
            let (range, place) = (place.range, OnceLock::from(Box::new(place)));
            entries.push(Entry { range, line, node: None, place });
        }
        FileSymbols::new(entries, generator, ids)
    }

    fn declared_in(&self, file: &TextFile) -> Vec<NestedDeclaration> {
        let budget = per_file_limits::file_budget(file.text().len(), self.cancellation);
        let found = crate::declarations::find(file.extension(), file.text(), &budget);
        found.map_or_else(|_| Vec::new(), |(declared, _)| declared)
    }

    /// Returns the place of the declaration at a number of its file.
    fn place_at<'s>(&self, path: &str, symbols: &'s FileSymbols, at: usize) -> &'s SymbolPlace {
        let entry = &symbols.entries[at];
        entry.place.get_or_init(|| {
            let id = symbols.ids(self.graph, at + 1).ids.get(at).copied().unwrap_or_default();
            let known = entry.node.and_then(|node| self.graph.node(node));
            Box::new(SymbolPlace {
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
            })
        })
    }

    /// Whether a declaration is named on one of `lines`.
    pub(super) fn declares(&self, path: &str, lines: LineRange) -> bool {
        self.symbols(path).entries.iter().any(|entry| lines.contains(entry.line))
    }

    /// Returns a node's name with that of its type.
    pub(super) fn full_name(&self, node: NodeId) -> String {
        let name = self.graph.heading(node).map_or("", |node| node.name);
        let owner = self.owner(node).and_then(|owner| self.graph.heading(owner));
        match owner {
            Some(owner) => one_line(&format!("{}.{name}", owner.name)),
            None => one_line(name),
        }
    }

    /// Returns the type that a node is a member of.
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

    /// Whether a node is a function or method.
    pub(super) fn is_function(&self, node: NodeId) -> bool {
        self.graph.kind(node) == Some(NodeKind::Function)
    }

    /// Whether a function is declared as a property: by the line above its heading or in it, or by the word before its name.
    pub(super) fn is_property(&self, node: NodeId) -> bool {
        let Some(known) = self.graph.heading(node) else { return false };
        let head = LineRange::new(known.start.saturating_sub(1).max(1), known.name_line);
        let Some((file, head)) = self.text(known.path).zip(head) else { return false };
        file.lines(head).any(|(number, line)| {
            let line = line.trim();
            let is_named = number == known.name_line;
            line.starts_with('@') && line.to_lowercase().contains("property")
                || is_named
                    && line
                        .split_whitespace()
                        .take_while(|it| !it.contains('('))
                        .any(|it| it == "get")
        })
    }

    /// Returns the place of a node.
    pub(super) fn place(&self, node: NodeId) -> Option<SymbolPlace> {
        let path = self.graph.path_of(node)?;
        let symbols = self.symbols(path);
        let at = symbols.entries.binary_search_by_key(&Some(node), |entry| entry.node).ok()?;
        Some(self.place_at(path, &symbols, at).clone())
    }

    /// Returns the narrowest declaration around a line, or a window of lines from it on; `None` without such a line.
    pub(super) fn place_around(&self, path: &str, line: u32) -> Option<SymbolPlace> {
        let symbols = self.symbols(path);
        let around = symbols.entries.iter().enumerate();
        let around = around.filter(|(_, entry)| entry.range.contains(line));
        if let Some((at, _)) = around.min_by_key(|(_, entry)| entry.range.width()) {
            return Some(self.place_at(path, &symbols, at).clone());
        }
        let last = self.text(path)?.line_count();
        let window = LineRange::new(line, line.saturating_add(WINDOW_LINES - 1).min(last));
        window.map(|range| self.window(path, range))
    }

    /// Returns the place of a candidate: a declaration, or a window of lines.
    pub(super) fn place_of(&self, candidate: &Candidate) -> Option<SymbolPlace> {
        let path = candidate.file.path.as_str();
        let range = candidate.range?;
        let Some(symbol) = candidate.symbols.first() else {
            return Some(self.window(path, range));
        };
        let symbols = self.symbols(path);
        let all = || symbols.entries.iter().enumerate();
        let mut on_line = all()
            .filter(|(_, entry)| entry.line == symbol.line || entry.range.start() == symbol.line);
        let same_name = |at: usize| {
            let place = self.place_at(path, &symbols, at);
            let is_member =
                || place.name.strip_suffix(&symbol.name).is_some_and(|it| it.ends_with('.'));
            (place.name == symbol.name || is_member()).then_some(place)
        };
        let found = on_line.clone().find_map(|(at, _)| same_name(at));
        let found = found.or_else(|| Some(self.place_at(path, &symbols, on_line.next()?.0)));
        // Attributes may stand between the line that the text names it on and the one that the graph does.
        let mut around = all()
            .rev()
            .filter(|(_, entry)| entry.range.contains(symbol.line) && entry.range.covers(range));
        let found = found.or_else(|| around.find_map(|(at, _)| same_name(at)));
        Some(found.cloned().unwrap_or_else(|| {
            let window = self.window(path, range);
            if candidate.part_of.is_some() {
                return window;
            }
            // What the text alone declares, such as a constant of the preprocessor, is told by its name.
            SymbolPlace { kind: symbol.kind.clone(), name: symbol.name.clone(), ..window }
        }))
    }

    /// Returns the place of lines that are no declaration. Its ID stands for the first line.
    fn window(&self, path: &str, range: LineRange) -> SymbolPlace {
        let symbols = self.symbols(path);
        let mut generator = PlaceIdGenerator::new(path);
        generator.extend(symbols.ids(self.graph, symbols.entries.len()).ids.iter().copied());
        let text = self.text(path);
        let line = range.start();
        let text = text.as_deref().and_then(|file| file.line(line)).unwrap_or_default();
        SymbolPlace {
            id: generator.next_id(&[&window_declaration(line)]).as_str().to_owned(),
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

    /// Returns every place whose ID starts with `prefix`.
    pub(super) fn with_prefix(&self, prefix: &str, paths: &PathsById<'_>) -> Vec<SymbolPlace> {
        let mut found = Vec::new();
        for path in paths.that_may_have(prefix) {
            if self.cancellation.is_cancelled() {
                break;
            }
            let symbols = self.symbols(path);
            let ids = symbols.ids(self.graph, symbols.entries.len()).ids.clone();
            let matching = (0..).zip(&ids).filter(|(_, id)| id.as_str().starts_with(prefix));
            found.extend(matching.map(|(at, _)| self.place_at(path, &symbols, at).clone()));
            found.extend(self.windows_with_prefix(prefix, path, &ids));
        }
        found
    }

    /// Returns the windows of a file whose ID starts with `prefix` and is not one of `ids`.
    fn windows_with_prefix(&self, prefix: &str, path: &str, ids: &[PlaceId]) -> Vec<SymbolPlace> {
        let Some(file) = self.text(path) else { return Vec::new() };
        let taken: FxHashSet<PlaceId> = ids.iter().copied().collect();
        let mut generator = PlaceIdGenerator::new(path);
        let mut found = Vec::new();
        for line in 1..=file.line_count() {
            if line.is_multiple_of(CHECK_INTERVAL) && self.cancellation.is_cancelled() {
                break;
            }
            let id = generator.unsalted_id(&[&window_declaration(line)]);
            if id.as_str().starts_with(prefix) && !taken.contains(&id) {
                let end = (line + WINDOW_LINES - 1).min(file.line_count());
                found.extend(LineRange::new(line, end).map(|range| self.window(path, range)));
            }
        }
        found
    }

    /// Returns the lines of a range as one section.
    pub(super) fn section(&self, path: &str, range: LineRange) -> Option<SourceExcerpt> {
        let file = self.text(path)?;
        printed_source::section(&file, range)
    }

    /// Returns the characters that lines take, without their numbers.
    pub(super) fn cost(&self, path: &str, range: LineRange) -> usize {
        self.text(path).map_or(0, |file| printed_source::cost(&file, range))
    }
}

/// Returns what the ID of a window is derived from.
fn window_declaration(line: u32) -> String {
    format!("line {line}")
}
