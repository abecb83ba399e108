//! Infers the types of the expressions of one file, and the referents of names. Final results are memoised. A result
//! that a cycle or a limit cut short is kept until the head of the cycle, or the question, ends.

mod declared_types;
mod evaluation_budget;
mod expression_types;
pub(crate) mod language_resolution_rules;

use std::{cell::Cell, rc::Rc};

use retriever_workspace::{BudgetLimits, WorkBudget};
use rustc_hash::FxHashMap;

pub(crate) use crate::resolve::inference_results::{
    InferenceCertainty, InferredType, InstanceOrClass, MethodResolutionOrder, NameReferent,
    class_of,
};
use crate::{
    facts::{ExprId, ImportId, TypeId},
    resolve::{
        cycle_memo::{CycleMemo, WHOLE},
        inference_results::{ChainStart, ImportVisibility, Ty},
        language_resolution_rules::ResolutionRules,
        out_of_line_members::OutOfLineMemberTable,
        program_facts::{DefRef, FileId, ModId, Name, ProgramFacts},
        resolution_read_set,
        scip_overlay::ScipOverlay,
    },
};

/// Evaluations that one reference may cause.
const FUEL: u32 = 4_000;
/// Operations that the references of one file may cause: evaluations, and candidates that are compared. No file of ordinary
/// code comes near it. What is left of a file that needs more stays unresolved.
const FILE_LIMITS: BudgetLimits =
    BudgetLimits { operations: 10_000_000, ..BudgetLimits::UNLIMITED };

pub(crate) struct TypeInference<'w, 'p> {
    pub(crate) program: &'w ProgramFacts<'p>,
    pub(crate) attached: &'w OutOfLineMemberTable,
    pub(super) overlay: &'w ScipOverlay<'p>,
    /// By file.
    rules: &'w [&'static dyn ResolutionRules],
    types: CycleMemo<(FileId, TypeId), Ty>,
    values: CycleMemo<(FileId, ExprId), InferredType>,
    /// Where methods of a type, or of its values, are looked for, where that is not found by supertypes alone.
    pub(crate) ancestry: CycleMemo<(DefRef, InstanceOrClass), MethodResolutionOrder>,
    /// The definitions that imports bring, where the result does not depend on a cycle, see [`TypeInference::spent`].
    pub(super) imports: FxHashMap<(FileId, ImportId), Vec<NameReferent>>,
    /// Imports that are being followed, and those that came round to one of them, with what is known of them so far.
    pub(super) open_imports: FxHashMap<(FileId, ImportId), Vec<NameReferent>>,
    pub(super) met_open_import: bool,
    /// The functions that run when a value of a type without type arguments is called, with the same condition.
    pub(super) callables: FxHashMap<DefRef, Vec<DefRef>>,
    /// The traits for all types that a file may see.
    pub(crate) blanket_traits: FxHashMap<FileId, Rc<[(FileId, TypeId)]>>,
    /// The modules that imports lead to.
    pub(super) modules: FxHashMap<(FileId, ImportId), Vec<ModId>>,
    /// What imports of everything bring, and what the search that is going on has met so far.
    pub(super) glob_imports: FxHashMap<(ModId, Name, ImportVisibility), Vec<NameReferent>>,
    pub(super) open_glob_imports: FxHashMap<(ModId, Name, ImportVisibility), Vec<NameReferent>>,
    /// The chain that was asked about last.
    pub(super) last_chain: Cell<Option<ChainStart>>,
    pub(crate) depth: u32,
    /// The depth of the outermost open evaluation that a cycle was cut at.
    cut: u32,
    fuel: u32,
    budget: WorkBudget,
    /// A budget before this one ran out of operations.
    ran_out: bool,
}

impl<'w, 'p> TypeInference<'w, 'p> {
    pub(crate) fn new(
        program: &'w ProgramFacts<'p>,
        rules: &'w [&'static dyn ResolutionRules],
        overlay: &'w ScipOverlay<'p>,
        attached: &'w OutOfLineMemberTable,
    ) -> Self {
        Self {
            program,
            attached,
            overlay,
            rules,
            types: CycleMemo::default(),
            values: CycleMemo::default(),
            ancestry: CycleMemo::default(),
            imports: FxHashMap::default(),
            open_imports: FxHashMap::default(),
            met_open_import: false,
            callables: FxHashMap::default(),
            blanket_traits: FxHashMap::default(),
            modules: FxHashMap::default(),
            glob_imports: FxHashMap::default(),
            open_glob_imports: FxHashMap::default(),
            last_chain: Cell::new(None),
            depth: 0,
            cut: WHOLE,
            fuel: FUEL,
            budget: WorkBudget::new(FILE_LIMITS, &program.cancellation),
            ran_out: false,
        }
    }

    /// Returns what the language of a file decides itself.
    pub(crate) fn rules(&self, file: FileId) -> &'static dyn ResolutionRules {
        resolution_read_set::note_file(file);
        self.rules[file.index()]
    }
}
