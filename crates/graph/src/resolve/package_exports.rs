//! What packages offer to other repositories: the definitions behind the names that their entry points export, followed
//! through re-exports, namespaces and the types of exported values.

use std::collections::BTreeSet;

use crate::{
    facts::{DefFlags, DefId, DefKind, ModuleExport},
    resolve::{
        Resolver,
        inference_results::Ty,
        program_facts::{DefRef, ModId, Name, number, project_model::PackageEntryPoint},
        type_inference::{InferenceCertainty, NameReferent, TypeInference},
    },
};

/// Names behind one another: of a namespace, of what it holds, of a member of that.
const MAX_NAMES: usize = 3;
/// Names that one entry point offers; what has more is hardly written by hand.
const MAX_EXPORTS: usize = 20_000;

/// A name under which a package offers a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackageExport {
    /// The file of the definition.
    pub path: String,
    /// The place of the definition among the nodes of the file.
    pub node: u32,
    /// The entry point, as an import writes it.
    pub module: String,
    /// The name that the entry point exports, and names of members behind it.
    pub names: Vec<String>,
    /// Whether the last name is a member of a value, found by the value's type.
    pub is_of_value: bool,
}

impl Resolver<'_> {
    /// Returns what the packages of the program offer, sorted.
    pub(crate) fn package_exports(&self) -> Vec<PackageExport> {
        let mut all = BTreeSet::new();
        for model in self.program.layout.models.all() {
            for PackageEntryPoint { specifier, modules } in model.entry_points(&self.program) {
                let mut names = BTreeSet::new();
                for module in modules {
                    let mut offered =
                        OfferedNames { inference: self.inference(), found: BTreeSet::new() };
                    offered.of_module(module, &[]);
                    // The first file that offers a name is the one that its users get it from.
                    let is_new = |offered: &OfferedName| {
                        offered.names.first().is_some_and(|name| !names.contains(name))
                    };
                    let found: Vec<_> = offered.found.into_iter().filter(is_new).collect();
                    names.extend(found.iter().filter_map(|offered| offered.names.first().copied()));
                    all.extend(found.into_iter().filter_map(|offered| {
                        let OfferedName { names, def, is_of_value } = offered;
                        let text = |name: &Name| self.program.text(*name).to_owned();
                        Some(PackageExport {
                            path: self.program.path(def.file).to_owned(),
                            node: self.program.node_index(def)?,
                            module: specifier.clone(),
                            names: names.iter().map(text).collect(),
                            is_of_value,
                        })
                    }));
                }
            }
        }
        all.into_iter().collect()
    }
}

/// The names of one entry point, with the definitions that they lead to.
struct OfferedNames<'w, 'p> {
    inference: TypeInference<'w, 'p>,
    found: BTreeSet<OfferedName>,
}

/// A name that leads to a definition, and names of members behind it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OfferedName {
    names: Vec<Name>,
    def: DefRef,
    is_of_value: bool,
}

impl OfferedNames<'_, '_> {
    fn of_module(&mut self, module: ModId, holders: &[Name]) {
        for name in self.exported_names(module) {
            if holders.len() == MAX_NAMES || self.found.len() >= MAX_EXPORTS {
                return;
            }
            self.inference.renew_budget();
            self.inference.begin_question();
            let names = [holders, &[name]].concat();
            for referent in self.inference.export(module, name, 0) {
                match &referent {
                    NameReferent::Module(inner) if *inner != module => {
                        self.of_module(*inner, &names);
                    }
                    NameReferent::Def(def, _) => {
                        self.put(OfferedName {
                            names: names.clone(),
                            def: *def,
                            is_of_value: false,
                        });
                        let is_value = matches!(
                            self.inference.program.def(*def).kind,
                            DefKind::Variable | DefKind::Field
                        );
                        if is_value {
                            self.members_of(&referent, &names);
                        }
                    }
                    NameReferent::Value(..) => self.members_of(&referent, &names),
                    _ => {}
                }
            }
        }
    }

    /// The names that the files of a module list, those of re-exports of everything among them.
    fn exported_names(&mut self, module: ModId) -> BTreeSet<Name> {
        let program = self.inference.program;
        let mut names = BTreeSet::new();
        let (mut seen, mut open) = (BTreeSet::from([module]), vec![module]);
        while let Some(module) = open.pop() {
            for file in program.module(module).files.clone() {
                for export in &program.facts(file).exports {
                    match export {
                        ModuleExport::Local { name, .. }
                        | ModuleExport::Import { name, .. }
                        | ModuleExport::Value { name, .. } => {
                            names.insert(program.name_of(file, *name));
                        }
                        ModuleExport::All(import) => {
                            let inner = self.inference.import_module(file, *import);
                            open.extend(inner.into_iter().filter(|module| seen.insert(*module)));
                        }
                    }
                }
            }
        }
        names
    }

    /// The members of an exported value, by its type.
    fn members_of(&mut self, value: &NameReferent, names: &[Name]) {
        let found = self.inference.type_of_referent(value);
        if found.certainty == InferenceCertainty::Dynamic || names.len() == MAX_NAMES {
            return;
        }
        for ty in found.ty.each() {
            match ty {
                Ty::Module(module) => self.of_module(*module, names),
                Ty::Inst(def, _) => {
                    for member in self.member_names(*def) {
                        let names = [names, &[member]].concat();
                        for found in self.inference.member(ty, member) {
                            if let NameReferent::Def(def, _) = found {
                                let names = names.clone();
                                self.put(OfferedName { names, def, is_of_value: true });
                            }
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The names of what a type and those above it hold.
    fn member_names(&mut self, of: DefRef) -> BTreeSet<Name> {
        let program = self.inference.program;
        let mut names = BTreeSet::new();
        for holder in self.inference.types_above(of) {
            for (place, def) in program.facts(holder.file).defs.iter().enumerate() {
                if def.parent == Some(holder.def) {
                    let member = DefRef { file: holder.file, def: DefId(number(place)) };
                    names.insert(program.def_name(member));
                }
            }
        }
        names
    }

    fn put(&mut self, offered: OfferedName) {
        let is_private = self.inference.program.def(offered.def).flags.has(DefFlags::PRIVATE);
        if !is_private && self.found.len() < MAX_EXPORTS {
            self.found.insert(offered);
        }
    }
}
