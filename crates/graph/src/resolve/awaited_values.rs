//! What outside functions that wait for several values give: `Promise.all`, `race`, `allSettled`.

use std::rc::Rc;

use crate::{
    facts::Expr,
    resolve::{
        inference_results::{CallArguments, Ty},
        library_api_table::{LibraryFunctionResult, LibraryTypeUse},
        library_element_types::{awaited, made},
        type_inference::TypeInference,
    },
};

/// Most values that are waited for one by one.
const MAX_AWAITED: usize = 16;

/// Returns what will hold the results of several values that are waited for.
pub(super) fn awaited_together(
    inference: &mut TypeInference<'_, '_>,
    shape: LibraryFunctionResult,
    arguments: CallArguments<'_>,
) -> Ty {
    let CallArguments { file, values, callee, .. } = arguments;
    let facts = inference.program.facts(file);
    let Expr::Member { object, .. } = facts.expr(callee) else { return Ty::Unknown };
    let Expr::Name { name: outside, .. } = facts.expr(*object) else { return Ty::Unknown };
    let Some(row) = values.first() else { return Ty::Unknown };
    let each: Vec<Ty> = match facts.expr(*row) {
        // Each of a list that is written out has a type of its own.
        Expr::Array(items)
            if items.len() <= MAX_AWAITED
                && !items.iter().any(|item| matches!(facts.expr(*item), Expr::Elem(_))) =>
        {
            items.iter().map(|item| inference.type_of(file, *item).ty).collect()
        }
        Expr::Array(_) => return Ty::Unknown,
        _ => {
            let row = inference.type_of(file, *row).ty;
            vec![inference.element_of(&row)]
        }
    };
    let each = each.iter().map(|ty| match awaited(inference.program, ty) {
        held if held.is_known() && shape == LibraryFunctionResult::EachAwaited => {
            made(inference.program, LibraryTypeUse::Settled, [held].into())
        }
        held => held,
    });
    let each: Vec<Ty> = each.collect();
    let held = match &each[..] {
        all if shape == LibraryFunctionResult::OneAwaited => Ty::union(all.to_vec()),
        [first, rest @ ..] if rest.iter().all(|ty| ty == first) => {
            if !first.is_known() {
                return Ty::Unknown;
            }
            Ty::List(Rc::new(first.clone()))
        }
        all => Ty::Tuple(all.into()),
    };
    Ty::Ext(inference.program.name_of(file, *outside), [held].into())
}
