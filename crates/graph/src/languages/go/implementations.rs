//! Go's interfaces: a type implements one by having its methods, without saying so.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    facts::{DefId, DefKind},
    graph::EdgeKind,
    index::resolve::{
        session::{Entity, Session},
        types::Ty,
        wire::{End, Shape},
        world::{DefRef, FileId, Name, World, number},
    },
    languages::Family,
};

/// Interfaces that no method set can be told apart by are left out above this many implementers.
const MAX_IMPLEMENTERS: usize = 400;

/// Relations between types, and between their methods, that follow from method sets.
pub(crate) fn implementations(session: &mut Session<'_, '_>) -> Vec<Shape> {
    let world = session.world;
    let mut interfaces: Vec<(DefRef, BTreeSet<Name>)> = Vec::new();
    // Which types have a method by a name, promoted ones included.
    let mut having: BTreeMap<Name, BTreeSet<DefRef>> = BTreeMap::new();
    let mut wanted: BTreeSet<Name> = BTreeSet::new();
    let types = go_types(world);
    for at in &types {
        if world.def(*at).kind == DefKind::Interface {
            session.refuel();
            let names = interface_methods(session, *at, 0);
            if !names.is_empty() {
                wanted.extend(names.iter().copied());
                interfaces.push((*at, names));
            }
        }
    }
    for at in types.iter().filter(|at| world.def(**at).kind != DefKind::Interface) {
        for name in &wanted {
            session.refuel();
            if method(session, *at, *name).is_some() {
                having.entry(*name).or_default().insert(*at);
            }
        }
    }
    let mut shapes = Vec::new();
    for (interface, names) in interfaces {
        let mut fitting: Option<BTreeSet<DefRef>> = None;
        for name in &names {
            let have = having.get(name).cloned().unwrap_or_default();
            fitting = Some(match fitting {
                Some(fitting) => fitting.intersection(&have).copied().collect(),
                None => have,
            });
        }
        let fitting = fitting.unwrap_or_default();
        if fitting.len() > MAX_IMPLEMENTERS {
            continue;
        }
        for at in fitting {
            let pairs: Vec<(DefRef, DefRef)> = names
                .iter()
                .filter_map(|name| {
                    Some((method(session, at, *name)?, method(session, interface, *name)?))
                })
                .collect();
            let same_shape = pairs
                .iter()
                .all(|(own, up)| world.def(*own).params.len() == world.def(*up).params.len());
            if pairs.len() < names.len() || !same_shape {
                continue;
            }
            let line = world.def(at).start;
            shapes.push(Shape::new(EdgeKind::Implements, End::Def(at), End::Def(interface), line));
            for (own, up) in pairs {
                if own != up {
                    let line = world.def(own).name_line;
                    shapes.push(Shape::new(
                        EdgeKind::Implements,
                        End::Def(own),
                        End::Def(up),
                        line,
                    ));
                }
            }
        }
    }
    shapes.sort_unstable();
    shapes.dedup();
    shapes
}

fn go_types(world: &World<'_>) -> Vec<DefRef> {
    let mut found = Vec::new();
    for at in 0..world.len() {
        let file = FileId(number(at));
        if world.family(file) != Family::Go {
            continue;
        }
        for (id, def) in world.facts(file).defs.iter().enumerate() {
            if matches!(def.kind, DefKind::Struct | DefKind::Interface | DefKind::Alias)
                && def.parent.is_none()
            {
                found.push(DefRef { file, def: DefId(number(id)) });
            }
        }
    }
    found
}

fn interface_methods(session: &mut Session<'_, '_>, at: DefRef, depth: u32) -> BTreeSet<Name> {
    let world = session.world;
    let facts = world.facts(at.file);
    let own =
        facts.defs.iter().filter(|def| def.parent == Some(at.def) && def.kind == DefKind::Function);
    let mut names: BTreeSet<Name> = own.map(|def| world.sym(at.file, def.name)).collect();
    if depth < 6 {
        for up in session.supers(at) {
            match up {
                Ty::Inst(up, _) if world.def(up).kind == DefKind::Interface => {
                    names.extend(interface_methods(session, up, depth + 1));
                }
                // One that embeds something unknown isn't known itself.
                _ => return BTreeSet::new(),
            }
        }
    }
    names
}

fn method(session: &mut Session<'_, '_>, at: DefRef, name: Name) -> Option<DefRef> {
    let found = session.member(&Ty::Inst(at, std::rc::Rc::from([])), name);
    found.into_iter().find_map(|entity| match entity {
        Entity::Def(def, _) if session.world.def(def).kind == DefKind::Function => Some(def),
        _ => None,
    })
}
