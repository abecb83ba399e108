//! Matches the SCIP data of files with their facts: the definition of each word, calls that lowering missed, and
//! supertypes. Words without SCIP data are resolved by the other rules.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    facts::{
        DefFlags, DefId, DefKind,
        language_capabilities::ConstructorReferenceTarget,
        scip_file_data::{ScipFileData, ScipOccurrence, ScipTarget},
    },
    graph_model::{CallDispatch, EdgeKind},
    resolve::{
        inference_results::InferenceCertainty,
        program_facts::{DefRef, FileId, ProgramFacts, number},
        resolved_edge::{DefinitionEdge, EdgeEnd, ReferenceEdge, ReferenceEdgeKind},
    },
};

/// The SCIP data of files, by file number.
#[derive(Default)]
pub(crate) struct ScipOverlay<'p> {
    files: FxHashMap<FileId, &'p ScipFileData>,
}

/// The answer of a SCIP index for a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScipLookup {
    /// The definitions that it refers to.
    Defs(Vec<DefRef>),
    /// It refers to something outside the repository.
    Outside,
    /// It refers to something in the repository that is no definition of the graph.
    Other,
    /// Nothing.
    Nothing,
}

impl<'p> ScipOverlay<'p> {
    pub(crate) fn of(
        program: &ProgramFacts<'_>,
        overlay: impl Iterator<Item = (&'p str, &'p ScipFileData)>,
    ) -> Self {
        let mut found = Self::default();
        for (path, overlay) in overlay {
            let Some(file) = program.by_path.get(path).copied() else { continue };
            found.files.insert(file, overlay);
        }
        found
    }

    /// Whether an index covers a file.
    pub(crate) fn covers(&self, file: FileId) -> bool {
        self.files.contains_key(&file)
    }

    /// Returns the referent of `word` on a line.
    pub(crate) fn answer(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        line: u32,
        word: &str,
    ) -> ScipLookup {
        let Some(overlay) = self.files.get(&file) else { return ScipLookup::Nothing };
        let mut defs = Vec::new();
        let (mut outside, mut other, mut unknown) = (false, false, false);
        for place in overlay.at(line, word) {
            match self.target(program, place) {
                Target::Def(def) => {
                    let def = made(program, def, word);
                    if !defs.contains(&def) {
                        defs.push(def);
                    }
                }
                Target::Outside => outside = true,
                Target::NoDef => other = true,
                Target::Changed => unknown = true,
            }
        }
        match () {
            () if unknown => ScipLookup::Nothing,
            // A declaration that adds to what comes from elsewhere isn't what is called.
            () if outside
                && defs.iter().all(|def| program.def(*def).kind == DefKind::Interface) =>
            {
                ScipLookup::Outside
            }
            () if !defs.is_empty() => ScipLookup::Defs(defs),
            () if other => ScipLookup::Other,
            () if outside => ScipLookup::Outside,
            () => ScipLookup::Nothing,
        }
    }

    fn target(&self, program: &ProgramFacts<'_>, place: ScipTarget<'_>) -> Target {
        let ScipTarget::Here { path, line, word } = place else { return Target::Outside };
        let Some(file) = program.by_path.get(path).filter(|file| self.files.contains_key(*file))
        else {
            return Target::Changed;
        };
        program.named_at(*file, line, program.name(word)).map_or(Target::NoDef, Target::Def)
    }

    /// Calls that an index has and the facts have no reference for, as in the arguments of macros.
    pub(crate) fn unseen(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        seen: &FxHashSet<(u32, &str)>,
    ) -> Vec<ReferenceEdge> {
        let Some(overlay) = self.files.get(&file) else { return Vec::new() };
        // Some indexers take the second of two definitions by one name for a reference.
        let defines = |word: &ScipOccurrence<'_>| {
            program.named_at(file, word.line, program.name(word.word)).is_some()
        };
        let calls = overlay.words().filter(|word| {
            word.called && !seen.contains(&(word.line, word.word)) && !defines(word)
        });
        calls
            .filter_map(|word| match self.target(program, word.place) {
                Target::Def(to) if program.def(to).kind == DefKind::Function => {
                    Some(ReferenceEdge {
                        kind: ReferenceEdgeKind::Calls,
                        from: around(program, file, word.line),
                        to,
                        line: word.line,
                        certainty: InferenceCertainty::Exact,
                        dispatch: CallDispatch::Open,
                    })
                }
                _ => None,
            })
            .collect()
    }

    /// Replaces the supertypes, and the methods that are implemented, of the definitions that an index has.
    pub(crate) fn correct(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        edges: &mut Vec<DefinitionEdge>,
    ) {
        let Some(overlay) = self.files.get(&file) else { return };
        for ((line, word), places) in overlay.supers() {
            let this = program.named_at(file, line, program.name(word));
            let Some(this) = this.filter(|def| program.is_named(*def)) else { continue };
            let targets: Vec<Target> =
                places.into_iter().map(|place| self.target(program, place)).collect();
            if targets.contains(&Target::Changed) {
                continue;
            }
            let ups: Vec<DefRef> = targets
                .into_iter()
                .filter_map(|target| match target {
                    Target::Def(def) if program.is_named(def) && def != this => Some(def),
                    _ => None,
                })
                .collect();
            let is_up = |edge: &DefinitionEdge| {
                edge.kind.is_inheritance() && edge.from == EdgeEnd::Def(this)
            };
            let had: Vec<EdgeEnd> =
                edges.iter().filter(|edge| is_up(edge)).map(|edge| edge.to).collect();
            edges.retain(|edge| !is_up(edge) || ups.iter().any(|up| edge.to == EdgeEnd::Def(*up)));
            for up in ups.into_iter().filter(|up| !had.contains(&EdgeEnd::Def(*up))) {
                let home =
                    if program.def(up).kind.is_type() { Some(up) } else { program.parent(up) };
                let is_abstract = |def: DefRef| {
                    matches!(program.def(def).kind, DefKind::Interface | DefKind::Trait)
                };
                let kind = match home {
                    Some(home) if is_abstract(home) && !is_abstract(this) => EdgeKind::Implements,
                    _ => EdgeKind::Inherits,
                };
                edges.push(DefinitionEdge::new(kind, EdgeEnd::Def(this), EdgeEnd::Def(up), line));
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Def(DefRef),
    Outside,
    /// A place in a file that is as it was, and no definition of the graph.
    NoDef,
    /// A place in a file that is no longer as it was.
    Changed,
}

/// Returns what a call by `word` runs according to the index. A constructor without a name of its own counts as its type.
fn made(program: &ProgramFacts<'_>, def: DefRef, word: &str) -> DefRef {
    let stands_for_type = match program.capabilities(def.file).constructor_references {
        ConstructorReferenceTarget::Type => true,
        ConstructorReferenceTarget::TypeUnlessNamed => program.text(program.def_name(def)) != word,
        ConstructorReferenceTarget::Constructor => false,
    };
    let constructs = program.def(def).flags.has(DefFlags::CONSTRUCTOR);
    match program.parent(def) {
        Some(ty) if constructs && stands_for_type => ty,
        _ => def,
    }
}

/// The innermost definition of the graph around a line.
fn around(program: &ProgramFacts<'_>, file: FileId, line: u32) -> Option<DefRef> {
    let defs = program.facts(file).defs.iter().enumerate();
    let inside = defs
        .filter(|(_, def)| def.kind == DefKind::Function && (def.start..=def.end).contains(&line));
    let innermost = inside.min_by_key(|(id, def)| (def.end - def.start, *id));
    program.named(DefRef { file, def: DefId(number(innermost?.0)) })
}
