//! Resolves names of C and C++ to declarations in included files, and these to their definitions in any file.

use retriever_workspace::shared_folders;
use rustc_hash::FxHashSet;

use crate::{
    facts::{
        DefFlags, DefId, DefKind, ImportId, ImportSelection, ScopeId, ScopeKind, TypeExpr, TypeId,
    },
    indexing::Language,
    languages::c::{
        header_language::is_part, project::IncludedFiles, resolution_rules::CAPABILITIES,
    },
    resolve::{
        inference_results::{Ty, no_args, no_env},
        program_facts::{DefRef, FileId, ModId, Name, ProgramFacts, number},
        project_layout::folder,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Most classes around a class in which a name is looked up.
const MAX_NESTED_CLASSES: usize = 4;

impl TypeInference<'_, '_> {
    /// Resolves a name that no block binds: in the enclosing namespaces from the inside out, then in those that they use.
    pub(crate) fn c_outside(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> Vec<NameReferent> {
        let home = self.c_home(file, scope);
        if self.program.text(name) == "::" {
            return vec![NameReferent::Module(self.program.module_of[file.index()])];
        }
        let mut at = Some(home);
        while let Some(module) = at {
            let found = self.c_within(file, module, name);
            if !found.is_empty() {
                return found;
            }
            at = self.program.module(module).parent;
        }
        let found = self.c_used_in_blocks(file, scope, name);
        if !found.is_empty() {
            return found;
        }
        match self.program.module(home).parent {
            Some(_) => Vec::new(),
            None => self.c_in_opened(file, home, name),
        }
    }

    /// Returns what `using namespace` brings inside of the functions and blocks around `scope`.
    fn c_used_in_blocks(&mut self, file: FileId, scope: ScopeId, name: Name) -> Vec<NameReferent> {
        let facts = self.program.facts(file);
        let used: Vec<ImportId> = (0..facts.imports.len())
            .map(|at| ImportId(number(at)))
            .filter(|id| {
                let import = facts.import(*id);
                import.taken == ImportSelection::All
                    && import.level > 0
                    && self.program.module_of_scope(file, import.scope).is_none()
            })
            .collect();
        if used.is_empty() || !self.charge_search(used.len()) {
            return Vec::new();
        }
        let mut next = Some(scope);
        while let Some(at) = next {
            for id in used.iter().filter(|id| facts.import(**id).scope == at) {
                for module in self.c_namespace(file, *id) {
                    let found = self.c_within(file, module, name);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
            next = facts.scopes[at.index()].parent;
        }
        Vec::new()
    }

    /// What stands behind a macro that opens a namespace seems to be outside, and names what is in the namespace: what files of
    /// the same folder have there.
    fn c_in_opened(&mut self, file: FileId, root: ModId, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let includes = includes(program);
        let children = program.module(root).children.values().copied();
        let mut opened: Vec<ModId> =
            children.filter(|child| includes.is_opened(&program.module(*child).name)).collect();
        opened.sort_by(|a, b| program.module(*a).name.cmp(&program.module(*b).name));
        self.count_search(opened.len());
        let here = folder(program.path(file));
        let is_near =
            |def: &DefRef| includes.sees(file, def.file) && folder(program.path(def.file)) == here;
        let has_name = |module: &ModId| program.top_level_named(*module, name).iter().any(is_near);
        match opened.into_iter().find(has_name) {
            Some(module) => self.c_member(file, module, name),
            None => Vec::new(),
        }
    }

    /// The innermost namespace in which names are looked up: the enclosing one, or, for a function that is defined
    /// outside its class or namespace, that of its declaration.
    fn c_home(&mut self, file: FileId, scope: ScopeId) -> ModId {
        let facts = self.program.facts(file);
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            next = scope.parent;
            let Some(owner) = scope.owner.filter(|_| scope.kind == ScopeKind::Function) else {
                continue;
            };
            let receiver = facts.def(owner).receiver;
            if let Ty::Inst(class, _) = self.eval_type(file, receiver) {
                return self.program.module_at(class.file, self.program.def(class).outer);
            }
            if let Some(module) = self.named_namespace(file, receiver) {
                return module;
            }
        }
        self.program.module_at(file, scope)
    }

    /// What a name is in the classes around a class: a function that is defined outside of it is not written inside of them.
    pub(crate) fn c_around_class(&mut self, class: &Ty, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let Ty::Inst(mut class, _) = *class else { return Vec::new() };
        for _ in 0..MAX_NESTED_CLASSES {
            let is_inside = !program.def(class).receiver.is_known();
            let around = if is_inside { program.parent(class) } else { self.c_class_of(class) };
            let Some(around) = around.filter(|at| program.def(*at).kind.is_type()) else { break };
            let mut found = self.member(&Ty::Inst(around, no_args()), name);
            found.retain(|referent| matches!(referent, NameReferent::Def(..)));
            if !found.is_empty() {
                return found;
            }
            class = around;
        }
        Vec::new()
    }

    /// The namespace that stands in front of a function's name.
    fn named_namespace(&mut self, file: FileId, receiver: TypeId) -> Option<ModId> {
        if !receiver.is_known() || self.eval_type(file, receiver).is_known() {
            return None;
        }
        let TypeExpr::Named { path, scope, pos, .. } = self.program.facts(file).ty(receiver) else {
            return None;
        };
        self.type_path(file, path, *scope, *pos).into_iter().find_map(|referent| match referent {
            NameReferent::Module(module) => Some(module),
            NameReferent::Def(def, _) => self.program.inline.get(&def).copied(),
            _ => None,
        })
    }

    /// Returns what a namespace declares for a function that is defined for it from outside.
    pub(crate) fn declared_in_namespace(&mut self, file: FileId, id: DefId) -> Vec<DefRef> {
        let program = self.program;
        let at = DefRef { file, def: id };
        let def = program.def(at);
        if def.kind != DefKind::Function {
            return Vec::new();
        }
        let Some(module) = self.named_namespace(file, def.receiver) else { return Vec::new() };
        let found = self.c_member(file, module, program.def_name(at)).into_iter();
        let declares = |other: DefRef| {
            let other = program.def(other);
            other.kind == DefKind::Function
                && other.flags.has(DefFlags::DECLARATION)
                && other.params.len() == def.params.len()
        };
        found
            .filter_map(|referent| match referent {
                NameReferent::Def(other, _) if declares(other) => Some(other),
                _ => None,
            })
            .collect()
    }

    /// Returns what a namespace has or uses under a name, as far as `file` sees it.
    fn c_within(&mut self, file: FileId, module: ModId, name: Name) -> Vec<NameReferent> {
        let found = self.c_member(file, module, name);
        if !found.is_empty() {
            return found;
        }
        let imports = self.program.imports_named(module, name);
        if !self.charge_search(imports.len()) {
            return Vec::new();
        }
        for (from, import) in imports {
            if includes(self.program).sees(file, *from) {
                let found = self.c_import(*from, *import);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        self.c_used(file, module, name)
    }

    /// Returns what `name` is in a type, a value or a namespace: the namespace as far as `file` sees it.
    pub(crate) fn c_qualified(&mut self, file: FileId, ty: &Ty, name: Name) -> Vec<NameReferent> {
        let module = match ty {
            Ty::Module(module) => Some(*module),
            Ty::Class(def, _) => self.program.inline.get(def).copied(),
            _ => None,
        };
        if let Some(module) = module {
            let found = self.c_within(file, module, name);
            if !found.is_empty() {
                return found;
            }
        }
        let found = self.member(ty, name);
        if !found.is_empty() || !matches!(ty, Ty::Inst(..)) {
            return found;
        }
        // What an arrow of its own leads to.
        match self.method_result(ty, "operator->") {
            Ty::Unknown => found,
            inner if &inner == ty => found,
            inner => self.member(&inner, name),
        }
    }

    /// Returns what a namespace has under a name, as far as `file` sees it.
    pub(crate) fn c_member(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let all = program.top_level_named(module, name);
        self.count_search(all.len());
        let mut seen: Vec<DefRef> =
            all.iter().filter(|def| includes(program).sees(file, def.file)).copied().collect();
        let is_part = is_part(program.path(file));
        if seen.is_empty() && (program.facts(file).language == Language::Cpp || is_part) {
            // What is included into the middle of a file sees what that one sees.
            let beside = |def: &&DefRef| includes(program).meets(file, def.file);
            seen = self.c_nearest(file, all.iter().filter(beside));
        }
        if seen.is_empty() {
            return self.c_unseen_member(file, module, name, all);
        }
        // A namespace is one, however often and wherever it is opened.
        let is_namespace = |def: &DefRef| program.def(*def).kind == DefKind::Namespace;
        if let Some(child) = program.child(module, name).filter(|_| seen.iter().all(is_namespace)) {
            return vec![NameReferent::Module(child)];
        }
        // A macro by the name of a function stands for it where something isn't built, or wraps it.
        let is_function = |def: &DefRef| program.def(*def).kind == DefKind::Function;
        if seen.iter().any(is_function) {
            seen.retain(|def| program.def(*def).kind != DefKind::Macro);
        }
        let mut found = self.c_definitions(file, module, name, all, &seen);
        if found.is_empty() {
            found = seen;
        }
        // A file's own comes before others'.
        if found.iter().any(|def| def.file == file) && found.iter().all(is_function) {
            let own_static = |def: &DefRef| {
                def.file == file && program.def(*def).flags.has(DefFlags::FILE_LOCAL)
            };
            if found.iter().any(own_static) {
                found.retain(own_static);
            }
        }
        found.into_iter().map(|def| NameReferent::Def(def, no_env())).collect()
    }

    /// Returns what a name means in a namespace where `file` sees none of `all` that have it.
    fn c_unseen_member(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
        all: &[DefRef],
    ) -> Vec<NameReferent> {
        let program = self.program;
        // A macro may hide the prototype: linkage leaves one function by that name.
        let is_linked = |def: &&DefRef| {
            let def = program.def(**def);
            def.kind == DefKind::Function
                && !def.flags.has(DefFlags::FILE_LOCAL)
                && !def.flags.has(DefFlags::DECLARATION)
        };
        let linked: Vec<DefRef> = all.iter().filter(is_linked).copied().collect();
        if let ([only], Language::C) = (linked.as_slice(), program.facts(file).language)
            && includes(program).near(program, file, only.file)
        {
            return vec![NameReferent::Def(*only, no_env())];
        }
        if let Some(child) = program.child(module, name) {
            return vec![NameReferent::Module(child)];
        }
        match self.c_around_opened(file, module) {
            Some(around) => self.c_member(file, around, name),
            None => Vec::new(),
        }
    }

    /// Returns the definitions of `seen`, which are those of `all` by a name that `file` sees, also in files that it does not
    /// include.
    fn c_definitions(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
        all: &[DefRef],
        seen: &[DefRef],
    ) -> Vec<DefRef> {
        let program = self.program;
        let is_function = |def: &DefRef| program.def(*def).kind == DefKind::Function;
        let defined = |def: &&DefRef| !program.def(**def).flags.has(DefFlags::DECLARATION);
        let mut found: Vec<DefRef> = seen.iter().filter(defined).copied().collect();
        // A prototype stands for the definition in a file that isn't included, and so does a type without its body.
        let seen_defs: FxHashSet<DefRef> = seen.iter().copied().collect();
        let elsewhere = all.iter().filter(defined).filter(|def| {
            !seen_defs.contains(def) && !program.def(**def).flags.has(DefFlags::FILE_LOCAL)
        });
        if seen.iter().all(is_function) {
            for declared in seen {
                found.extend(self.attached.members(*declared, name));
            }
            let own_static =
                found.iter().any(|def| program.def(*def).flags.has(DefFlags::FILE_LOCAL));
            if !own_static {
                let near = self.c_declared(file, seen, elsewhere.copied().collect());
                found.extend(near);
            }
            if found.is_empty() {
                found = self.c_defined_beside(file, module, name, seen);
            }
        } else if found.is_empty() {
            found = self.c_nearest(file, elsewhere.filter(|def| program.def(**def).kind.is_type()));
        }
        found
    }

    /// The namespace around one that a macro opens, where `file` sees the macro: there stands what is in it.
    fn c_around_opened(&self, file: FileId, module: ModId) -> Option<ModId> {
        let (includes, module) = (includes(self.program), self.program.module(module));
        let is_seen = |opening: &FileId| includes.sees(file, *opening);
        module
            .parent
            .filter(|_| includes.is_opened(&module.name) && module.files.iter().any(is_seen))
    }

    /// Those of `elsewhere` that one of `declared` stands for, nearest first. In C++ there are others by the name. What the file
    /// itself defines is not defined elsewhere: a program links one.
    fn c_declared(
        &self,
        file: FileId,
        declared: &[DefRef],
        mut elsewhere: Vec<DefRef>,
    ) -> Vec<DefRef> {
        let program = self.program;
        let is_own = |def: &&DefRef| {
            def.file == file && !program.def(**def).flags.has(DefFlags::DECLARATION)
        };
        let own: Vec<DefRef> = declared.iter().filter(is_own).copied().collect();
        if !self.charge_comparisons((declared.len() + own.len()) * elsewhere.len()) {
            return Vec::new();
        }
        let overloads = program.facts(file).language != Language::C;
        elsewhere.retain(|def| !own.iter().any(|own| !overloads || self.c_resembles(*def, *own)));
        let stands = |def: &&DefRef| declared.iter().any(|other| self.c_resembles(**def, *other));
        let resembling: Vec<DefRef> = elsewhere.iter().filter(stands).copied().collect();
        let mut found = if resembling.is_empty() { elsewhere } else { resembling };
        // A body whose file does not see the prototype may be another program's.
        let is_linked =
            |def: &DefRef| declared.iter().any(|at| includes(program).sees(def.file, at.file));
        if found.iter().any(is_linked) {
            found.retain(is_linked);
        }
        self.c_nearest(file, found.iter())
    }

    /// The bodies, each in a file of its own, of the function that a header declares for `file`: those that include it.
    pub(crate) fn c_variants(&mut self, file: FileId, mut found: Vec<DefRef>) -> Vec<DefRef> {
        let program = self.program;
        let Some(first) = found.first().copied() else { return Vec::new() };
        let (name, params) = (program.def_name(first), program.def(first).params.len());
        let declared = self.c_prototypes(file, first);
        if !self.charge_search(declared.len() * found.len()) {
            return Vec::new();
        }
        found.retain(|def| declared.iter().any(|at| includes(program).sees(def.file, at.file)));
        let is_body = |def: &DefRef| {
            is_linked_body(program, *def)
                && program.def(*def).params.len() == params
                && program.def_name(*def) == name
                && (program.facts(def.file).language == Language::C
                    || self.c_resembles(*def, first))
        };
        let files: FxHashSet<FileId> = found.iter().map(|def| def.file).collect();
        if files.len() == found.len() && found.iter().all(is_body) { found } else { Vec::new() }
    }

    /// The prototypes of a body that stand in headers that its file includes, and so does another file with a body.
    pub(crate) fn c_variant_of(&mut self, body: DefRef) -> Vec<DefRef> {
        let program = self.program;
        if !is_linked_body(program, body) {
            return Vec::new();
        }
        let name = program.def_name(body);
        let all = match self.c_class_of(body) {
            Some(class) => self.attached.members(class, name),
            None => {
                program.top_level_named(program.module_at(body.file, program.def(body).outer), name)
            }
        };
        let has_overloads = program.facts(body.file).language != Language::C;
        let is_other = |def: &&DefRef| {
            def.file != body.file
                && is_linked_body(program, **def)
                && (!has_overloads || self.c_resembles(**def, body))
        };
        let others: Vec<DefRef> = all.iter().filter(is_other).copied().collect();
        if others.is_empty() || !self.charge_search(all.len()) {
            return Vec::new();
        }
        let mut declared = self.c_prototypes(body.file, body);
        if !self.charge_search(others.len() * declared.len()) {
            return Vec::new();
        }
        declared.retain(|at| {
            others.iter().any(|def| includes(program).sees(def.file, at.file))
                && (!has_overloads || self.c_resembles(*at, body))
        });
        declared
    }

    /// What headers that `file` includes declare by the name and with as many parameters as a function.
    fn c_prototypes(&mut self, file: FileId, function: DefRef) -> Vec<DefRef> {
        let program = self.program;
        let (def, name) = (program.def(function), program.def_name(function));
        let all = match self.c_class_of(function) {
            Some(class) => program.members_named(class, name),
            None => program.top_level_named(program.module_at(function.file, def.outer), name),
        };
        self.count_search(all.len());
        let declares = |at: &&DefRef| {
            let other = program.def(**at);
            other.kind == DefKind::Function
                && other.flags.has(DefFlags::DECLARATION)
                && other.params.len() == def.params.len()
                && is_header(program.path(at.file))
                && includes(program).sees(file, at.file)
        };
        all.iter().filter(declares).copied().collect()
    }

    /// The class of a body that stands outside of it.
    fn c_class_of(&mut self, body: DefRef) -> Option<DefRef> {
        match self.eval_type(body.file, self.program.def(body).receiver).each() {
            [Ty::Inst(class, _)] => Some(*class),
            _ => None,
        }
    }

    /// Takes operations for comparing the parameters of functions: a pair costs half as much as an evaluation.
    #[must_use]
    fn charge_comparisons(&self, pairs: usize) -> bool {
        self.charge(1 + pairs / 2)
    }

    /// Whether the parameters of two functions have types by the same names.
    fn c_resembles(&self, one: DefRef, other: DefRef) -> bool {
        let program = self.program;
        let (these, those) = (&program.def(one).params, &program.def(other).params);
        let named = |file: FileId, ty: TypeId| match program.facts(file).ty(ty) {
            TypeExpr::Named { path, .. } => path.last().map(|name| program.name_of(file, *name)),
            _ => None,
        };
        these.len() == those.len()
            && these.iter().zip(those).all(|(this, that)| {
                let names = (named(one.file, this.ty), named(other.file, that.ty));
                !matches!(names, (Some(this), Some(that)) if this != that)
            })
    }

    /// The definitions of what is only declared in a namespace that a macro opens, or around one: what stands behind the macro
    /// seems to be outside of it.
    fn c_defined_beside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
        declared: &[DefRef],
    ) -> Vec<DefRef> {
        let program = self.program;
        let is_opened = |module: &ModId| includes(program).is_opened(&program.module(*module).name);
        let around = program.module(module).parent.filter(|_| is_opened(&module));
        let inner = program.module(module).children.values().copied().filter(is_opened);
        let mut beside: Vec<ModId> = around.into_iter().chain(inner).collect();
        beside.sort_by(|a, b| program.module(*a).name.cmp(&program.module(*b).name));
        self.count_search(beside.len());
        let defines = |def: &&DefRef| {
            let found = program.def(**def);
            found.kind == DefKind::Function
                && !found.flags.has(DefFlags::DECLARATION)
                && !found.flags.has(DefFlags::FILE_LOCAL)
        };
        let named = beside.into_iter().flat_map(|module| program.top_level_named(module, name));
        let mut found: Vec<DefRef> = named.filter(defines).copied().collect();
        if !self.charge_comparisons(declared.len() * found.len()) {
            return Vec::new();
        }
        found.retain(|def| declared.iter().any(|other| self.c_resembles(*def, *other)));
        self.c_nearest(file, found.iter())
    }

    /// Those that share most folders with a file.
    fn c_nearest<'d>(
        &self,
        file: FileId,
        all: impl Iterator<Item = &'d DefRef> + Clone,
    ) -> Vec<DefRef> {
        let shared =
            |def: &DefRef| shared_folders(self.program.path(file), self.program.path(def.file));
        let best = all.clone().map(shared).max();
        all.filter(|def| Some(shared(def)) == best).copied().collect()
    }

    /// Returns what `using namespace` brings.
    fn c_used(&mut self, file: FileId, module: ModId, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let imports = program.glob_imports_of(module);
        if !self.charge_search(imports.len()) {
            return Vec::new();
        }
        for (from, import) in imports {
            if !includes(program).sees(file, *from) {
                continue;
            }
            for used in self.c_namespace(*from, *import) {
                let found = self.c_member(file, used, name);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    fn c_namespace(&mut self, file: FileId, id: ImportId) -> Vec<ModId> {
        let program = self.program;
        let import = program.facts(file).import(id);
        if import.level == 0 {
            return Vec::new();
        }
        let mut start = Some(program.module_at(file, import.scope));
        while let Some(module) = start {
            let mut at = Some(module);
            for part in &import.module {
                at = at.and_then(|at| program.child(at, program.name_of(file, *part)));
            }
            if let Some(found) = at {
                return vec![found];
            }
            start = program.module(module).parent;
        }
        Vec::new()
    }

    /// Returns what `using a::b` brings.
    pub(crate) fn c_import(&mut self, file: FileId, id: ImportId) -> Vec<NameReferent> {
        let import = self.program.facts(file).import(id);
        let name = match import.taken {
            ImportSelection::Name(name) => self.program.name_of(file, name),
            // Another name of a namespace.
            ImportSelection::Module => {
                return self.c_namespace(file, id).into_iter().map(NameReferent::Module).collect();
            }
            ImportSelection::All => return Vec::new(),
        };
        let mut found = Vec::new();
        for module in self.c_namespace(file, id) {
            found.extend(self.c_member(file, module, name));
        }
        found
    }
}

/// Whether a definition is a function with a body of which a program has one: that other files may call, and outside headers.
fn is_linked_body(program: &ProgramFacts<'_>, at: DefRef) -> bool {
    let def = program.def(at);
    // A body of C++ in a header is the same in all files that include it.
    let is_apart = match program.facts(at.file).language {
        Language::C => !def.receiver.is_known(),
        _ => !is_header(program.path(at.file)),
    };
    is_apart
        && def.kind == DefKind::Function
        && !def.flags.has(DefFlags::FILE_LOCAL)
        && !def.flags.has(DefFlags::DECLARATION)
}

fn is_header(path: &str) -> bool {
    CAPABILITIES.headers.iter().any(|end| path.ends_with(end))
}

/// Returns which files see which; the resolver asks for it only in files of C and C++.
fn includes<'a>(program: &'a ProgramFacts<'_>) -> &'a IncludedFiles {
    program.project().unwrap_or(IncludedFiles::NONE)
}
