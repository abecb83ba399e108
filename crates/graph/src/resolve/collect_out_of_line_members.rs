//! Collects the members that a file attaches to types.

use rustc_hash::FxHashSet;

use crate::{
    facts::{DefId, DefKind, name_hash},
    resolve::{
        inference_results::Ty,
        out_of_line_members::{ANY_TYPE, OutOfLineMember, OutOfLineMemberOwner, OutOfLineMembers},
        program_facts::{DefRef, FileId, ProgramFacts},
        type_inference::TypeInference,
    },
};

/// Returns what a file attaches. `inference` must know of no members that other files attach: the result must not follow from
/// these.
pub(super) fn attached_by(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
) -> OutOfLineMembers<FileId> {
    let program = inference.program;
    let mut attached = OutOfLineMembers::default();
    let mut known: FxHashSet<(OutOfLineMemberOwner<FileId>, DefId)> = FxHashSet::default();
    let facts = program.facts(file);
    for (id, def) in (0..).map(DefId).zip(&facts.defs) {
        if !def.receiver.is_known() {
            continue;
        }
        inference.begin_question();
        for host in hosts(inference, file, id) {
            let mut add = |id: DefId| {
                if known.insert((host.clone(), id)) {
                    let name = facts.text(facts.def(id).name).into();
                    attached.members.push(OutOfLineMember { host: host.clone(), def: id, name });
                }
            };
            if matches!(def.kind, DefKind::Impl | DefKind::Object) {
                let members = program.members_in_order(DefRef { file, def: id });
                inference.count_search(members.len());
                members.iter().for_each(|member| add(member.def));
                attached.supers.extend(def.supers.iter().map(|(_, ty)| (host.clone(), *ty)));
            } else {
                add(id);
            }
        }
    }
    attached
}

/// Whether types are among what a file attaches, so that they can be the hosts of other members.
pub(super) fn has_types(
    program: &ProgramFacts<'_>,
    file: FileId,
    attached: &OutOfLineMembers<FileId>,
) -> bool {
    let facts = program.facts(file);
    let mut defs = attached.members.iter().map(|member| facts.def(member.def));
    defs.any(|def| def.receiver.is_known() && def.kind.is_type())
}

/// Returns the types that a definition with a receiver is attached to.
fn hosts(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    def: DefId,
) -> Vec<OutOfLineMemberOwner<FileId>> {
    let program = inference.program;
    let of_type = |at: DefRef| OutOfLineMemberOwner::Type(at.file, at.def, type_hash(program, at));
    let receiver = inference.eval_type(file, program.facts(file).def(def).receiver);
    let hosts = receiver.each().iter().filter_map(|ty| match ty {
        Ty::Inst(at, _) | Ty::Class(at, _) | Ty::Func(at, _) => Some(of_type(*at)),
        Ty::Ext(name, _) | Ty::ExtItem(name) => {
            Some(OutOfLineMemberOwner::External(program.text(*name).into()))
        }
        // `impl<T: Bound> Trait for T`
        Ty::Param(at, _)
            if *at == (DefRef { file, def })
                && program.capabilities(file).implements_for_outside_types =>
        {
            Some(OutOfLineMemberOwner::External(ANY_TYPE.into()))
        }
        _ => None,
    });
    let hosts: Vec<OutOfLineMemberOwner<FileId>> = hosts.collect();
    if !hosts.is_empty() {
        return hosts;
    }
    let declared = inference.rules(file).attached_to(inference, file, def);
    declared.into_iter().map(of_type).collect()
}

fn type_hash(program: &ProgramFacts<'_>, at: DefRef) -> u32 {
    let names = program.chain(at).into_iter().map(|def| program.text(program.def_name(def)));
    names.fold(0, |hash, name| hash.rotate_left(5) ^ name_hash(name))
}
