//! Functions that are put into fields by name: function tables, structs of function pointers, handlers. What a call through
//! such a field runs is chosen when the program runs; these are the functions it is chosen among.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use super::{
    seen,
    session::{Entity, Session},
    types::Ty,
    wire::qname,
    world::{DefRef, FileId, Name, World, number},
};
use crate::facts::{DefId, DefKind, ExprId, FieldAt};

/// Functions that one field may hold before a call through it says nothing any more.
pub(super) const MAX_HELD: usize = 12;

/// By field, the functions that are put into it anywhere.
#[derive(Debug, Default)]
pub(crate) struct Slots {
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

impl Slots {
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
    pub(crate) fn held(&self, world: &World<'_>, field: DefRef) -> &[DefRef] {
        match self.held.get(&field) {
            Some(held) if held.len() <= MAX_HELD => {
                // Nobody who calls through the field need write their names.
                held.iter().for_each(|def| seen::name(world.text(world.def_name(*def))));
                held
            }
            _ => &[],
        }
    }
}

/// What one file puts into fields.
pub(crate) fn put(session: &mut Session<'_, '_>, file: FileId) -> Vec<Put<FileId>> {
    let world = session.world;
    let mut found: Vec<Put<FileId>> = Vec::new();
    for slot in &world.facts(file).slots {
        session.refuel();
        let functions = functions(session, file, slot.value);
        if functions.is_empty() {
            continue;
        }
        let holder = session.eval_type(file, slot.ty);
        for field in fields_of(session, file, &holder, slot.field) {
            found.extend(functions.iter().map(|function| describe(world, field, *function)));
        }
    }
    found
}

fn describe(world: &World<'_>, field: DefRef, function: DefRef) -> Put<FileId> {
    let hash = |def: DefRef| {
        let mut hasher = FxHasher::default();
        (world.path(def.file), qname(world, def)).hash(&mut hasher);
        hasher.finish()
    };
    Put {
        field: (field.file, field.def),
        function: (function.file, function.def),
        name: seen::hash(world.text(world.def_name(field))),
        field_hash: hash(field),
        function_hash: hash(function),
    }
}

/// The fields that `field`, as `file` writes it, is of a type.
pub(super) fn fields_of(
    session: &mut Session<'_, '_>,
    file: FileId,
    holder: &Ty,
    field: FieldAt,
) -> Vec<DefRef> {
    let world = session.world;
    let mut found = Vec::new();
    for ty in holder.each() {
        let Ty::Inst(holder, _) = ty else { continue };
        match field {
            FieldAt::Named(name) => found.extend(named(session, ty, world.sym(file, name))),
            FieldAt::Nth(place) => found.extend(fields(world, *holder).nth(usize::from(place))),
        }
    }
    found
}

fn named(session: &mut Session<'_, '_>, ty: &Ty, name: Name) -> Vec<DefRef> {
    let world = session.world;
    let fields = session.member(ty, name).into_iter().filter_map(|entity| match entity {
        Entity::Def(def, _) if world.def(def).kind == DefKind::Field => Some(def),
        _ => None,
    });
    fields.collect()
}

/// The fields of a type in the order of the text.
fn fields(world: &World<'_>, of: DefRef) -> impl Iterator<Item = DefRef> {
    let defs = world.facts(of.file).defs.iter().enumerate();
    defs.filter(move |(_, def)| def.parent == Some(of.def) && def.kind == DefKind::Field)
        .map(move |(id, _)| DefRef { file: of.file, def: DefId(number(id)) })
}

fn functions(session: &mut Session<'_, '_>, file: FileId, value: ExprId) -> Vec<DefRef> {
    let world = session.world;
    let (entities, _) = session.refer(file, value);
    let functions = entities.into_iter().filter_map(|entity| match entity {
        Entity::Def(def, _) if world.def(def).kind == DefKind::Function => Some(def),
        _ => None,
    });
    functions.collect()
}
