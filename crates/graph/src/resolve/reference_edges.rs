//! Makes edges of references: from the definition around each to the definitions that it means.

use rustc_hash::FxHashSet;

use crate::{
    facts::{DefKind, ReferenceKind},
    resolve::{
        call_targets::targets,
        indirect_calls,
        inferred_types::Ty,
        program_facts::{DefRef, FileId},
        resolved_edge::{ReferenceEdge, ReferenceEdgeKind},
        type_inference::{InferenceCertainty, TypeInference},
    },
};

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
        let (targets, certainty, outside) = targets(inference, file, reference);
        let from = reference.from.and_then(|def| inference.program.caller(DefRef { file, def }));
        let is_call = !matches!(reference.kind, ReferenceKind::Value | ReferenceKind::Decorator);
        let by_value =
            |def: &DefRef| word != Some(inference.program.text(inference.program.def_name(*def)));
        if is_call
            && (certainty == InferenceCertainty::Dynamic || targets.first().is_none_or(by_value))
        {
            bound.loose.push(place);
        }
        if targets.is_empty() {
            if !matches!(
                reference.kind,
                ReferenceKind::Value | ReferenceKind::Read | ReferenceKind::Made
            ) {
                edges.open.push((crate::resolve::program_facts::number(place), outside));
            }
            continue;
        }
        let kind = match reference.kind {
            // A variant with a value is named, not run.
            ReferenceKind::Call
                if targets.iter().all(|to| inference.program.def(*to).kind == DefKind::Variant) =>
            {
                ReferenceEdgeKind::References
            }
            ReferenceKind::Call
            | ReferenceKind::New
            | ReferenceKind::Element
            | ReferenceKind::Read
            | ReferenceKind::Made => ReferenceEdgeKind::Calls,
            ReferenceKind::Decorator => ReferenceEdgeKind::DecoratedBy,
            ReferenceKind::Value => ReferenceEdgeKind::References,
        };
        let certainty = if reference.kind == ReferenceKind::Value {
            InferenceCertainty::Dynamic
        } else {
            certainty
        };
        if matches!(reference.kind, ReferenceKind::Value | ReferenceKind::Element) {
            bound.targets.insert(reference.target, targets.clone());
        }
        for to in targets {
            edges.found.push(ReferenceEdge { kind, from, to, line: reference.line, certainty });
        }
    }
    for reference in &facts.type_refs {
        if inference.is_exhausted() {
            break;
        }
        inference.begin_question();
        let ty = inference.eval_type(file, reference.ty);
        let from = reference.from.and_then(|def| inference.program.named(DefRef { file, def }));
        for ty in ty.each() {
            if let Ty::Inst(to, _) = ty
                && inference.program.is_named(*to)
            {
                let found = ReferenceEdge {
                    kind: ReferenceEdgeKind::References,
                    from,
                    to: *to,
                    line: reference.line,
                    certainty: InferenceCertainty::Exact,
                };
                edges.found.push(found);
            }
        }
    }
    edges.found.extend(inference.overlay.unseen(inference.program, file, &seen));
    edges.found.sort_unstable();
    edges.found.dedup();
    edges
}
