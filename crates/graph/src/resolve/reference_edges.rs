//! Makes edges of references: from the definition around each to the definitions that it means.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, Reference, ReferenceKind, TypeExpr, TypeId, TypeUse},
    graph_model::CallDispatch,
    resolve::{
        call_dispatch,
        call_targets::{ReferenceTargets, targets},
        indirect_calls,
        inference_results::{NameReferent, Ty},
        program_facts::{DefRef, FileId},
        resolved_edge::{ReferenceEdge, ReferenceEdgeKind},
        type_inference::{InferenceCertainty, TypeInference},
    },
};

/// Types inside one another that an annotation is searched for.
const MAX_TYPE_DEPTH: u32 = 6;

/// The edges and unresolved calls of one file's references.
#[derive(Debug, Default)]
pub(crate) struct ResolvedReferences {
    pub(crate) found: Vec<ReferenceEdge>,
    /// Calls whose target isn't known, or isn't in the repository: place in the file's references, and whether it is
    /// known to be outside.
    pub(crate) open: Vec<(u32, bool)>,
}

/// Resolves a file's references; what they are bound to is kept in `bound`.
pub(crate) fn edges_of(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    bound: &mut indirect_calls::IndirectCallInput,
) -> ResolvedReferences {
    let facts = inference.program.facts(file);
    let mut edges = ResolvedReferences::default();
    let mut seen = FxHashSet::default();
    let has_overlay = inference.overlay.covers(file);
    for (place, reference) in facts.refs.iter().enumerate() {
        if inference.is_exhausted() {
            break;
        }
        inference.begin_question();
        let word = inference.program.called_name(file, reference.target);
        if has_overlay && let Some(word) = word {
            seen.insert((reference.line, word));
        }
        let ReferenceTargets { definitions: targets, certainty, outside } =
            targets(inference, file, reference);
        let from = reference.from.and_then(|def| inference.program.caller(DefRef { file, def }));
        let is_call = may_call_what_is_kept(inference, file, reference);
        let by_value =
            |def: &DefRef| word != Some(inference.program.text(inference.program.def_name(*def)));
        if is_call
            && (certainty == InferenceCertainty::Dynamic
                || targets.first().is_none_or(by_value)
                || targets.iter().any(|def| inference.program.is_assigned_member(*def)))
        {
            bound.loose.push(place);
        }
        if targets.is_empty() {
            let (found, is_open) = edges_without_target(inference, file, reference, from);
            if is_open {
                let outside = outside || is_given_from_outside(inference, file, reference);
                edges.open.push((crate::resolve::program_facts::number(place), outside));
            }
            edges.found.extend(found);
            continue;
        }
        let kind = kind_of(inference, file, reference.kind, &targets);
        let certainty = if hands_on(inference, file, reference.kind, &targets) {
            InferenceCertainty::Dynamic
        } else {
            certainty
        };
        bound.note(reference, &targets);
        let dispatch = call_dispatch::of(inference, file, reference);
        for to in targets {
            let line = reference.line;
            edges.found.push(ReferenceEdge { kind, from, to, line, certainty, dispatch });
        }
    }
    edges.found.extend(edges_to_types(inference, file));
    edges.found.extend(inference.overlay.unseen(inference.program, file, &seen));
    edges.found.sort_unstable();
    edges.found.dedup();
    edges
}

/// Returns the edges of a reference that names no definition which it could run, and whether it is an open call.
fn edges_without_target(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
    from: Option<DefRef>,
) -> (Vec<ReferenceEdge>, bool) {
    if reference.kind == ReferenceKind::Made {
        return (edge_to_made_class(inference, file, reference, from).into_iter().collect(), false);
    }
    let converted = edges_of_conversion(inference, file, reference, from);
    let target = inference.program.facts(file).expr(reference.target);
    let is_open = converted.is_empty() && is_open_call(reference.kind, target);
    (converted, is_open)
}

/// Whether a reference keeps, gives back or hands on its targets, which may then run where nothing names them.
fn hands_on(
    inference: &TypeInference<'_, '_>,
    file: FileId,
    kind: ReferenceKind,
    targets: &[DefRef],
) -> bool {
    let program = inference.program;
    let is_type = |to: &DefRef| program.def(*to).kind.is_type();
    kind == ReferenceKind::Value
        && !(program.capabilities(file).types_are_no_values && targets.iter().all(is_type))
}

/// Whether a reference may call what its target keeps.
fn may_call_what_is_kept(
    inference: &TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
) -> bool {
    let program = inference.program;
    match reference.kind {
        ReferenceKind::Value | ReferenceKind::Decorator => false,
        // Where calls need no parentheses, `task.run` may call what is kept.
        ReferenceKind::Read => {
            program.capabilities(file).bare_methods_run
                && matches!(program.facts(file).expr(reference.target), Expr::Member { .. })
        }
        _ => true,
    }
}

/// Whether a reference of a kind that is bound to nothing is an open call. A type runs nothing where it annotates.
const fn is_open_call(kind: ReferenceKind, target: &Expr) -> bool {
    match kind {
        ReferenceKind::Value | ReferenceKind::Read | ReferenceKind::Made => false,
        ReferenceKind::Decorator => !matches!(target, Expr::Type(_) | Expr::Either(_)),
        ReferenceKind::Call | ReferenceKind::New | ReferenceKind::Element => true,
    }
}

/// Returns the kind of the edges that a reference to `targets` makes.
fn kind_of(
    inference: &TypeInference<'_, '_>,
    file: FileId,
    kind: ReferenceKind,
    targets: &[DefRef],
) -> ReferenceEdgeKind {
    let is_variant = |to: &DefRef| inference.program.def(*to).kind == DefKind::Variant;
    match kind {
        // A variant with a value is named, not run.
        ReferenceKind::Call if targets.iter().all(is_variant) => ReferenceEdgeKind::References,
        // An access that runs a property is no call in its language, and compilers list none.
        ReferenceKind::Read if inference.program.capabilities(file).accessors_run => {
            ReferenceEdgeKind::References
        }
        ReferenceKind::Call
        | ReferenceKind::New
        | ReferenceKind::Element
        | ReferenceKind::Read
        | ReferenceKind::Made => ReferenceEdgeKind::Calls,
        ReferenceKind::Decorator => ReferenceEdgeKind::DecoratedBy,
        ReferenceKind::Value => ReferenceEdgeKind::References,
    }
}

/// Returns the edge to a class of which a value is made by a constructor that nobody has written.
fn edge_to_made_class(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
    from: Option<DefRef>,
) -> Option<ReferenceEdge> {
    let to = inference.rules(file).constructed_class(inference, file, reference.target)?;
    let (kind, certainty) = (ReferenceEdgeKind::Constructs, InferenceCertainty::Exact);
    let dispatch = CallDispatch::Open;
    Some(ReferenceEdge { kind, from, to, line: reference.line, certainty, dispatch })
}

/// Returns the edges to the type of the repository that a call converts a value to: one for each platform that declares it.
fn edges_of_conversion(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
    from: Option<DefRef>,
) -> Vec<ReferenceEdge> {
    let program = inference.program;
    if reference.kind != ReferenceKind::Call || !program.capabilities(file).type_calls_convert {
        return Vec::new();
    }
    let named = inference.resolve_expr(file, reference.target).0;
    let types: Vec<DefRef> = named.iter().filter_map(NameReferent::definition).collect();
    let is_type = |def: &DefRef| {
        let kind = program.def(*def).kind;
        (kind.is_type() || kind == DefKind::Alias) && program.is_named(*def)
    };
    if types.len() != named.len() || !types.iter().all(is_type) {
        return Vec::new();
    }
    let edge = |to: DefRef| {
        // A value that is seen as an interface is still the one that it was.
        let kind = match program.def(to).kind {
            DefKind::Interface => ReferenceEdgeKind::References,
            _ => ReferenceEdgeKind::Constructs,
        };
        let (line, certainty) = (reference.line, InferenceCertainty::Exact);
        ReferenceEdge { kind, from, to, line, certainty, dispatch: CallDispatch::Open }
    };
    inference.of_platform(file, types).into_iter().map(edge).collect()
}

/// Whether the language itself gives what a call that is bound to nothing names, or an import of a module that is surely none of
/// the repository.
fn is_given_from_outside(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
) -> bool {
    let facts = inference.program.facts(file);
    let capabilities = inference.program.capabilities(file);
    let (first, is_member) = match facts.expr(reference.target) {
        Expr::Member { object, .. } => (*object, true),
        _ => (reference.target, false),
    };
    let Expr::Name { name, .. } = facts.expr(first) else { return false };
    match inference.resolve_expr(file, first).0.as_slice() {
        [] => capabilities.given_names.split(' ').any(|given| given == facts.text(*name)),
        [NameReferent::External] => is_member && capabilities.imports_name_whole_paths,
        _ => false,
    }
}

/// Returns the edges to the types that annotations name, and to those that literals make values of.
fn edges_to_types(inference: &mut TypeInference<'_, '_>, file: FileId) -> Vec<ReferenceEdge> {
    let facts = inference.program.facts(file);
    let mut found = Vec::new();
    let fields = (0..).map(DefId).zip(&facts.defs).filter(|(_, def)| def.kind == DefKind::Field);
    let fields: FxHashMap<(TypeId, u32), DefId> =
        fields.map(|(id, def)| ((def.ty, def.name_line), id)).collect();
    for reference in &facts.type_refs {
        if inference.is_exhausted() {
            break;
        }
        inference.begin_question();
        let kind = match reference.usage {
            TypeUse::Annotation => ReferenceEdgeKind::References,
            TypeUse::Construction => ReferenceEdgeKind::Constructs,
        };
        // What a field's annotation names is a use by the field, not by the type around it.
        let field = fields.get(&(reference.ty, reference.line)).copied();
        let field = field.filter(|field| facts.def(*field).parent == reference.from);
        let from = field.or(reference.from);
        let from = from.and_then(|def| inference.program.named(DefRef { file, def }));
        let mut types = Vec::new();
        match reference.usage {
            TypeUse::Annotation => types_named_by(inference, file, reference.ty, &mut types, 0),
            TypeUse::Construction => {
                types_made(&inference.eval_type(file, reference.ty), &mut types);
            }
        }
        for to in types {
            if inference.program.is_named(to) {
                let (line, certainty) = (reference.line, InferenceCertainty::Exact);
                let dispatch = CallDispatch::Open;
                found.push(ReferenceEdge { kind, from, to, line, certainty, dispatch });
            }
        }
    }
    found.extend(edges_to_bases(inference, file));
    found
}

/// Returns the edges to the types by whose names members are reached, and to the variants that are reached so.
fn edges_to_bases(inference: &mut TypeInference<'_, '_>, file: FileId) -> Vec<ReferenceEdge> {
    let program = inference.program;
    let facts = program.facts(file);
    let mut found = Vec::new();
    for used in &facts.member_uses {
        if inference.is_exhausted() {
            break;
        }
        inference.begin_question();
        let from = used.from.and_then(|def| program.caller(DefRef { file, def }));
        let mut add = |to: DefRef| {
            if program.is_named(to) {
                let (kind, certainty) = (ReferenceEdgeKind::References, InferenceCertainty::Exact);
                let (line, dispatch) = (used.line, CallDispatch::Open);
                found.push(ReferenceEdge { kind, from, to, line, certainty, dispatch });
            }
        };
        if let Expr::Member { object, .. } = facts.expr(used.member) {
            let base = inference.resolve_expr(file, *object).0;
            let ty = match base.as_slice() {
                [NameReferent::Def(base, _)] if program.def(*base).kind.is_type() => Some(*base),
                _ => None,
            };
            ty.into_iter().for_each(&mut add);
            // A case stands behind its type, or alone for a value of it.
            let has_cases =
                ty.map_or(!facts.names_type(*object), |ty| program.def(ty).kind == DefKind::Enum);
            if !has_cases {
                continue;
            }
        }
        let member = inference.resolve_expr(file, used.member).0;
        let members = member.iter().filter_map(NameReferent::definition);
        members.filter(|def| program.def(*def).kind == DefKind::Variant).for_each(add);
    }
    found
}

/// Adds the types of the repository that a value made by a literal has. A function of a type that has no value of it makes one
/// of `Self`.
fn types_made(ty: &Ty, found: &mut Vec<DefRef>) {
    found.extend(ty.each().iter().filter_map(|ty| match ty {
        Ty::Inst(to, _) | Ty::Class(to, _) => Some(*to),
        _ => None,
    }));
}

/// Adds the types that an annotation names, those of its arguments included. Another name for a type is itself what is named.
fn types_named_by(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    ty: TypeId,
    found: &mut Vec<DefRef>,
    depth: u32,
) {
    if depth > MAX_TYPE_DEPTH || inference.is_exhausted() {
        return;
    }
    let program = inference.program;
    let written = program.facts(file).ty(ty);
    let named = match written {
        TypeExpr::Named { path, scope, pos, .. } => inference.type_path(file, path, *scope, *pos),
        _ => Vec::new(),
    };
    let is_alias = |def: &DefRef| {
        program.def(*def).kind == DefKind::Alias && !program.def(*def).flags.has(DefFlags::OPAQUE)
    };
    // `Ids = list[int]`, where that declares a variable.
    let is_variable = |def: &DefRef| program.def(*def).kind == DefKind::Variable;
    let named = || named.iter().filter_map(NameReferent::definition);
    found.extend(named().filter(is_variable));
    let aliases = named().filter(is_alias);
    let known = found.len();
    found.extend(aliases);
    if found.len() == known {
        found.extend(inference.eval_type(file, ty).each().iter().filter_map(|ty| match ty {
            Ty::Inst(to, _) => Some(*to),
            _ => None,
        }));
    }
    let inside = |ty: &TypeId| types_named_by(inference, file, *ty, found, depth + 1);
    match written {
        TypeExpr::Function { receiver, params, result } => {
            [*receiver, *result].iter().chain(params).for_each(inside);
        }
        written => written.inner().iter().for_each(inside),
    }
}
