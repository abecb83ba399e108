//! Go's interfaces: a type implements one by having its methods, without saying so.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    facts::{DefId, DefKind},
    graph::{EdgeKind, Family},
    resolve::{
        def_edges::{DefEdge, EdgeEnd},
        evaluator::{Entity, Evaluator},
        program::{DefRef, FileId, Name, Program, number},
        types::Ty,
    },
};

/// Interfaces that no method set can be told apart by are left out above this many implementers.
const MAX_IMPLEMENTERS: usize = 400;

/// Relations between types, and between their methods, that follow from method sets.
pub(crate) fn implementations(evaluator: &mut Evaluator<'_, '_>) -> Vec<DefEdge> {
    let program = evaluator.program;
    let mut interfaces: Vec<(DefRef, BTreeSet<Name>)> = Vec::new();
    // Which types have a method by a name, promoted ones included.
    let mut having: BTreeMap<Name, BTreeSet<DefRef>> = BTreeMap::new();
    let mut wanted: BTreeSet<Name> = BTreeSet::new();
    let types = go_types(program);
    for at in &types {
        if program.def(*at).kind == DefKind::Interface {
            evaluator.begin_question();
            let names = interface_methods(evaluator, *at, 0);
            if !names.is_empty() {
                wanted.extend(names.iter().copied());
                interfaces.push((*at, names));
            }
        }
    }
    for at in types.iter().filter(|at| program.def(**at).kind != DefKind::Interface) {
        for name in &wanted {
            evaluator.begin_question();
            if method(evaluator, *at, *name).is_some() {
                having.entry(*name).or_default().insert(*at);
            }
        }
    }
    let mut edges = Vec::new();
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
                    Some((method(evaluator, at, *name)?, method(evaluator, interface, *name)?))
                })
                .collect();
            let same_shape = pairs
                .iter()
                .all(|(own, up)| program.def(*own).params.len() == program.def(*up).params.len());
            if pairs.len() < names.len() || !same_shape {
                continue;
            }
            let line = program.def(at).start;
            edges.push(DefEdge::new(
                EdgeKind::Implements,
                EdgeEnd::Def(at),
                EdgeEnd::Def(interface),
                line,
            ));
            for (own, up) in pairs {
                if own != up {
                    let line = program.def(own).name_line;
                    edges.push(DefEdge::new(
                        EdgeKind::Implements,
                        EdgeEnd::Def(own),
                        EdgeEnd::Def(up),
                        line,
                    ));
                }
            }
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

fn go_types(program: &Program<'_>) -> Vec<DefRef> {
    let mut found = Vec::new();
    for at in 0..program.len() {
        let file = FileId(number(at));
        if program.family(file) != Family::Go {
            continue;
        }
        for (id, def) in program.facts(file).defs.iter().enumerate() {
            if matches!(def.kind, DefKind::Struct | DefKind::Interface | DefKind::Alias)
                && def.parent.is_none()
            {
                found.push(DefRef { file, def: DefId(number(id)) });
            }
        }
    }
    found
}

fn interface_methods(evaluator: &mut Evaluator<'_, '_>, at: DefRef, depth: u32) -> BTreeSet<Name> {
    let program = evaluator.program;
    let facts = program.facts(at.file);
    let own =
        facts.defs.iter().filter(|def| def.parent == Some(at.def) && def.kind == DefKind::Function);
    let mut names: BTreeSet<Name> = own.map(|def| program.name_of(at.file, def.name)).collect();
    if depth < 6 {
        for up in evaluator.supers(at) {
            match up {
                Ty::Inst(up, _) if program.def(up).kind == DefKind::Interface => {
                    names.extend(interface_methods(evaluator, up, depth + 1));
                }
                // One that embeds something unknown isn't known itself.
                _ => return BTreeSet::new(),
            }
        }
    }
    names
}

fn method(evaluator: &mut Evaluator<'_, '_>, at: DefRef, name: Name) -> Option<DefRef> {
    let found = evaluator.member(&Ty::Inst(at, std::rc::Rc::from([])), name);
    found.into_iter().find_map(|entity| match entity {
        Entity::Def(def, _) if evaluator.program.def(def).kind == DefKind::Function => Some(def),
        _ => None,
    })
}
