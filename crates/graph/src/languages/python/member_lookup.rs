//! Python's names and members: members of classes in the order of C3.

use std::rc::Rc;

use crate::resolve::{
    inference_results::{Ty, TypeEnv},
    program_facts::{DefRef, Name},
    supertypes::MAX_SUPERS,
    type_inference::{NameReferent, TypeInference},
};

/// Bases above one another whose order is worked out; those above them count as bases in order.
const MAX_BASES: u32 = 12;

impl TypeInference<'_, '_> {
    /// Looks a member up in the order that Python's classes are searched in.
    pub(crate) fn linear_member(
        &mut self,
        def: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Vec<NameReferent> {
        for (class, given) in self.linear(def, args, 0) {
            let env: TypeEnv = Rc::from([(class, given.clone())]);
            let own = self.own_members(class, &given, &env, name);
            if !own.is_empty() {
                return own;
            }
        }
        Vec::new()
    }

    /// The C3 linearisation of a class; where there is none, its bases in order.
    fn linear(&mut self, def: DefRef, args: &Rc<[Ty]>, depth: u32) -> Vec<(DefRef, Rc<[Ty]>)> {
        let mut order = vec![(def, args.clone())];
        if depth > MAX_BASES || !self.charge(1) {
            return order;
        }
        let env: TypeEnv = Rc::from([(def, args.clone())]);
        let mut lists: Vec<Vec<(DefRef, Rc<[Ty]>)>> = Vec::new();
        let mut direct = Vec::new();
        for ty in self.supers(def) {
            for ty in ty.fill(&env).each() {
                if let Ty::Inst(up, args) = ty
                    && *up != def
                {
                    direct.push((*up, args.clone()));
                    lists.push(self.linear(*up, args, depth + 1));
                }
            }
        }
        lists.push(direct);
        loop {
            lists.retain(|list| !list.is_empty());
            if !self.charge_search(lists.iter().map(Vec::len).sum()) {
                return order;
            }
            let in_tail = |class: DefRef| {
                lists.iter().any(|list| list.iter().skip(1).any(|(other, _)| *other == class))
            };
            let Some(next) = lists
                .iter()
                .map(|list| list[0].clone())
                .find(|(class, _)| !in_tail(*class))
                .or_else(|| lists.first().map(|list| list[0].clone()))
            else {
                return order;
            };
            for list in &mut lists {
                list.retain(|(class, _)| *class != next.0);
            }
            if order.len() < MAX_SUPERS {
                order.push(next);
            }
        }
    }
}
