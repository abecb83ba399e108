//! Where the files of an index name a value, resolved when it is asked for: the resolver is set up again over the stored facts.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

use rayon::prelude::*;
use retriever_workspace::{Cancellation, RepoPath, TextFile};
use rustc_hash::FxHashMap;

use super::{
    apply_file_changes,
    facts_for_resolution::{GraphAndFactsStores, StoredFacts},
    indexed_file_record,
    stored_file_resolution::ResolutionRecord,
    workspace_graph_index::{GraphIndex, IndexError},
};
use crate::{
    graph_model::NodeId,
    languages,
    resolve::{
        CrossFileContributions, FileId, PlaceOfUse, ProgramFactsInput, Resolver, UseOfValue,
    },
    store::{FileKey, Graph, GraphStore, StoreError, StoreTable, checksummed_record},
};

/// Bytes behind a name in which a member of it is looked for.
const MEMBER_WITHIN: usize = 400;
/// Calls and subscripts between two members.
const MAX_CALLS: usize = 4;
/// What stands for the object that runs, in front of its member.
const OBJECTS: &[&str] = &["this", "self", "Self", "super", "static", "parent"];

/// What a resolver is given beside the facts of files.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ResolverInput {
    /// Nothing: enough for what single files and their imports say.
    FactsOnly,
    /// What files contribute to each other, so that types of values are found.
    WithContributions,
}

impl GraphIndex {
    /// Returns the lines in which files of `graph` name one of `values`, by path; only the files `paths` are looked at. The graph is
    /// one that this index answers from.
    ///
    /// # Errors
    ///
    /// [`IndexError`] when the store or the facts of a file can't be read.
    pub fn uses_of_values(
        &self,
        graph: &Graph,
        values: &[NodeId],
        paths: &BTreeSet<&str>,
        cancellation: &Cancellation,
    ) -> Result<Vec<(String, BTreeSet<u32>)>, IndexError> {
        let with_contributions = ResolverInput::WithContributions;
        self.with_resolver(graph, with_contributions, cancellation, |resolver| {
            let by_path: BTreeMap<&str, FileId> =
                resolver.files().into_iter().map(|it| (resolver.program().path(it), it)).collect();
            let definition = |value: &NodeId| {
                let path = graph.path_of(*value)?;
                let place = value.0.checked_sub(graph.nodes_of(path).start)?;
                resolver.definition_of_node(*by_path.get(path)?, place)
            };
            let values: Vec<_> = values.iter().filter_map(definition).collect();
            let files: Vec<_> =
                paths.iter().filter_map(|path| Some((*path, *by_path.get(path)?))).collect();
            let lines = files.into_par_iter().filter_map(|(path, file)| {
                cancellation.check().ok()?;
                let uses = resolver.uses_of_values(file, &values);
                let read = RepoPath::parse(path, "").ok().filter(|_| !uses.is_empty())?;
                let text = self.workspace().read(&read).ok()?;
                let mut lines = BTreeSet::new();
                for it in uses {
                    cancellation.check().ok()?;
                    lines.extend(lines_of_use(&text, it));
                }
                (!lines.is_empty()).then(|| (path.to_owned(), lines))
            });
            lines.collect()
        })
    }

    /// Gives `read` a resolver of the files of `graph`.
    pub(super) fn with_resolver<T>(
        &self,
        graph: &Graph,
        input: ResolverInput,
        cancellation: &Cancellation,
        read: impl FnOnce(&Resolver<'_>) -> T,
    ) -> Result<T, IndexError> {
        let store = graph.store();
        let records = indexed_file_record::read_all(store)?;
        let tree = apply_file_changes::source_tree(store, &records, BTreeMap::new())?;
        let stores = GraphAndFactsStores {
            graph: store,
            facts: self.facts(),
            workspace: Some(self.workspace()),
            upstream: self.upstream.as_deref(),
            cancellation,
        };
        let kept = Mutex::new(tree.kept_facts);
        let facts = StoredFacts { stores, files: &tree.files, kept };
        let sources = ProgramFactsInput {
            paths: tree.files.iter().map(|file| file.path.as_str()).collect(),
            facts: &facts,
            summaries: &tree.summaries,
            manifests: &tree.manifests,
            cancellation,
        };
        let mut resolver = Resolver::new(languages::RULES, &sources, &tree.overlays);
        if input == ResolverInput::WithContributions {
            let keys: Vec<FileKey> = tree.files.iter().map(|file| file.key).collect();
            let contributions = stored_contributions(store, &keys, cancellation)?;
            resolver.set_attached(contributions.iter().map(|file| &file.attached));
            resolver.set_callbacks(contributions.iter().flat_map(|file| &file.callbacks));
        }
        let found = read(&resolver);
        resolver.check()?;
        Ok(found)
    }
}

/// Returns what files contribute to each other, as it was found when they were resolved, by the order of `keys`.
fn stored_contributions(
    store: &GraphStore,
    keys: &[FileKey],
    cancellation: &Cancellation,
) -> Result<Vec<CrossFileContributions<FileId>>, StoreError> {
    let numbers: FxHashMap<FileKey, FileId> = keys.iter().copied().zip((0..).map(FileId)).collect();
    let records: BTreeMap<FileKey, Vec<u8>> =
        store.all(StoreTable::Resolutions)?.into_iter().collect();
    let number = |key: FileKey, def| Some((*numbers.get(&key)?, def));
    let contributions = |key: &FileKey| {
        cancellation.check()?;
        let Some(record) = records.get(key) else { return Ok(CrossFileContributions::default()) };
        let record: ResolutionRecord = checksummed_record::decode(record)?;
        Ok(record.contributions.renumbered(number).unwrap_or_default())
    };
    keys.par_iter().map(contributions).collect()
}

/// Returns the lines of a use. Where the text is another than the facts are of, there are none.
fn lines_of_use(file: &TextFile, (name, place): UseOfValue<'_>) -> Vec<u32> {
    let text = file.text();
    // Where variables have a sigil, members have none.
    let member = name.trim_start_matches('$');
    match place {
        PlaceOfUse::At(at) => {
            let at = at as usize;
            let is_there = text.get(at..).is_some_and(|rest| rest.starts_with(name));
            is_there.then(|| file.line_of(at)).into_iter().collect()
        }
        PlaceOfUse::InLine(line) => {
            let is_there = file.line(line).is_some_and(|text| words(text, member).next().is_some());
            is_there.then_some(line).into_iter().collect()
        }
        PlaceOfUse::Behind(start) => {
            let start = start as usize;
            let Some(rest) = text.get(start..) else { return Vec::new() };
            let found = words(rest, member).next().filter(|at| *at < MEMBER_WITHIN);
            found.map(|at| file.line_of(start + at)).into_iter().collect()
        }
        PlaceOfUse::OfObject { of: None, first, last } => {
            let lines = (first.max(1)..=last).map_while(|line| Some((line, file.line(line)?)));
            let lines = lines.filter(|(_, line)| {
                words(line, member).any(|at| line.get(..at).is_some_and(is_of_object))
            });
            lines.map(|(line, _)| line).collect()
        }
        PlaceOfUse::OfObject { of: Some(of), first, last } => {
            // A chain may go over several lines.
            let lines: Vec<&str> = (first..=last).map_while(|line| file.line(line)).collect();
            let around = lines.join("\n");
            let found = words(&around, member).filter(|at| is_of_member(&around[..*at], of));
            found.map(|at| first + breaks_in(&around[..at])).collect()
        }
    }
}

fn breaks_in(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or_default()
}

/// Whether a text ends as what stands in front of a member of the member `of`: `of.`, `of().`, `of[0]?.`.
fn is_of_member(before: &str, of: &str) -> bool {
    let Some(mut object) = without_separator(before) else { return false };
    for _ in 0..MAX_CALLS {
        object = object.trim_end().trim_end_matches(['?', '!']);
        if let Some(rest) = object.strip_suffix(of) {
            return !rest.ends_with(is_part_of_word);
        }
        let Some(open) = opening_bracket(object) else { return false };
        object = &object[..open];
    }
    false
}

/// Returns where the brackets open that a text ends with.
fn opening_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, character) in text.char_indices().rev().take(MEMBER_WITHIN) {
        match character {
            ')' | ']' => depth += 1,
            '(' | '[' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at).filter(|_| matches!(character, '(' | '['));
        }
    }
    None
}

/// Returns a text without the separator that it ends with, in front of a member.
fn without_separator(before: &str) -> Option<&str> {
    let before = before.trim_end();
    ["?.", "!.", ".", "?->", "->", "::"].iter().find_map(|between| before.strip_suffix(between))
}

/// Whether a text ends as what stands in front of a member of the object that runs.
fn is_of_object(before: &str) -> bool {
    let before = before.trim_end_matches('$');
    if before.ends_with('@') {
        return true;
    }
    let Some(object) = without_separator(before) else { return false };
    let is_object =
        |word: &str| object.strip_suffix(word).is_some_and(|rest| !rest.ends_with(is_part_of_word));
    OBJECTS.iter().any(|word| is_object(word))
}

/// Returns where a text has a word.
fn words<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    text.match_indices(word).map(|(at, _)| at).filter(move |at| {
        !text[..*at].ends_with(is_part_of_word)
            && !text[at + word.len()..].starts_with(is_part_of_word)
    })
}

fn is_part_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}
