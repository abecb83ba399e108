//! Collects the functions that a file assigns to fields.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::{
    facts::{DefKind, ExprId, StructFieldSelector, name_hash},
    resolve::{
        callback_fields::CallbackAssignment,
        inference_results::Ty,
        program_facts::{DefRef, FileId, Name, ProgramFacts},
        qualified_names::qualified_name,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Returns what one file assigns to fields.
pub(super) fn assignments_in(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
) -> Vec<CallbackAssignment<FileId>> {
    let program = inference.program;
    let mut found: Vec<CallbackAssignment<FileId>> = Vec::new();
    for slot in &program.facts(file).field_values {
        if inference.is_exhausted() {
            break;
        }
        inference.begin_question();
        let functions = functions_named(inference, file, slot.value);
        if functions.is_empty() {
            continue;
        }
        let holder = inference.eval_type(file, slot.ty);
        for field in fields_of(inference, file, &holder, slot.field) {
            found.extend(functions.iter().map(|function| assignment(program, field, *function)));
        }
    }
    found
}

fn assignment(
    program: &ProgramFacts<'_>,
    field: DefRef,
    function: DefRef,
) -> CallbackAssignment<FileId> {
    let hash = |def: DefRef| {
        let mut hasher = FxHasher::default();
        (program.path(def.file), qualified_name(program, def)).hash(&mut hasher);
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
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    holder: &Ty,
    field: StructFieldSelector,
) -> Vec<DefRef> {
    let program = inference.program;
    let mut found = Vec::new();
    for ty in holder.each() {
        let Ty::Inst(holder, _) = ty else { continue };
        match field {
            StructFieldSelector::Named(name) => {
                found.extend(fields_named(inference, ty, program.name_of(file, name)));
            }
            StructFieldSelector::Nth(place) => {
                let members = program.members_in_order(*holder);
                inference.count_search(members.len());
                let is_field = |member: &&DefRef| program.def(**member).kind == DefKind::Field;
                found.extend(members.iter().filter(is_field).nth(usize::from(place)));
            }
        }
    }
    found
}

fn fields_named(inference: &mut TypeInference<'_, '_>, ty: &Ty, name: Name) -> Vec<DefRef> {
    let program = inference.program;
    let fields = inference.member(ty, name).into_iter().filter_map(|referent| match referent {
        NameReferent::Def(def, _) if program.def(def).kind == DefKind::Field => Some(def),
        _ => None,
    });
    fields.collect()
}

fn functions_named(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    value: ExprId,
) -> Vec<DefRef> {
    let program = inference.program;
    let (referents, _) = inference.resolve_expr(file, value);
    let functions = referents.into_iter().filter_map(|referent| match referent {
        NameReferent::Def(def, _) if program.def(def).kind == DefKind::Function => Some(def),
        _ => None,
    });
    functions.collect()
}
