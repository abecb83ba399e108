//! Finds which Go types implement which interfaces: those that have all of an interface's methods. What an embedded interface
//! of another module asks for need not be known. A type that embeds it, too, or that is assigned to `var _ Interface`, has it;
//! others that have all the rest may have it.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    facts::{
        DefFlags, DefId, DefKind, FileFacts, TypeExpr, TypeId,
        language_capabilities::{KnownInterface, KnownMethod},
    },
    graph_model::{EdgeKind, LanguageFamily},
    languages::go::{method_signatures, standard_interfaces::STANDARD_INTERFACES},
    resolve::{
        inference_results::{InferenceCertainty, Ty, no_args},
        program_facts::{DefRef, FileId, Name, ProgramFacts, number},
        resolved_edge::{DefinitionEdge, EdgeEnd, StructuralTypingEdges},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Interfaces that no method set can be told apart by are left out above this many implementers.
const MAX_IMPLEMENTERS: usize = 400;
/// Interfaces embedded in one another.
const MAX_EMBEDDED: u32 = 6;
/// Methods of a type that say that it may implement an interface of which not all methods are known: one by a name is chance.
const MIN_METHODS: usize = 2;

/// Returns the relations between types, and between their methods, that follow from method sets. The types of each file
/// have a budget of their own at each step.
pub(crate) fn implementations(inference: &mut TypeInference<'_, '_>) -> StructuralTypingEdges {
    let types = go_types(inference.program);
    if types.is_empty() {
        return StructuralTypingEdges::default();
    }
    let declared = declared_methods(inference, &types);
    let (found, asserted) = (StructuralTypingEdges::default(), BTreeSet::new());
    let mut comparison =
        InterfaceComparison { inference, declared, asserted, budgeted: None, found };
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
    if interfaces.iter().any(|(_, asked)| !asked.outside.is_empty()) {
        comparison.find_assertions();
        comparison.budgeted = None;
    }
    for (interface, asked) in &interfaces {
        comparison.compare(*interface, asked, &implementers);
    }
    let mut found = comparison.found;
    found.edges.sort_unstable();
    found.edges.dedup();
    found
}

/// The types that have a method, by its name.
type Implementers = BTreeMap<Name, BTreeSet<DefRef>>;

/// What an interface asks of a type.
#[derive(Default)]
struct Asked {
    /// The names of methods.
    names: BTreeSet<Name>,
    /// Embedded interfaces of other modules, with what they ask if that is known.
    outside: BTreeMap<Name, Option<&'static KnownInterface>>,
}

struct InterfaceComparison<'a, 'w, 'p> {
    inference: &'a mut TypeInference<'w, 'p>,
    /// The names of the methods that each type declares itself.
    declared: BTreeMap<DefRef, BTreeSet<Name>>,
    /// Types with the interfaces that they are assigned to in `var _ Interface = (*Type)(nil)`.
    asserted: BTreeSet<(DefRef, DefRef)>,
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

    /// Notes which types are assigned to which interfaces only to have the compiler compare them.
    fn find_assertions(&mut self) {
        let program = self.inference.program;
        for file in go_files(program) {
            for def in &program.facts(file).defs {
                let is_assertion = def.kind == DefKind::Variable
                    && def.ty.is_known()
                    && program.text(program.name_of(file, def.name)) == "_";
                if !is_assertion {
                    continue;
                }
                let (interface, value) = self.on_type(file, |this| {
                    let interface = this.inference.eval_type(file, def.ty);
                    (interface, this.inference.type_of(file, def.value).ty)
                });
                if let (Ty::Inst(interface, _), Ty::Inst(at, _)) = (interface, value) {
                    self.asserted.insert((at, interface));
                }
            }
        }
    }

    /// Returns the interfaces that ask for methods, with these.
    fn method_sets(&mut self, interfaces: &[DefRef]) -> Vec<(DefRef, Asked)> {
        let mut found = Vec::new();
        for at in interfaces {
            let asked = self.on_type(at.file, |this| this.method_set(*at, 0));
            if let Some(asked) = asked.filter(|asked| !asked.names.is_empty()) {
                found.push((*at, asked));
            }
        }
        found
    }

    /// Returns what an interface asks for, by embedded ones, too; nothing when it embeds something unknown.
    fn method_set(&mut self, at: DefRef, depth: u32) -> Option<Asked> {
        let names = self.declared.get(&at).cloned().unwrap_or_default();
        let mut asked = Asked { names, ..Asked::default() };
        if depth >= MAX_EMBEDDED {
            return Some(asked);
        }
        let program = self.inference.program;
        for (_, ty) in &program.def(at).supers {
            match self.inference.eval_type(at.file, *ty) {
                Ty::Inst(up, _)
                    if program.def(up).kind == DefKind::Interface
                        && !self.inference.is_exhausted() =>
                {
                    let inner = self.method_set(up, depth + 1)?;
                    asked.names.extend(inner.names);
                    asked.outside.extend(inner.outside);
                }
                // Only a type with a capital can be another module's.
                Ty::Ext(name, _) if program.text(name).starts_with(char::is_uppercase) => {
                    asked.outside.insert(name, known_interface(program.facts(at.file), *ty));
                }
                _ => return None,
            }
        }
        Some(asked)
    }

    /// Returns which types have the methods of `interfaces`, promoted ones included.
    fn implementers(&mut self, types: &[DefRef], interfaces: &[(DefRef, Asked)]) -> Implementers {
        let wanted: BTreeSet<Name> =
            interfaces.iter().flat_map(|(_, asked)| &asked.names).copied().collect();
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
    fn compare(&mut self, interface: DefRef, asked: &Asked, having: &Implementers) {
        let nothing = BTreeSet::new();
        let mut sets: Vec<&BTreeSet<DefRef>> =
            asked.names.iter().map(|name| having.get(name).unwrap_or(&nothing)).collect();
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
            self.on_type(interface.file, |this| this.implement(at, interface, asked));
        }
    }

    /// Adds the edges of a type that has the methods of an interface, if none differs in what it takes and gives back.
    fn implement(&mut self, at: DefRef, interface: DefRef, asked: &Asked) {
        let program = self.inference.program;
        let mut pairs = Vec::new();
        for name in &asked.names {
            let methods = (self.method(at, *name), self.method(interface, *name));
            let (Some(own), Some(up)) = methods else { return };
            if method_signatures::differ(self.inference, own, up) {
                return;
            }
            pairs.push((own, up));
        }
        let Some(certainty) = self.has_outside(at, interface, asked) else { return };
        let mut push = |from, to, line| {
            let (from, to) = (EdgeEnd::Def(from), EdgeEnd::Def(to));
            let edge = match certainty {
                InferenceCertainty::Exact => DefinitionEdge::new,
                _ => DefinitionEdge::dynamic,
            };
            self.found.edges.push(edge(EdgeKind::Implements, from, to, line));
        };
        push(at, interface, program.def(at).start);
        for (own, up) in pairs.into_iter().filter(|(own, up)| own != up) {
            push(own, up, program.def(own).name_line);
        }
    }

    /// Returns how sure it is that a type has what embedded interfaces of other modules ask for; nothing if it can't have it.
    fn has_outside(
        &mut self,
        at: DefRef,
        interface: DefRef,
        asked: &Asked,
    ) -> Option<InferenceCertainty> {
        if asked.outside.is_empty() || self.asserted.contains(&(at, interface)) {
            return Some(InferenceCertainty::Exact);
        }
        let mut embedded = BTreeSet::new();
        for source in self.method_sources(at) {
            let supers = self.inference.supers(source).into_iter();
            embedded.extend(supers.filter_map(|up| match up {
                Ty::Ext(name, _) => Some(name),
                _ => None,
            }));
        }
        let mut certainty = InferenceCertainty::Exact;
        for (name, known) in &asked.outside {
            let known = known.map_or(&[][..], |known| known.methods);
            let has = |method: &KnownMethod| {
                self.method(at, self.inference.program.intern(method.name)).is_some()
            };
            let has_all = !known.is_empty() && known.iter().all(has);
            if has_all || embedded.contains(name) {
                continue;
            }
            if !known.is_empty() && embedded.is_empty() || asked.names.len() < MIN_METHODS {
                return None;
            }
            certainty = InferenceCertainty::Dynamic;
        }
        Some(certainty)
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

/// Returns the interface of the standard library that a type of another module is, if its methods are known.
fn known_interface(facts: &FileFacts, ty: TypeId) -> Option<&'static KnownInterface> {
    let TypeExpr::Named { path, .. } = facts.ty(ty) else { return None };
    let [package, name] = path[..] else { return None };
    let (package, name) = (facts.text(package), facts.text(name));
    let is_meant = |known: &&KnownInterface| {
        known.name == name && known.module.rsplit('/').next() == Some(package)
    };
    STANDARD_INTERFACES.iter().find(is_meant)
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
