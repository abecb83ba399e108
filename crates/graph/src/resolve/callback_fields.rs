//! Functions that are assigned to fields by name: function tables, structs of function pointers, handlers. A call through
//! such a field runs one of them, chosen when the program runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use crate::{
    facts::{DefId, DefKind, ExprId, FieldAt, name_hash},
    resolve::{
        edges::qname,
        evaluator::{Entity, Evaluator},
        program::{DefRef, FileId, Name, Program, number},
        read_set,
        types::Ty,
    },
};

/// Functions that one field may hold. With more of them, a call through the field says nothing.
pub(super) const MAX_ASSIGNED: usize = 12;

/// The functions that are assigned to each field anywhere.
#[derive(Debug, Default)]
pub(crate) struct CallbackFields {
    assigned: FxHashMap<DefRef, Vec<DefRef>>,
}

/// A function that one file assigns to a field. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallbackAssignment<F> {
    field: (F, DefId),
    function: (F, DefId),
    /// Hashes of the field's name, of its full name, and of the function's: they stay the same when definitions move.
    field_name: u32,
    field_hash: u64,
    function_hash: u64,
}

impl<F: Copy + Ord> CallbackAssignment<F> {
    /// Returns the same with other numbers; `None` when the field or the function is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<CallbackAssignment<G>> {
        Some(CallbackAssignment {
            field: number(self.field.0, self.field.1)?,
            function: number(self.function.0, self.function.1)?,
            field_name: self.field_name,
            field_hash: self.field_hash,
            function_hash: self.function_hash,
        })
    }
}

/// Returns for each field the field's file, a hash of its name, and a hash of the field and its functions. Sorted.
pub(crate) fn field_hashes<'a, F: Copy + Ord + 'a>(
    assignments: impl Iterator<Item = &'a CallbackAssignment<F>>,
) -> Vec<(F, u32, u64)> {
    let mut fields: BTreeMap<(F, DefId), (u32, u64, BTreeSet<u64>)> = BTreeMap::new();
    for assignment in assignments {
        let (_, _, functions) = fields
            .entry(assignment.field)
            .or_insert_with(|| (assignment.field_name, assignment.field_hash, BTreeSet::new()));
        functions.insert(assignment.function_hash);
    }
    let mut hashes: Vec<_> = fields
        .into_iter()
        .map(|((file, _), (name, field, functions))| {
            let mut hasher = FxHasher::default();
            (field, functions).hash(&mut hasher);
            (file, name, hasher.finish())
        })
        .collect();
    hashes.sort_unstable();
    hashes
}

impl CallbackFields {
    /// Joins the assignments of all files.
    pub(crate) fn new<'a>(
        assignments: impl Iterator<Item = &'a CallbackAssignment<FileId>>,
    ) -> Self {
        let mut fields = Self::default();
        for CallbackAssignment { field, function, .. } in assignments {
            let field = DefRef { file: field.0, def: field.1 };
            let function = DefRef { file: function.0, def: function.1 };
            let assigned = fields.assigned.entry(field).or_default();
            if !assigned.contains(&function) {
                assigned.push(function);
            }
        }
        fields
    }

    /// Returns the functions that a call through `field` may run; none when there are too many.
    pub(crate) fn assigned_to(&self, program: &Program<'_>, field: DefRef) -> &[DefRef] {
        match self.assigned.get(&field) {
            Some(assigned) if assigned.len() <= MAX_ASSIGNED => {
                // The file that calls through the field need not contain their names.
                for function in assigned {
                    read_set::note_name(program.text(program.def_name(*function)));
                }
                assigned
            }
            _ => &[],
        }
    }
}

/// Returns what one file assigns to fields.
pub(crate) fn assignments_in(
    evaluator: &mut Evaluator<'_, '_>,
    file: FileId,
) -> Vec<CallbackAssignment<FileId>> {
    let program = evaluator.program;
    let mut found: Vec<CallbackAssignment<FileId>> = Vec::new();
    for slot in &program.facts(file).slots {
        evaluator.begin_question();
        let functions = functions_named(evaluator, file, slot.value);
        if functions.is_empty() {
            continue;
        }
        let holder = evaluator.eval_type(file, slot.ty);
        for field in fields_of(evaluator, file, &holder, slot.field) {
            found.extend(functions.iter().map(|function| assignment(program, field, *function)));
        }
    }
    found
}

fn assignment(
    program: &Program<'_>,
    field: DefRef,
    function: DefRef,
) -> CallbackAssignment<FileId> {
    let hash = |def: DefRef| {
        let mut hasher = FxHasher::default();
        (program.path(def.file), qname(program, def)).hash(&mut hasher);
        hasher.finish()
    };
    CallbackAssignment {
        field: (field.file, field.def),
        function: (function.file, function.def),
        field_name: name_hash(program.text(program.def_name(field))),
        field_hash: hash(field),
        function_hash: hash(function),
    }
}

/// Returns the fields of a type that `field` means in `file`.
pub(super) fn fields_of(
    evaluator: &mut Evaluator<'_, '_>,
    file: FileId,
    holder: &Ty,
    field: FieldAt,
) -> Vec<DefRef> {
    let program = evaluator.program;
    let mut found = Vec::new();
    for ty in holder.each() {
        let Ty::Inst(holder, _) = ty else { continue };
        match field {
            FieldAt::Named(name) => {
                found.extend(fields_named(evaluator, ty, program.name_of(file, name)));
            }
            FieldAt::Nth(place) => {
                found.extend(declared_fields(program, *holder).nth(usize::from(place)));
            }
        }
    }
    found
}

fn fields_named(evaluator: &mut Evaluator<'_, '_>, ty: &Ty, name: Name) -> Vec<DefRef> {
    let program = evaluator.program;
    let fields = evaluator.member(ty, name).into_iter().filter_map(|entity| match entity {
        Entity::Def(def, _) if program.def(def).kind == DefKind::Field => Some(def),
        _ => None,
    });
    fields.collect()
}

/// Returns the fields of a type in the order of the text.
fn declared_fields(program: &Program<'_>, of: DefRef) -> impl Iterator<Item = DefRef> {
    let defs = program.facts(of.file).defs.iter().enumerate();
    defs.filter(move |(_, def)| def.parent == Some(of.def) && def.kind == DefKind::Field)
        .map(move |(id, _)| DefRef { file: of.file, def: DefId(number(id)) })
}

fn functions_named(evaluator: &mut Evaluator<'_, '_>, file: FileId, value: ExprId) -> Vec<DefRef> {
    let program = evaluator.program;
    let (entities, _) = evaluator.resolve_expr(file, value);
    let functions = entities.into_iter().filter_map(|entity| match entity {
        Entity::Def(def, _) if program.def(def).kind == DefKind::Function => Some(def),
        _ => None,
    });
    functions.collect()
}
