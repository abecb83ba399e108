//! Swift's members: those of a type before those of its supertypes, and what extensions add to outside types.

use std::rc::Rc;

use crate::{
    facts::DefKind,
    resolve::{
        inference_results::Ty,
        ordered_set::OrderedSet,
        program_facts::{DefRef, Name},
        supertypes::MAX_SUPERS,
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// The members of a type by one name, its own before inherited ones. Functions of several types are all kept, since
    /// their labels differ.
    pub(crate) fn layered_member(
        &mut self,
        def: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Vec<NameReferent> {
        let mut seen = vec![def];
        let mut level = vec![(def, args.clone())];
        let mut outside = Vec::new();
        let mut found = OrderedSet::new(NameReferent::definition);
        let mut hides_values = false;
        let mut at = 0;
        while at < level.len() && at < MAX_SUPERS {
            let (def, args) = level[at].clone();
            at += 1;
            let env = Rc::from([(def, args.clone())]);
            for referent in self.own_members(def, &args, &env, name) {
                let NameReferent::Def(member, _) = &referent else { continue };
                let is_function = self.program.def(*member).kind == DefKind::Function;
                if is_function || !hides_values {
                    hides_values |= !is_function;
                    found.push(referent);
                }
            }
            for ty in self.supers(def) {
                for ty in ty.fill(&env).each() {
                    match ty {
                        Ty::Inst(up, args) if !seen.contains(up) => {
                            seen.push(*up);
                            level.push((*up, args.clone()));
                        }
                        Ty::Ext(..) => outside.push(ty.clone()),
                        _ => {}
                    }
                }
            }
        }
        for ty in outside {
            self.extended(&ty, name).into_iter().for_each(|referent| found.push(referent));
        }
        let found = found.into_vec();
        self.count_search(found.len());
        found
    }
}
