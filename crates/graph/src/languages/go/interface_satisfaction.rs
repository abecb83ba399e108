//! Finds which Go types implement which interfaces: those that have all of an interface's methods.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    facts::{DefFlags, DefId, DefKind},
    graph_model::{EdgeKind, LanguageFamily},
    languages::go::method_signatures,
    resolve::{
        inference_results::{Ty, no_args},
        program_facts::{DefRef, FileId, Name, ProgramFacts, number},
        resolved_edge::{DefinitionEdge, EdgeEnd, StructuralTypingEdges},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Interfaces that no method set can be told apart by are left out above this many implementers.
const MAX_IMPLEMENTERS: usize = 400;
/// Interfaces embedded in one another.
const MAX_EMBEDDED: u32 = 6;

/// Returns the relations between types, and between their methods, that follow from method sets. The types of each file
/// have a budget of their own at each step.
pub(crate) fn implementations(inference: &mut TypeInference<'_, '_>) -> StructuralTypingEdges {
    let types = go_types(inference.program);
    if types.is_empty() {
        return StructuralTypingEdges::default();
    }
    let declared = declared_methods(inference, &types);
    let found = StructuralTypingEdges::default();
    let mut comparison = InterfaceComparison { inference, declared, budgeted: None, found };
    let is_interface =
        |at: &DefRef| comparison.inference.program.def(*at).kind == DefKind::Interface;
    let (interfaces, mut concrete): (Vec<DefRef>, Vec<DefRef>) =
        types.into_iter().partition(is_interface);
    concrete.retain(|at| !comparison.on_type(at.file, |this| this.names_interface(*at)));
    comparison.budgeted = None;
    let interfaces = comparison.method_sets(&interfaces);
    comparison.budgeted = None;
    let implementers = comparison.implementers(&concrete, &interfaces);
    comparison.budgeted = None;
    for (interface, names) in &interfaces {
        comparison.compare(*interface, names, &implementers);
    }
    let mut found = comparison.found;
    found.edges.sort_unstable();
    found.edges.dedup();
    found
}

/// The types that have a method, by its name.
type Implementers = BTreeMap<Name, BTreeSet<DefRef>>;

struct InterfaceComparison<'a, 'w, 'p> {
    inference: &'a mut TypeInference<'w, 'p>,
    /// The names of the methods that each type declares itself.
    declared: BTreeMap<DefRef, BTreeSet<Name>>,
    /// The file that the current budget is for.
    budgeted: Option<FileId>,
    found: StructuralTypingEdges,
}

impl InterfaceComparison<'_, '_, '_> {
    /// Works on one type of `file` with the budget of that file, and notes the file when that is too little. The types of
    /// one file follow one another.
    fn on_type<T>(&mut self, file: FileId, work: impl FnOnce(&mut Self) -> T) -> T {
        if self.budgeted.replace(file) != Some(file) {
            self.inference.renew_budget();
        }
        self.inference.begin_question();
        let result = work(self);
        if self.inference.is_exhausted() {
            self.found.incomplete.insert(file);
        }
        result
    }

    /// Returns the interfaces that ask for methods, with the names of these.
    fn method_sets(&mut self, interfaces: &[DefRef]) -> Vec<(DefRef, BTreeSet<Name>)> {
        let mut found = Vec::new();
        for at in interfaces {
            let names = self.on_type(at.file, |this| this.method_set(*at, 0));
            if !names.is_empty() {
                found.push((*at, names));
            }
        }
        found
    }

    /// Returns the names of the methods of an interface, embedded ones included; none when it embeds something unknown.
    fn method_set(&mut self, at: DefRef, depth: u32) -> BTreeSet<Name> {
        let mut names = self.declared.get(&at).cloned().unwrap_or_default();
        if depth < MAX_EMBEDDED {
            for up in self.inference.supers(at) {
                match up {
                    Ty::Inst(up, _)
                        if self.inference.program.def(up).kind == DefKind::Interface
                            && !self.inference.is_exhausted() =>
                    {
                        names.extend(self.method_set(up, depth + 1));
                    }
                    _ => return BTreeSet::new(),
                }
            }
        }
        names
    }

    /// Returns which types have the methods of `interfaces`, promoted ones included.
    fn implementers(
        &mut self,
        types: &[DefRef],
        interfaces: &[(DefRef, BTreeSet<Name>)],
    ) -> Implementers {
        let wanted: BTreeSet<Name> =
            interfaces.iter().flat_map(|(_, names)| names).copied().collect();
        let mut having = Implementers::new();
        for at in types {
            let names = self.on_type(at.file, |this| this.methods_among(*at, &wanted));
            for name in names {
                having.entry(name).or_default().insert(*at);
            }
        }
        having
    }

    /// Returns the names among `wanted` that a type has a method by.
    fn methods_among(&mut self, at: DefRef, wanted: &BTreeSet<Name>) -> Vec<Name> {
        let sources = self.method_sources(at);
        let declared = sources.iter().filter_map(|up| self.declared.get(up)).flatten();
        let names: BTreeSet<Name> =
            declared.filter(|name| wanted.contains(name)).copied().collect();
        names.into_iter().filter(|name| self.method(at, *name).is_some()).collect()
    }

    /// Returns the types whose methods a type has: itself and what it embeds. A type made from another one has its fields, and
    /// so what these embed, but not its methods, unless it is an interface.
    fn method_sources(&mut self, at: DefRef) -> Vec<DefRef> {
        let above = self.inference.types_above(at);
        if !above.iter().any(|up| self.is_made_from_another(*up)) {
            return above;
        }
        let mut reached = vec![(at, true)];
        let mut next = 0;
        while let Some((from, _)) = reached.get(next).copied()
            && next < above.len()
            && !self.inference.is_exhausted()
        {
            next += 1;
            let is_made = self.is_made_from_another(from);
            for up in self.inference.supers(from) {
                let Ty::Inst(up, _) = up else { continue };
                let is_interface = self.inference.program.def(up).kind == DefKind::Interface;
                let step = (up, !is_made || is_interface);
                if !reached.contains(&step) {
                    reached.push(step);
                }
            }
        }
        reached.into_iter().filter(|(_, has)| *has).map(|(at, _)| at).collect()
    }

    /// Whether a type is `type T U`.
    fn is_made_from_another(&self, at: DefRef) -> bool {
        let def = self.inference.program.def(at);
        def.kind == DefKind::Alias && def.flags.has(DefFlags::OPAQUE)
    }

    /// Whether a type is made from an interface: it is one, too.
    fn names_interface(&mut self, mut at: DefRef) -> bool {
        for _ in 0..MAX_EMBEDDED {
            if self.inference.program.def(at).kind != DefKind::Alias {
                break;
            }
            match self.inference.supers(at).first() {
                Some(Ty::Inst(up, _)) => at = *up,
                _ => return false,
            }
        }
        self.inference.program.def(at).kind == DefKind::Interface
    }

    /// Adds the edges of the types that implement an interface.
    fn compare(&mut self, interface: DefRef, names: &BTreeSet<Name>, having: &Implementers) {
        let nothing = BTreeSet::new();
        let mut sets: Vec<&BTreeSet<DefRef>> =
            names.iter().map(|name| having.get(name).unwrap_or(&nothing)).collect();
        sets.sort_by_key(|set| set.len());
        let Some((smallest, others)) = sets.split_first() else { return };
        let fitting: Vec<DefRef> = smallest
            .iter()
            .filter(|at| others.iter().all(|set| set.contains(at)))
            .copied()
            .collect();
        if fitting.len() > MAX_IMPLEMENTERS {
            return;
        }
        for at in fitting {
            self.on_type(interface.file, |this| this.implement(at, interface, names));
        }
    }

    /// Adds the edges of a type that has the methods of an interface, if none differs in what it takes and gives back.
    fn implement(&mut self, at: DefRef, interface: DefRef, names: &BTreeSet<Name>) {
        let program = self.inference.program;
        let mut pairs = Vec::new();
        for name in names {
            let methods = (self.method(at, *name), self.method(interface, *name));
            let (Some(own), Some(up)) = methods else { return };
            if method_signatures::differ(self.inference, own, up) {
                return;
            }
            pairs.push((own, up));
        }
        self.push(at, interface, program.def(at).start);
        for (own, up) in pairs.into_iter().filter(|(own, up)| own != up) {
            self.push(own, up, program.def(own).name_line);
        }
    }

    fn push(&mut self, from: DefRef, to: DefRef, line: u32) {
        let (from, to) = (EdgeEnd::Def(from), EdgeEnd::Def(to));
        self.found.edges.push(DefinitionEdge::new(EdgeKind::Implements, from, to, line));
    }

    fn method(&mut self, at: DefRef, name: Name) -> Option<DefRef> {
        self.inference.begin_question();
        let found = self.inference.member(&Ty::Inst(at, no_args()), name);
        found.into_iter().find_map(|referent| match referent {
            NameReferent::Def(def, _)
                if self.inference.program.def(def).kind == DefKind::Function =>
            {
                Some(def)
            }
            _ => None,
        })
    }
}

fn go_types(program: &ProgramFacts<'_>) -> Vec<DefRef> {
    let mut found = Vec::new();
    for file in go_files(program) {
        for (id, def) in program.facts(file).defs.iter().enumerate() {
            let is_type = match def.kind {
                DefKind::Struct | DefKind::Interface => true,
                // `type T = U` is no type of its own.
                DefKind::Alias => def.flags.has(DefFlags::OPAQUE),
                _ => false,
            };
            if is_type && def.parent.is_none() {
                found.push(DefRef { file, def: DefId(number(id)) });
            }
        }
    }
    found
}

fn go_files(program: &ProgramFacts<'_>) -> impl Iterator<Item = FileId> {
    let files = (0..program.len()).map(|at| FileId(number(at)));
    files.filter(|file| program.family(*file) == LanguageFamily::Go)
}

/// Returns the names of the methods that each type declares: those with it as receiver, and those inside an interface.
fn declared_methods(
    inference: &TypeInference<'_, '_>,
    types: &[DefRef],
) -> BTreeMap<DefRef, BTreeSet<Name>> {
    let program = inference.program;
    let types: BTreeSet<DefRef> = types.iter().copied().collect();
    let mut declared = inference.attached.names_by_type();
    declared.retain(|at, _| types.contains(at));
    for file in go_files(program) {
        for def in &program.facts(file).defs {
            let parent = def.parent.map(|def| DefRef { file, def });
            if let Some(parent) = parent.filter(|parent| types.contains(parent))
                && def.kind == DefKind::Function
            {
                declared.entry(parent).or_default().insert(program.name_of(file, def.name));
            }
        }
    }
    declared
}
