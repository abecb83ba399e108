//! The types of which a constructor makes objects. In languages whose constructors have a name of their own a call that makes
//! an object leads to the type, so that what calls such a constructor is what calls the types.

use std::collections::BTreeSet;

use super::node_relations::MAX_VISITED;
use crate::{
    graph_model::{NodeId, NodeKind},
    store::Graph,
};

/// A type whose objects a constructor makes.
pub(super) struct MadeType {
    pub(super) node: NodeId,
    /// It inherits another constructor, too: which one runs depends on the order of its bases.
    pub(super) is_open: bool,
}

/// A constructor: the type that has it, and the name that all of its language have.
struct NamedConstructor {
    home: NodeId,
    name: &'static str,
}

impl Graph {
    /// Returns the type that `function` is a constructor of, and those that build on it and inherit the constructor.
    pub(super) fn types_made_by(&self, function: NodeId) -> Vec<MadeType> {
        let Some(constructor) = self.named_constructor(function) else { return Vec::new() };
        let mut made = vec![MadeType { node: constructor.home, is_open: false }];
        let mut seen = BTreeSet::from([constructor.home]);
        let mut at = 0;
        while at < made.len() && made.len() < MAX_VISITED {
            let below =
                self.incoming(made[at].node).iter().filter(|edge| edge.kind.is_inheritance());
            let heirs = below
                .map(|edge| edge.from)
                .filter(|heir| !self.constructs_by(*heir, constructor.name) && seen.insert(*heir));
            let heirs = heirs
                .map(|node| MadeType { node, is_open: self.inherits_another(node, &constructor) });
            made.extend(heirs.collect::<Vec<_>>());
            at += 1;
        }
        made
    }

    /// Returns the constructors that a type has itself, where a call that makes an object may lead to one of them.
    pub(super) fn constructors_of(&self, ty: NodeId) -> Vec<NodeId> {
        if self.kind(ty).is_none_or(|kind| kind == NodeKind::Function) {
            return Vec::new();
        }
        self.members(ty).filter(|member| self.is_constructor(*member, ty)).collect()
    }

    fn named_constructor(&self, function: NodeId) -> Option<NamedConstructor> {
        let node = self.node(function).filter(|node| node.kind == NodeKind::Function)?;
        let capabilities = node.language.capabilities();
        let name = capabilities.constructor_name.filter(|name| *name == node.name)?;
        let home = self.owner(function)?;
        capabilities.has_one_constructor.then_some(NamedConstructor { home, name })
    }

    /// Whether a type without a constructor of its own has one from a base that does not inherit that of `constructor`.
    fn inherits_another(&self, heir: NodeId, constructor: &NamedConstructor) -> bool {
        let mut above = vec![heir];
        let mut seen = BTreeSet::from([heir, constructor.home]);
        while let Some(at) = above.pop() {
            if self.constructs_by(at, constructor.name) {
                return true;
            }
            let bases = self.outgoing(at).iter().filter(|edge| edge.kind.is_inheritance());
            above.extend(bases.map(|edge| edge.to).filter(|base| seen.insert(*base)));
        }
        false
    }

    /// Whether a type has a constructor of this name itself.
    fn constructs_by(&self, ty: NodeId, name: &str) -> bool {
        self.members(ty)
            .filter_map(|member| self.heading(member))
            .any(|member| member.kind == NodeKind::Function && member.name == name)
    }
}
