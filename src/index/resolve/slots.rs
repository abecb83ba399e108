//! Functions that are put into fields by name: function tables, structs of function pointers, handlers. What a call through
//! such a field runs is chosen when the program runs; these are the functions it is chosen among.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::{
    links::Links,
    session::{Entity, Session},
    types::Ty,
    wire::qname,
    world::{DefRef, FileId, Name, World, number},
};
use crate::index::facts::{DefId, DefKind, ExprId, FieldAt};

/// Functions that one field may hold before a call through it says nothing any more.
pub(super) const MAX_HELD: usize = 12;

/// By field, the functions that are put into it anywhere.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    held: BTreeMap<DefRef, Vec<DefRef>>,
}

impl Slots {
    pub(crate) fn build(world: &World<'_>, links: &Links) -> Self {
        let found: Vec<Vec<(DefRef, DefRef)>> = (0..world.len())
            .into_par_iter()
            .map(|at| put(&mut Session::new(world, links), FileId(number(at))))
            .collect();
        let mut slots = Self::default();
        for (field, function) in found.into_iter().flatten() {
            let held = slots.held.entry(field).or_default();
            if !held.contains(&function) {
                held.push(function);
            }
        }
        slots
    }

    /// What is held where, by full names: it stays the same while definitions only move.
    pub(crate) fn described(&self, world: &World<'_>) -> BTreeSet<[String; 4]> {
        let name = |def: DefRef| [world.path(def.file).to_owned(), qname(world, def)];
        let mut found = BTreeSet::new();
        for (field, held) in &self.held {
            let [home, field] = name(*field);
            for function in held {
                let [path, function] = name(*function);
                found.insert([home.clone(), field.clone(), path, function]);
            }
        }
        found
    }

    /// The functions that a call through `field` chooses among; none when there are too many to mean anything.
    pub(crate) fn held(&self, field: DefRef) -> &[DefRef] {
        match self.held.get(&field) {
            Some(held) if held.len() <= MAX_HELD => held,
            _ => &[],
        }
    }
}

/// What one file puts into fields: field and function.
fn put(session: &mut Session<'_, '_>, file: FileId) -> Vec<(DefRef, DefRef)> {
    let world = session.world;
    let mut found = Vec::new();
    for slot in &world.facts(file).slots {
        session.refuel();
        let functions = functions(session, file, slot.value);
        if functions.is_empty() {
            continue;
        }
        let holder = session.eval_type(file, slot.ty);
        for field in fields_of(session, file, &holder, slot.field) {
            found.extend(functions.iter().map(|function| (field, *function)));
        }
    }
    found
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
