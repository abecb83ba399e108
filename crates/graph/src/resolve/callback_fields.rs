//! Functions that are put into fields by name: function tables, structs of function pointers, handlers. What a call through
//! such a field runs is chosen when the program runs; these are the functions it is chosen among.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use crate::{
    facts::{DefId, DefKind, ExprId, FieldAt},
    resolve::{
        edges::qname,
        evaluator::{Entity, Evaluator},
        program::{DefRef, FileId, Name, Program, number},
        read_set,
        types::Ty,
    },
};

/// Functions that one field may hold before a call through it says nothing any more.
pub(super) const MAX_HELD: usize = 12;

/// By field, the functions that are put into it anywhere.
#[derive(Debug, Default)]
pub(crate) struct CallbackFields {
    held: FxHashMap<DefRef, Vec<DefRef>>,
}

/// A function that one file puts into a field. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Put<F> {
    field: (F, DefId),
    function: (F, DefId),
    /// Hashes of the field's name, of its full name, and of the function's; they stay the same while definitions only move.
    name: u32,
    field_hash: u64,
    function_hash: u64,
}

impl<F: Copy + Ord> Put<F> {
    /// The same with other numbers; `None` when one of the two is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<Put<G>> {
        Some(Put {
            field: number(self.field.0, self.field.1)?,
            function: number(self.function.0, self.function.1)?,
            name: self.name,
            field_hash: self.field_hash,
            function_hash: self.function_hash,
        })
    }
}

/// What is held where: the field's file, a hash of its name, and one of the field and of all that it holds. Sorted.
pub(crate) fn held<'a, F: Copy + Ord + 'a>(
    puts: impl Iterator<Item = &'a Put<F>>,
) -> Vec<(F, u32, u64)> {
    let mut fields: BTreeMap<(F, DefId), (u32, u64, BTreeSet<u64>)> = BTreeMap::new();
    for put in puts {
        let (_, _, held) =
            fields.entry(put.field).or_insert_with(|| (put.name, put.field_hash, BTreeSet::new()));
        held.insert(put.function_hash);
    }
    let describe = |((file, _), (name, field, held)): ((F, DefId), (u32, u64, BTreeSet<u64>))| {
        let mut hasher = FxHasher::default();
        (field, held).hash(&mut hasher);
        (file, name, hasher.finish())
    };
    let mut all: Vec<_> = fields.into_iter().map(describe).collect();
    all.sort_unstable();
    all
}

impl CallbackFields {
    /// Puts together what all files put into fields.
    pub(crate) fn of<'p>(puts: impl Iterator<Item = &'p Put<FileId>>) -> Self {
        let mut slots = Self::default();
        for Put { field, function, .. } in puts {
            let held = slots.held.entry(DefRef { file: field.0, def: field.1 }).or_default();
            let function = DefRef { file: function.0, def: function.1 };
            if !held.contains(&function) {
                held.push(function);
            }
        }
        slots
    }

    /// The functions that a call through `field` chooses among; none when there are too many to mean anything.
    pub(crate) fn held(&self, program: &Program<'_>, field: DefRef) -> &[DefRef] {
        match self.held.get(&field) {
            Some(held) if held.len() <= MAX_HELD => {
                // Nobody who calls through the field need write their names.
                held.iter().for_each(|def| read_set::name(program.text(program.def_name(*def))));
                held
            }
            _ => &[],
        }
    }
}

/// What one file puts into fields.
pub(crate) fn put(evaluator: &mut Evaluator<'_, '_>, file: FileId) -> Vec<Put<FileId>> {
    let program = evaluator.program;
    let mut found: Vec<Put<FileId>> = Vec::new();
    for slot in &program.facts(file).slots {
        evaluator.refuel();
        let functions = functions(evaluator, file, slot.value);
        if functions.is_empty() {
            continue;
        }
        let holder = evaluator.eval_type(file, slot.ty);
        for field in fields_of(evaluator, file, &holder, slot.field) {
            found.extend(functions.iter().map(|function| describe(program, field, *function)));
        }
    }
    found
}

fn describe(program: &Program<'_>, field: DefRef, function: DefRef) -> Put<FileId> {
    let hash = |def: DefRef| {
        let mut hasher = FxHasher::default();
        (program.path(def.file), qname(program, def)).hash(&mut hasher);
        hasher.finish()
    };
    Put {
        field: (field.file, field.def),
        function: (function.file, function.def),
        name: read_set::hash(program.text(program.def_name(field))),
        field_hash: hash(field),
        function_hash: hash(function),
    }
}

/// The fields that `field`, as `file` writes it, is of a type.
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
            FieldAt::Named(name) => found.extend(named(evaluator, ty, program.name_of(file, name))),
            FieldAt::Nth(place) => found.extend(fields(program, *holder).nth(usize::from(place))),
        }
    }
    found
}

fn named(evaluator: &mut Evaluator<'_, '_>, ty: &Ty, name: Name) -> Vec<DefRef> {
    let program = evaluator.program;
    let fields = evaluator.member(ty, name).into_iter().filter_map(|entity| match entity {
        Entity::Def(def, _) if program.def(def).kind == DefKind::Field => Some(def),
        _ => None,
    });
    fields.collect()
}

/// The fields of a type in the order of the text.
fn fields(program: &Program<'_>, of: DefRef) -> impl Iterator<Item = DefRef> {
    let defs = program.facts(of.file).defs.iter().enumerate();
    defs.filter(move |(_, def)| def.parent == Some(of.def) && def.kind == DefKind::Field)
        .map(move |(id, _)| DefRef { file: of.file, def: DefId(number(id)) })
}

fn functions(evaluator: &mut Evaluator<'_, '_>, file: FileId, value: ExprId) -> Vec<DefRef> {
    let program = evaluator.program;
    let (entities, _) = evaluator.resolve_expr(file, value);
    let functions = entities.into_iter().filter_map(|entity| match entity {
        Entity::Def(def, _) if program.def(def).kind == DefKind::Function => Some(def),
        _ => None,
    });
    functions.collect()
}
