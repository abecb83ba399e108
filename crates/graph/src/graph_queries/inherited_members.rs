//! Members that a type has from what it builds on: `Type.member` where only a supertype declares the member.

use std::collections::BTreeSet;

use super::{
    node_lookup::{LookupTarget, NameLookup},
    overriding_methods::MAX_TYPES,
    qualified_names::parts,
};
use crate::{graph_model::NodeId, store::Graph};

impl Graph {
    /// Returns the members that `Type.member` means if only a supertype of the type declares the member: those of the nearest
    /// supertypes. The file of `target` is that of the type. Returns nothing if the type has too many supertypes.
    pub fn inherited_members(&self, target: LookupTarget<'_>) -> Vec<NodeId> {
        let wanted = parts(target.name.trim());
        let Some((member, owner @ [_, ..])) = wanted.split_last() else { return Vec::new() };
        let owner = owner.join(".");
        let owners = match self.lookup(LookupTarget { name: &owner, kind: None, ..target }) {
            NameLookup::One(id) => vec![id],
            NameLookup::Several { candidates, total } if candidates.len() == total => candidates,
            NameLookup::Several { .. } | NameLookup::Nothing { .. } => Vec::new(),
        };
        let mut found = BTreeSet::new();
        for ty in owners.into_iter().filter(|id| self.is_inherited(*id)) {
            found.extend(self.inherited_by(ty, member, target));
        }
        found.into_iter().collect()
    }

    /// Returns the members by a name of the nearest supertypes that have one; those with a body, if there are any.
    fn inherited_by(&self, ty: NodeId, name: &str, target: LookupTarget<'_>) -> Vec<NodeId> {
        let mut seen: BTreeSet<NodeId> = self.parts_of_type(ty).into_iter().collect();
        let mut level: Vec<NodeId> = seen.iter().copied().collect();
        while !level.is_empty() && seen.len() <= MAX_TYPES {
            let above = level
                .iter()
                .flat_map(|at| self.outgoing(*at))
                .filter(|edge| edge.kind.is_inheritance());
            let above: BTreeSet<NodeId> = above
                .flat_map(|edge| self.parts_of_type(edge.to))
                .filter(|at| self.is_inherited(*at) && !seen.contains(at))
                .collect();
            let is_named = |id: &NodeId| {
                self.node(*id).is_some_and(|node| {
                    let capabilities = node.language.capabilities();
                    let is_inherited =
                        capabilities.has_one_constructor || !self.is_made_by(*id, &above);
                    node.name == name
                        && target.kind.is_none_or(|kind| node.kind == kind)
                        && is_inherited
                })
            };
            let inner = above.iter().flat_map(|at| self.members(*at));
            let mut members: Vec<NodeId> = inner.filter(is_named).collect();
            if !members.is_empty() {
                let has_body = |id: &NodeId| self.node(*id).is_some_and(|it| !it.is_declaration);
                if members.iter().any(has_body) {
                    members.retain(has_body);
                }
                return members;
            }
            seen.extend(&above);
            level = above.into_iter().collect();
        }
        Vec::new()
    }

    /// Whether a member is a constructor of one of the types.
    fn is_made_by(&self, member: NodeId, types: &BTreeSet<NodeId>) -> bool {
        types.iter().any(|ty| self.is_constructor(member, *ty))
    }
}
