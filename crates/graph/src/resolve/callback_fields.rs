//! Functions that are assigned to fields by name: function tables, structs of function pointers, handlers. A call through
//! such a field runs one of them, chosen when the program runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use crate::{
    facts::DefId,
    resolve::file_and_definition_ids::{DefRef, FileId},
};

/// Functions that one field may hold. With more of them, a call through the field says nothing.
pub(super) const MAX_ASSIGNED: usize = 12;

/// The functions that are assigned to each field anywhere.
#[derive(Debug, Default)]
pub(crate) struct CallbackFields {
    assigned: FxHashMap<DefRef, Vec<DefRef>>,
}

/// A function that one file assigns to a field. Files are numbered by `F`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CallbackAssignment<F> {
    pub(super) field: (F, DefId),
    pub(super) function: (F, DefId),
    /// Hashes of the field's name, of its full name, and of the function's: they stay the same when definitions move.
    pub(super) field_name: u32,
    pub(super) field_hash: u64,
    pub(super) function_hash: u64,
}

impl<F: Copy + Ord> CallbackAssignment<F> {
    /// Returns the same with other numbers; `None` when the field or the function is gone.
    pub(crate) fn renumbered<G>(
        &self,
        number: impl Fn(F, DefId) -> Option<(G, DefId)>,
    ) -> Option<CallbackAssignment<G>> {
        Some(CallbackAssignment {
            field: number(self.field.0, self.field.1)?,
            function: number(self.function.0, self.function.1)?,
            field_name: self.field_name,
            field_hash: self.field_hash,
            function_hash: self.function_hash,
        })
    }
}

/// Returns for each field the field's file, a hash of its name, and a hash of the field and its functions. Sorted.
pub(crate) fn field_hashes<'a, F: Copy + Ord + 'a>(
    assignments: impl Iterator<Item = &'a CallbackAssignment<F>>,
) -> Vec<(F, u32, u64)> {
    let mut fields: BTreeMap<(F, DefId), (u32, u64, BTreeSet<u64>)> = BTreeMap::new();
    for assignment in assignments {
        let (_, _, functions) = fields
            .entry(assignment.field)
            .or_insert_with(|| (assignment.field_name, assignment.field_hash, BTreeSet::new()));
        functions.insert(assignment.function_hash);
    }
    let mut hashes: Vec<_> = fields
        .into_iter()
        .map(|((file, _), (name, field, functions))| {
            let mut hasher = FxHasher::default();
            (field, functions).hash(&mut hasher);
            (file, name, hasher.finish())
        })
        .collect();
    hashes.sort_unstable();
    hashes
}

impl CallbackFields {
    /// Joins the assignments of all files.
    pub(crate) fn new<'a>(
        assignments: impl Iterator<Item = &'a CallbackAssignment<FileId>>,
    ) -> Self {
        let mut fields = Self::default();
        for CallbackAssignment { field, function, .. } in assignments {
            let field = DefRef { file: field.0, def: field.1 };
            let function = DefRef { file: function.0, def: function.1 };
            let assigned = fields.assigned.entry(field).or_default();
            if !assigned.contains(&function) {
                assigned.push(function);
            }
        }
        fields
    }

    /// Returns the functions that a call through `field` may run; none when there are too many.
    pub(crate) fn assigned_to(&self, field: DefRef) -> &[DefRef] {
        let assigned = self.assigned.get(&field).map_or(&[][..], Vec::as_slice);
        if assigned.len() <= MAX_ASSIGNED { assigned } else { &[] }
    }
}
