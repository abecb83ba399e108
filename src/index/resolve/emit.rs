//! From references to edges: which of the definitions that a name can stand for is the one that is called, and from
//! where.

use super::{
    session::{Entity, How, Session},
    types::Ty,
    world::{DefRef, FileId},
};
use crate::index::{
    facts::{Bound, DefKind, Expr, ExprId, Flags, Ref, RefKind},
    languages::Family,
};

/// Definitions that one call may be bound to.
const MAX_TARGETS: usize = 4;

/// An edge before nodes have numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Found {
    pub(crate) kind: FoundKind,
    pub(crate) from: Option<DefRef>,
    pub(crate) to: DefRef,
    pub(crate) line: u32,
    pub(crate) how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum FoundKind {
    Calls,
    DecoratedBy,
    References,
}

/// What one file's references come to.
#[derive(Debug, Default)]
pub(crate) struct FileEdges {
    pub(crate) found: Vec<Found>,
    /// Calls whose target isn't known, or isn't in the repository: place in the file's references, and whether it is
    /// known to be outside.
    pub(crate) open: Vec<(u32, bool)>,
}

pub(crate) fn edges_of(session: &mut Session<'_, '_>, file: FileId) -> FileEdges {
    let facts = session.world.facts(file);
    let mut edges = FileEdges::default();
    for (place, reference) in facts.refs.iter().enumerate() {
        session.refuel();
        let (targets, how, outside) = targets(session, file, reference);
        let from = reference.from.and_then(|def| session.world.named(DefRef { file, def }));
        if targets.is_empty() {
            if reference.kind != RefKind::Value {
                edges.open.push((super::world::number(place), outside));
            }
            continue;
        }
        let kind = match reference.kind {
            // A variant with a value is named, not run.
            RefKind::Call
                if targets.iter().all(|to| session.world.def(*to).kind == DefKind::Variant) =>
            {
                FoundKind::References
            }
            RefKind::Call | RefKind::New | RefKind::Element => FoundKind::Calls,
            RefKind::Decorator => FoundKind::DecoratedBy,
            RefKind::Value => FoundKind::References,
        };
        let how = if reference.kind == RefKind::Value { How::Dynamic } else { how };
        for to in targets {
            edges.found.push(Found { kind, from, to, line: reference.line, how });
        }
    }
    for reference in &facts.type_refs {
        session.refuel();
        let ty = session.eval_type(file, reference.ty);
        let from = reference.from.and_then(|def| session.world.named(DefRef { file, def }));
        for ty in ty.each() {
            if let Ty::Inst(to, _) = ty
                && session.world.is_named(*to)
            {
                let found = Found {
                    kind: FoundKind::References,
                    from,
                    to: *to,
                    line: reference.line,
                    how: How::Exact,
                };
                edges.found.push(found);
            }
        }
    }
    edges.found.sort_unstable();
    edges.found.dedup();
    edges
}

fn targets(
    session: &mut Session<'_, '_>,
    file: FileId,
    reference: &Ref,
) -> (Vec<DefRef>, How, bool) {
    let (entities, mut how) = session.refer(file, reference.target);
    let outside = entities.iter().any(|e| matches!(e, Entity::External | Entity::Method(..)));
    let mut found: Vec<DefRef> = Vec::new();
    let add = |found: &mut Vec<DefRef>, def: DefRef| {
        if !found.contains(&def) {
            found.push(def);
        }
    };
    for entity in &entities {
        match entity {
            Entity::Def(def, _) => match callable(session, *def) {
                Callable::Itself => add(&mut found, *def),
                Callable::Not => {}
                Callable::Constructs(class) => add(&mut found, class),
                Callable::By(constructors) => {
                    constructors.into_iter().for_each(|def| add(&mut found, def));
                }
                Callable::Value => {
                    let value = session.type_of_entity(entity);
                    let known = called_defs(session, &value.ty);
                    if known.is_empty() {
                        continue;
                    }
                    if is_made(session, *def) {
                        // What a call gave back is known by the name that it got.
                        add(&mut found, *def);
                        continue;
                    }
                    how = how.max(value.how).max(How::Inferred);
                    for def in known {
                        add(&mut found, def);
                    }
                }
            },
            Entity::Local(home, Bound::Local { value, .. }) if is_call(session, *home, *value) => {}
            Entity::Local(..) | Entity::Value(..) => {
                let value = session.type_of_entity(entity);
                how = how.max(value.how).max(How::Inferred);
                for def in called_defs(session, &value.ty) {
                    add(&mut found, def);
                }
            }
            Entity::Module(_) | Entity::TypeParam(..) | Entity::Method(..) | Entity::External => {}
        }
    }
    if entities.is_empty()
        && !matches!(session.world.facts(file).expr(reference.target), Expr::Name { .. })
    {
        let value = computed(session, file, reference.target);
        how = how.max(How::Inferred);
        found.extend(value);
    }
    if reference.kind == RefKind::Call && !session.world.family(file).calls_types() {
        found.retain(|def| !session.world.def(*def).kind.is_type());
    }
    if reference.kind == RefKind::Value {
        found.retain(|def| {
            let def = session.world.def(*def);
            def.kind == DefKind::Function
        });
    }
    if session.world.family(file) == Family::CSharp && reference.kind == RefKind::Call {
        found = session.csharp_overloads(file, found, reference);
    }
    let found = by_arity(session, found, reference);
    (found, how, outside)
}

fn is_call(session: &Session<'_, '_>, file: FileId, value: ExprId) -> bool {
    matches!(session.world.facts(file).expr(value), Expr::Call { .. } | Expr::New { .. })
}

fn is_made(session: &Session<'_, '_>, def: DefRef) -> bool {
    let found = session.world.def(def);
    matches!(found.kind, DefKind::Variable | DefKind::Field)
        && is_call(session, def.file, found.value)
}

/// A callee that isn't a name: an index, a call's result.
fn computed(session: &mut Session<'_, '_>, file: FileId, target: ExprId) -> Vec<DefRef> {
    match session.world.facts(file).expr(target) {
        Expr::Member { .. } | Expr::Name { .. } | Expr::Super(_) => Vec::new(),
        _ => {
            let ty = session.type_of(file, target).ty;
            called_defs(session, &ty)
        }
    }
}

enum Callable {
    Itself,
    Constructs(DefRef),
    /// A conversion.
    Not,
    By(Vec<DefRef>),
    Value,
}

fn callable(session: &mut Session<'_, '_>, def: DefRef) -> Callable {
    let found = session.world.def(def);
    match found.kind {
        DefKind::Function if found.flags.has(Flags::PROPERTY) => Callable::Value,
        DefKind::Class | DefKind::Struct if session.world.family(def.file) == Family::C => {
            let name = session.world.def_name(def);
            let own = session.member(&Ty::Class(def, std::rc::Rc::from([])), name);
            let constructors: Vec<DefRef> = own
                .into_iter()
                .filter_map(|entity| match entity {
                    Entity::Def(def, _) if session.world.def(def).flags.has(Flags::CONSTRUCTOR) => {
                        Some(def)
                    }
                    _ => None,
                })
                .collect();
            if constructors.is_empty() { Callable::Itself } else { Callable::By(constructors) }
        }
        DefKind::Function
        | DefKind::Class
        | DefKind::Struct
        | DefKind::Macro
        | DefKind::Variant => Callable::Itself,
        DefKind::Alias if found.flags.has(Flags::OPAQUE) => Callable::Not,
        DefKind::Interface | DefKind::Trait | DefKind::Enum => Callable::Itself,
        DefKind::Field | DefKind::Variable if found.flags.has(Flags::WRAPPED) => Callable::Itself,
        DefKind::Alias => {
            let ty = session.eval_type(def.file, found.ty);
            match ty.each() {
                [Ty::Inst(class, _)] => Callable::Constructs(*class),
                _ => Callable::Value,
            }
        }
        _ => Callable::Value,
    }
}

/// The functions that a value of this type is.
fn called_defs(session: &mut Session<'_, '_>, ty: &Ty) -> Vec<DefRef> {
    let mut found = Vec::new();
    for ty in ty.each() {
        match ty {
            Ty::Func(def, _) | Ty::Class(def, _)
                if session.world.def(*def).kind != DefKind::Namespace =>
            {
                found.push(*def);
            }
            Ty::Inst(..) => {
                for name in super::known::CALLABLE {
                    let Some(name) = session.world.name(name) else { continue };
                    for entity in session.member(ty, name) {
                        if let Entity::Def(def, _) = entity
                            && matches!(
                                session.world.text(name),
                                "__call__" | "invoke" | "operator()" | "__invoke"
                            )
                        {
                            found.push(def);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    found
}

/// Of several functions by one name, those that take as many arguments; of those that stand together, the first.
fn by_arity(session: &Session<'_, '_>, mut found: Vec<DefRef>, reference: &Ref) -> Vec<DefRef> {
    let world = session.world;
    if found.len() > 1 {
        let defined = |def: &DefRef| !world.def(*def).flags.has(Flags::DECLARATION);
        if found.iter().any(defined) {
            found.retain(defined);
        }
    }
    if found.len() > 1 && reference.kind == RefKind::Call {
        let fits = |at: &DefRef| {
            let def = world.def(*at);
            if def.kind != DefKind::Function {
                return true;
            }
            let skip = usize::from(def.flags.has(Flags::SELF_PARAM));
            let params = def.params.get(skip..).unwrap_or_default();
            let most = if params.iter().any(|p| p.variadic) { usize::MAX } else { params.len() };
            let least = params.iter().filter(|p| !p.default.is_known() && !p.variadic).count();
            (least..=most).contains(&usize::from(reference.args))
        };
        if found.iter().any(fits) {
            found.retain(fits);
        }
    }
    let mut kept: Vec<DefRef> = Vec::new();
    for def in found {
        let twin = |other: &&DefRef| {
            other.file == def.file
                && world.def_name(**other) == world.def_name(def)
                && world.def(**other).parent == world.def(def).parent
        };
        if !kept.iter().any(|other| twin(&other)) {
            kept.push(def);
        }
    }
    if kept.len() > MAX_TARGETS { Vec::new() } else { kept }
}
