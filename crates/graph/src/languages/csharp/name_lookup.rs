//! C#'s names that no scope binds: namespaces from the inside out, then what `using` brings.

use crate::{
    facts::{DefFlags, DefKind, ImportId, ImportSelection, Sym},
    languages::csharp::project::CSharpProjects,
    resolve::{
        inference_results::no_env,
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Most parts of a path that `using` has from another `using`.
const MAX_BROUGHT_PARTS: usize = 2;

impl TypeInference<'_, '_> {
    /// A name that no scope binds: the namespaces around the place, then what `using` brings.
    pub(crate) fn csharp_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let mut next = Some(module);
        while let Some(at) = next {
            let mut found = self.package_member(&NameReferent::Module(at), name);
            found.retain(|referent| match referent {
                NameReferent::Def(def, _) => self.is_seen_from(file, *def),
                _ => true,
            });
            if !found.is_empty() {
                return found;
            }
            next = program.module(at).parent;
        }
        let mut found = OrderedSet::new(NameReferent::definition);
        if !self.charge(program.facts(file).imports.len()) {
            return Vec::new();
        }
        for (id, import) in program.facts(file).imports.iter().enumerate() {
            if import.local.is_some_and(|local| program.name_of(file, local) == name) {
                return self.import(file, ImportId(crate::resolve::program_facts::number(id)));
            }
        }
        for holder in self.used(file, module) {
            let brought = match holder {
                // A namespace brings its types, not the namespaces in it.
                NameReferent::Module(at) if program.top_level_named(at, name).is_empty() => {
                    Vec::new()
                }
                holder => self.package_member(&holder, name),
            };
            brought.into_iter().for_each(|referent| found.push(referent));
        }
        let mut found = found.into_vec();
        if found.is_empty() {
            for (home, id) in program
                .project::<CSharpProjects>()
                .and_then(|projects| projects.global.get(&file))
                .into_iter()
                .flatten()
            {
                program.looks_into(*home, name);
                let import = program.facts(*home).import(*id);
                if import.local.is_some_and(|local| program.name_of(*home, local) == name) {
                    found.extend(self.import(*home, *id));
                }
            }
        }
        if found.is_empty() { self.torn_fields(file, module, name) } else { found }
    }

    /// The fields of a file that an error in its text has torn from their type. They hide no type.
    fn torn_fields(&self, file: FileId, module: ModId, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let is_torn = |def: &&DefRef| def.file == file && program.def(**def).kind == DefKind::Field;
        let mut next = Some(module);
        while let Some(at) = next {
            let mut torn = program.top_level_named(at, name).iter().filter(is_torn).peekable();
            if torn.peek().is_some() {
                return torn.map(|def| NameReferent::Def(*def, no_env())).collect();
            }
            next = program.module(at).parent;
        }
        Vec::new()
    }

    /// Whether a file sees what stands outside of types. Only types are seen from other files: functions there are those of
    /// a program of one file, and anything else is a member that an error in the text has torn from its type.
    fn is_seen_from(&self, file: FileId, at: DefRef) -> bool {
        let def = self.program.def(at);
        let is_own = at.file == file;
        match def.kind {
            DefKind::Function => is_own && !def.flags.has(DefFlags::CONSTRUCTOR),
            DefKind::Field | DefKind::Variable => false,
            _ => is_own || !def.flags.has(DefFlags::FILE_LOCAL),
        }
    }

    /// The types that a short path means in what the `using`s before it open: `using static Constants;` behind `namespace A;`.
    fn brought_types(
        &mut self,
        file: FileId,
        opened: &[NameReferent],
        path: &[Sym],
    ) -> Vec<NameReferent> {
        let program = self.program;
        if path.len() > MAX_BROUGHT_PARTS || !self.charge(opened.len()) {
            return Vec::new();
        }
        let mut holders = opened.to_vec();
        for part in path {
            let part = program.name_of(file, *part);
            holders = holders.iter().flat_map(|at| self.package_member(at, part)).collect();
            holders.retain(|referent| {
                matches!(referent, NameReferent::Def(def, _) if program.def(*def).kind.is_type())
            });
        }
        holders
    }

    /// The namespaces and types that `using` opens in a file, its project's included.
    pub(super) fn used(&mut self, file: FileId, module: ModId) -> Vec<NameReferent> {
        let program = self.program;
        let own = (0..program.facts(file).imports.len())
            .map(|id| (file, ImportId(crate::resolve::program_facts::number(id))));
        let project = program
            .project::<CSharpProjects>()
            .and_then(|projects| projects.global.get(&file))
            .into_iter()
            .flatten()
            .copied();
        let mut found = Vec::new();
        for (home, id) in own.chain(project) {
            let import = program.facts(home).import(id);
            if import.taken != ImportSelection::All {
                continue;
            }
            if !self.charge(1) {
                break;
            }
            let mut holders = self.package_path(home, &import.module);
            let mut next = Some(module);
            while let (true, Some(at)) = (holders.is_empty(), next) {
                // Inside a namespace its own parts may be named from there.
                let mut at_holders = vec![NameReferent::Module(at)];
                for part in &import.module {
                    let part = program.name_of(home, *part);
                    at_holders =
                        at_holders.iter().flat_map(|h| self.package_member(h, part)).collect();
                }
                holders = at_holders;
                next = program.module(at).parent;
            }
            if holders.is_empty() {
                holders = self.brought_types(home, &found, &import.module);
            }
            found.extend(holders);
        }
        if let Some(projects) = program.project::<CSharpProjects>() {
            let modules = projects.named.get(&file).into_iter().flatten();
            found.extend(modules.map(|module| NameReferent::Module(*module)));
            let types = projects.named_types.get(&file).into_iter().flatten();
            found.extend(types.map(|named| NameReferent::Def(*named, no_env())));
        }
        found
    }
}
