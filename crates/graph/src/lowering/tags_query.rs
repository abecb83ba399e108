//! What a tags query captures: the definitions of a language that is outlined only, and its imports. `@definition.KIND` is
//! the whole of one, `@name` its name, `@comment` a comment, `@import` what an import names. Nothing is said of what is
//! called or named in them.

use std::{cmp::Reverse, ops::ControlFlow};

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};
use rustc_hash::FxHashMap;
use tree_sitter::{
    Node, Query, QueryCursor, QueryCursorOptions, QueryCursorState, QueryMatch, StreamingIterator,
    Tree,
};

use crate::{
    facts::{
        Binding, BindingTarget, DefId, DefKind, FileFacts, Import, LoweredDefinition, ScopeId, Sym,
    },
    lowering::{doc_comments::summary, index},
};

/// Matches that the query may have open at once.
const MAX_OPEN_MATCHES: u32 = 4_096;
/// Operations between two calls of the query's progress callback, about.
const STEPS: u64 = 100;
/// Bytes of a signature.
const MAX_SIGNATURE: usize = 200;

/// A definition that was captured. Rows are from 0.
struct Captured<'t> {
    kind: DefKind,
    name: &'t str,
    name_row: usize,
    /// The number of the pattern that captured it.
    pattern: usize,
    bytes: (usize, usize),
    rows: (usize, usize),
}

/// Adds the definitions of a text to `facts`.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(crate) fn read_tags(
    query: &Query,
    text: &str,
    tree: &Tree,
    mut facts: FileFacts,
    budget: &WorkBudget,
) -> Result<FileFacts, WorkBudgetExhausted> {
    let Captures { definitions, comments, imports } = captures(query, text, tree, budget)?;
    add_imports(&imports, &mut facts);
    let mut symbols: FxHashMap<&str, Sym> = FxHashMap::default();
    let mut open: Vec<(DefId, usize)> = Vec::new();
    // The last definition inside each: the clauses of a function follow one another.
    let mut last: FxHashMap<Option<DefId>, DefId> = FxHashMap::default();
    for it in definitions {
        budget.spend(1)?;
        while open.last().is_some_and(|(_, end)| *end <= it.bytes.0) {
            open.pop();
        }
        let parent = open.last().map(|(id, _)| *id);
        let name = *symbols.entry(it.name).or_insert_with(|| {
            facts.names.push(it.name.into());
            Sym(index(facts.names.len() - 1))
        });
        let before = last.get(&parent).copied().filter(|id| {
            let def = facts.def(*id);
            it.kind == DefKind::Function && (def.name, def.kind) == (name, it.kind)
        });
        if let Some(id) = before {
            let def = &mut facts.defs[id.index()];
            def.end = def.end.max(index(it.rows.1) + 1);
            open.push((id, it.bytes.1));
            continue;
        }
        let id = DefId(index(facts.defs.len()));
        let signature = text[it.bytes.0..it.bytes.1].lines().next().unwrap_or_default();
        let signature = &signature[..signature.floor_char_boundary(MAX_SIGNATURE)];
        facts.defs.push(LoweredDefinition {
            kind: it.kind,
            name,
            parent,
            start: index(it.rows.0) + 1,
            end: index(it.rows.1) + 1,
            name_line: index(it.name_row) + 1,
            signature: signature.trim_end_matches(['{', ' ']).to_owned(),
            doc: doc_above(&comments, it.rows.0),
            ..LoweredDefinition::EMPTY
        });
        if parent.is_none() {
            let what = BindingTarget::Def(id);
            facts.bindings.push(Binding { scope: ScopeId(0), name, from: 0, what });
        }
        last.insert(parent, id);
        open.push((id, it.bytes.1));
    }
    facts.bindings.sort_by_key(|binding| (binding.scope, binding.name, binding.from));
    Ok(facts)
}

fn add_imports(imports: &[(&str, usize)], facts: &mut FileFacts) {
    for (written, row) in imports {
        let name = Sym(index(facts.names.len()));
        facts.names.push((*written).into());
        facts.imports.push(Import {
            module: vec![name],
            line: index(*row) + 1,
            ..Import::empty().clone()
        });
    }
}

/// A comment: its text, and its first and last row.
type Comment<'t> = (&'t str, usize, usize);

/// What a query captured.
#[derive(Default)]
struct Captures<'t> {
    definitions: Vec<Captured<'t>>,
    comments: Vec<Comment<'t>>,
    /// What imports name, and their rows.
    imports: Vec<(&'t str, usize)>,
}

/// Runs the query.
fn captures<'t>(
    query: &Query,
    text: &'t str,
    tree: &Tree,
    budget: &WorkBudget,
) -> Result<Captures<'t>, WorkBudgetExhausted> {
    let mut found = Captures::default();
    let mut progress = |_: &QueryCursorState| match budget.spend(STEPS) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    };
    let options = QueryCursorOptions::new().progress_callback(&mut progress);
    let mut cursor = QueryCursor::new();
    cursor.set_match_limit(MAX_OPEN_MATCHES);
    let mut matches =
        cursor.matches_with_options(query, tree.root_node(), text.as_bytes(), options);
    while let Some(matched) = matches.next() {
        budget.spend(1)?;
        if let Some(definition) = captured(query, text, matched) {
            found.definitions.push(definition);
            continue;
        }
        for capture in matched.captures() {
            let written = &text[capture.node.byte_range()];
            let (first, last) = rows(capture.node, text);
            match query.capture_names().get(capture.index as usize).copied() {
                Some("comment") => found.comments.push((written, first, last)),
                Some("import") => found.imports.push((written, first)),
                _ => {}
            }
        }
    }
    let definitions = &mut found.definitions;
    definitions.sort_by_key(|it| (it.bytes.0, Reverse(it.bytes.1), it.pattern));
    // The first pattern of the query that captures a definition says what it is.
    definitions.dedup_by_key(|it| (it.bytes, it.name));
    budget.exhausted().map_or(Ok(found), Err)
}

/// The definition of a match; none for a comment.
fn captured<'t>(
    query: &Query,
    text: &'t str,
    matched: &QueryMatch<'_, '_>,
) -> Option<Captured<'t>> {
    let mut name: Option<Node<'_>> = None;
    let mut definition = None;
    for capture in matched.captures() {
        let label = query.capture_names().get(capture.index as usize)?;
        if *label == "name" {
            name = Some(capture.node);
        } else if let Some(kind) = label.strip_prefix("definition.").and_then(kind_of) {
            definition = Some((kind, capture.node));
        }
    }
    let ((kind, node), name) = (definition?, name?);
    let written = text.get(name.byte_range())?;
    (!written.is_empty()).then(|| Captured {
        kind,
        name: written,
        name_row: name.start_position().row,
        pattern: matched.pattern_index,
        bytes: (node.start_byte(), node.end_byte()),
        rows: rows(node, text),
    })
}

/// The first and the last row with text of a node: some grammars end one behind its line, or behind empty ones.
fn rows(node: Node<'_>, text: &str) -> (usize, usize) {
    let written = text.get(node.byte_range()).unwrap_or_default();
    let behind = &written[written.trim_end().len()..];
    let first = node.start_position().row;
    let last = node.end_position().row - behind.bytes().filter(|byte| *byte == b'\n').count();
    (first, last.max(first))
}

fn kind_of(label: &str) -> Option<DefKind> {
    Some(match label {
        "function" | "method" => DefKind::Function,
        "class" => DefKind::Class,
        "struct" => DefKind::Struct,
        "interface" => DefKind::Interface,
        "enum" => DefKind::Enum,
        "variant" => DefKind::Variant,
        "type" => DefKind::Alias,
        "field" => DefKind::Field,
        "variable" => DefKind::Variable,
        "module" => DefKind::Namespace,
        "macro" => DefKind::Macro,
        _ => return None,
    })
}

/// The summary of the comment that ends right above a row; comments are in the order of the text.
fn doc_above(comments: &[Comment<'_>], row: usize) -> String {
    let count = comments.partition_point(|(_, first, _)| *first < row);
    let mut above = comments[..count].iter().rev();
    let mut next_row = row;
    let mut doc = String::new();
    while let Some((text, first, last)) = above.next()
        && last + 1 == next_row
    {
        let text = text.strip_prefix("(*").and_then(|it| it.strip_suffix("*)")).unwrap_or(text);
        let line = summary(text);
        if !line.is_empty() {
            doc = line;
        }
        next_row = *first;
    }
    doc
}
