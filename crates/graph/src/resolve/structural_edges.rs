//! Makes the structural edges of a file: parents, supertypes, results, parameters, fields, imports.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ImportId, ImportSelection, SupertypeKind, TypeExpr, TypeId,
    },
    graph_model::EdgeKind,
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, FileId, ProgramFacts, number},
        resolved_edge::{DefinitionEdge, EdgeEnd},
        type_inference::{NameReferent, TypeInference},
    },
};

/// The edges of a file's definitions and imports.
pub(crate) fn structure_edges(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
) -> Vec<DefinitionEdge> {
    let program = inference.program;
    let mut edges = Vec::new();
    for (id, def) in program.facts(file).defs.iter().enumerate() {
        let this = DefRef { file, def: DefId(number(id)) };
        inference.begin_question();
        if def.kind == DefKind::Impl {
            implemented_traits(inference, this, &mut edges);
            continue;
        }
        if def.kind == DefKind::Object && def.receiver.is_known() {
            prototype_chain(inference, this, &mut edges);
        }
        if def.kind == DefKind::Object && def.ty.is_known() {
            implemented_by_literal(inference, this, &mut edges);
        }
        let is_node = program.is_named(this);
        if !is_node && def.kind != DefKind::Object {
            continue;
        }
        let here = EdgeEnd::Def(this);
        if is_node {
            let parent = owner_type(inference, this)
                .or_else(|| program.parent(this).and_then(|p| program.named(p)));
            let parent = parent.map_or(EdgeEnd::File(file), EdgeEnd::Def);
            edges.push(DefinitionEdge::new(EdgeKind::Parent, here, parent, def.start));
        }
        match def.kind {
            DefKind::Function => function_edges(inference, this, &mut edges),
            DefKind::Field | DefKind::Variable => {
                for ty in declared(inference, file, def.ty) {
                    let ty = EdgeEnd::Def(ty);
                    edges.push(DefinitionEdge::new(EdgeKind::FieldType, here, ty, def.name_line));
                }
            }
            _ if is_node => {
                supertypes(inference, this, &mut edges);
                declarations_of_body(inference, this, &mut edges);
            }
            _ => {}
        }
    }
    imports(inference, file, &mut edges);
    inference.overlay.correct(program, file, &mut edges);
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The traits that an `impl` block implements for its type. The file does it for what is no type of the repository: tuples,
/// type parameters, types from elsewhere.
fn implemented_traits(
    inference: &mut TypeInference<'_, '_>,
    block: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let def = inference.program.def(block);
    let hosts = values_of(&inference.eval_type(block.file, def.receiver)).into_iter();
    let hosts = hosts.filter(|host| inference.program.is_named(*host)).map(EdgeEnd::Def);
    let mut hosts: Vec<EdgeEnd> = hosts.collect();
    if hosts.is_empty() {
        hosts.push(EdgeEnd::File(block.file));
    }
    for (kind, ty) in &def.supers {
        for up in values_of(&inference.eval_type(block.file, *ty)) {
            let edge = |host: &EdgeEnd| {
                let kind = kind_of(inference.program, *kind, *host, up)?;
                Some(DefinitionEdge::new(kind, *host, EdgeEnd::Def(up), def.start))
            };
            edges.extend(hosts.iter().filter_map(edge));
        }
    }
}

/// The interfaces whose functions an object literal has that is declared to be one.
fn implemented_by_literal(
    inference: &mut TypeInference<'_, '_>,
    object: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let program = inference.program;
    let members = program.members_in_order(object);
    let functions = members.iter().filter(|member| program.def(**member).kind == DefKind::Function);
    let functions: Vec<DefRef> = functions.copied().collect();
    inference.count_search(members.len());
    let def = program.def(object);
    // What holds the literal stands for it; else the file does.
    let holder = program.parent(object).filter(|holder| {
        let held = program.facts(object.file).expr(program.def(*holder).value);
        program.is_named(*holder) && matches!(held, Expr::Def(held) if *held == object.def)
    });
    let from = holder.map_or(EdgeEnd::File(object.file), EdgeEnd::Def);
    let line = holder.map_or(def.start, |holder| program.def(holder).name_line);
    if !functions.iter().any(|function| !overridden(inference, *function).is_empty()) {
        return;
    }
    for up in values_of(&inference.eval_type(object.file, def.ty)) {
        let up = alias_of_object(program, up).unwrap_or(up);
        if matches!(program.def(up).kind, DefKind::Interface | DefKind::Alias) {
            edges.push(DefinitionEdge::new(EdgeKind::Implements, from, EdgeEnd::Def(up), line));
        }
    }
}

/// The alias that an object's type is declared by: `type Handler = { handle(): void }`.
fn alias_of_object(program: &ProgramFacts<'_>, object: DefRef) -> Option<DefRef> {
    let alias = program.parent(object).filter(|_| program.def(object).kind == DefKind::Object)?;
    (program.def(alias).kind == DefKind::Alias).then_some(alias)
}

/// What the function or class that an object adds to builds on through it.
fn prototype_chain(
    inference: &mut TypeInference<'_, '_>,
    object: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let program = inference.program;
    let def = program.def(object);
    for host in constructors(&inference.eval_type(object.file, def.receiver)) {
        for (_, ty) in &def.supers {
            for up in constructors(&inference.eval_type(object.file, *ty)) {
                if up != host && program.is_named(up) && program.is_named(host) {
                    let (host, up) = (EdgeEnd::Def(host), EdgeEnd::Def(up));
                    edges.push(DefinitionEdge::new(EdgeKind::Inherits, host, up, def.start));
                }
            }
        }
    }
}

/// The types and functions whose objects values of a type are.
fn constructors(ty: &Ty) -> Vec<DefRef> {
    let made = ty.each().iter().filter_map(|ty| match ty {
        Ty::Inst(def, _) | Ty::Func(def, _) => Some(*def),
        _ => None,
    });
    made.collect()
}

/// The types of a function's result and parameters, and the methods that it stands in for.
fn function_edges(
    inference: &mut TypeInference<'_, '_>,
    this: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let def = inference.program.def(this);
    let here = EdgeEnd::Def(this);
    for ty in declared(inference, this.file, def.ty) {
        edges.push(DefinitionEdge::new(EdgeKind::Returns, here, EdgeEnd::Def(ty), def.name_line));
    }
    for param in &def.params {
        for ty in declared(inference, this.file, param.ty) {
            edges.push(DefinitionEdge::new(
                EdgeKind::ParamOf,
                EdgeEnd::Def(ty),
                here,
                def.name_line,
            ));
        }
    }
    let body_of = inference.rules(this.file).variant_of(inference, this);
    for declaration in body_of.into_iter().filter(|at| inference.program.is_named(*at)) {
        let (from, to) = (EdgeEnd::File(this.file), EdgeEnd::Def(declaration));
        edges.push(DefinitionEdge::new(EdgeKind::Imports, from, to, def.name_line));
    }
    for (up, kind) in overridden(inference, this) {
        edges.push(DefinitionEdge::new(kind, here, EdgeEnd::Def(up), def.name_line));
    }
    declarations_of_body(inference, this, edges);
}

/// What other files declare, and leave to a platform.
fn declarations_of_body(
    inference: &TypeInference<'_, '_>,
    this: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let line = inference.program.def(this).name_line;
    for declaration in inference.declarations_of_body(this) {
        let (from, to) = (EdgeEnd::Def(this), EdgeEnd::Def(declaration));
        edges.push(DefinitionEdge::new(EdgeKind::Implements, from, to, line));
    }
}

/// What a type inherits from or implements.
fn supertypes(
    inference: &mut TypeInference<'_, '_>,
    this: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let program = inference.program;
    let def = program.def(this);
    for (kind, ty) in &def.supers {
        let mut above = match (inference.eval_type(this.file, *ty), kind) {
            // What is mixed into the type itself.
            (Ty::Tuple(mixed), SupertypeKind::Implements) => {
                mixed.iter().flat_map(values_of).collect()
            }
            (ty, _) => values_of(&ty),
        };
        if program.capabilities(this.file).prototype.is_some() {
            let made = constructors(&inference.eval_type(this.file, *ty)).into_iter();
            above.extend(made.filter(|up| program.def(*up).kind == DefKind::Function));
        }
        for up in above {
            if !program.is_named(up) {
                continue;
            }
            let (from, to) = (EdgeEnd::Def(this), EdgeEnd::Def(up));
            let Some(kind) = kind_of(program, *kind, from, up) else { continue };
            edges.push(DefinitionEdge::new(kind, from, to, def.name_line));
        }
    }
}

/// Whether `from` inherits from `up` or implements it, where its text may not tell; `None` when it only requires it.
fn kind_of(
    program: &ProgramFacts<'_>,
    written: SupertypeKind,
    from: EdgeEnd,
    up: DefRef,
) -> Option<EdgeKind> {
    let is_abstract =
        |def: DefRef| matches!(program.def(def).kind, DefKind::Interface | DefKind::Trait);
    let is_below = match from {
        EdgeEnd::Def(from) => is_abstract(from),
        EdgeEnd::File(_) => false,
    };
    match written {
        SupertypeKind::Inherits if is_below || !is_abstract(up) => Some(EdgeKind::Inherits),
        SupertypeKind::Inherits | SupertypeKind::Implements => Some(EdgeKind::Implements),
        SupertypeKind::Required | SupertypeKind::Companion => None,
    }
}

fn imports(inference: &mut TypeInference<'_, '_>, file: FileId, edges: &mut Vec<DefinitionEdge>) {
    let program = inference.program;
    for (id, import) in program.facts(file).imports.iter().enumerate() {
        let id = ImportId(number(id));
        inference.begin_question();
        let from = EdgeEnd::File(file);
        let mut put = |to| {
            if to != from {
                edges.push(DefinitionEdge::new(EdgeKind::Imports, from, to, import.line));
            }
        };
        let referents = if import.taken == ImportSelection::All {
            Vec::new()
        } else {
            inference.import(file, id)
        };
        for referent in referents {
            if let NameReferent::Def(def, _) = referent
                && program.is_named(def)
            {
                put(EdgeEnd::Def(def));
            }
        }
        for module in inference.import_module(file, id) {
            if let [only] = program.module(module).files.as_slice() {
                put(EdgeEnd::File(*only));
            }
        }
    }
}

/// Types inside one another that an annotation is searched for.
const MAX_TYPE_DEPTH: u32 = 6;

/// Returns the types of the repository that an annotation names, including type arguments. Of an alias only the types of its
/// values count, since the alias itself names the others.
fn declared(inference: &mut TypeInference<'_, '_>, file: FileId, ty: TypeId) -> Vec<DefRef> {
    let mut found = Vec::new();
    let mut open = vec![(ty, 0)];
    while let Some((ty, depth)) = open.pop() {
        let inner = match inference.program.facts(file).ty(ty) {
            TypeExpr::Member(..) => &[],
            written => written.inner(),
        };
        for def in values_of(&inference.eval_type(file, ty)) {
            if !found.contains(&def) {
                found.push(def);
            }
        }
        if depth < MAX_TYPE_DEPTH && !inference.is_exhausted() {
            open.extend(inner.iter().rev().map(|ty| (*ty, depth + 1)));
        }
    }
    found
}

/// The repository's types that values of a type are of; what its arguments name is not among them.
fn values_of(ty: &Ty) -> Vec<DefRef> {
    let is_value = |ty: &Ty| match ty {
        Ty::Inst(def, _) | Ty::Class(def, _) => Some(*def),
        _ => None,
    };
    ty.each().iter().filter_map(is_value).collect()
}

/// The type that a member is attached to from outside its declaration.
fn owner_type(inference: &mut TypeInference<'_, '_>, at: DefRef) -> Option<DefRef> {
    let program = inference.program;
    let def = program.def(at);
    let written = match program.parent(at) {
        Some(block) if program.def(block).kind == DefKind::Impl => program.def(block).receiver,
        Some(object)
            if program.def(object).kind == DefKind::Object
                && program.capabilities(at.file).prototype.is_some() =>
        {
            program.def(object).receiver
        }
        _ if def.kind == DefKind::Function
            && (program.capabilities(at.file).receivers_own
                || program.capabilities(at.file).prototype.is_some()
                    && def.flags.has(DefFlags::ASSIGNED))
            && def.receiver.is_known() =>
        {
            def.receiver
        }
        _ => return None,
    };
    match inference.eval_type(at.file, written).each() {
        [Ty::Inst(owner, _) | Ty::Func(owner, _)] if program.is_named(*owner) => Some(*owner),
        _ => None,
    }
}

/// Whether a field is declared to hold a function: `run: (x: number) => void`.
fn holds_function(inference: &mut TypeInference<'_, '_>, field: DefRef) -> bool {
    let ty = inference.eval_type(field.file, inference.program.def(field).ty);
    ty.each().iter().any(|ty| matches!(ty, Ty::FuncType(..)))
}

/// What a type builds on, without what it only requires.
fn inherited(inference: &mut TypeInference<'_, '_>, at: DefRef) -> Vec<Ty> {
    let mut supers = inference.supers(at);
    for (kind, ty) in &inference.program.def(at).supers {
        if *kind == SupertypeKind::Required {
            let required = inference.eval_type(at.file, *ty);
            supers.retain(|up| *up != required);
        }
    }
    supers
}

/// The methods of supertypes that a method stands in for.
fn overridden(inference: &mut TypeInference<'_, '_>, at: DefRef) -> Vec<(DefRef, EdgeKind)> {
    let program = inference.program;
    let Some(holder) = program.parent(at) else { return Vec::new() };
    let def = program.def(at);
    let told = program.def(holder).ty;
    let is_told = program.def(holder).kind == DefKind::Object && told.is_known();
    let is_type =
        program.def(holder).kind.is_type() || program.def(holder).kind == DefKind::Namespace;
    if !is_type || def.flags.has(DefFlags::CONSTRUCTOR) {
        return Vec::new();
    }
    let name = program.def_name(at);
    let supers: Vec<Ty> = match program.def(holder).kind {
        DefKind::Impl => {
            let written = program.def(holder).supers.clone();
            written.iter().map(|(_, ty)| inference.eval_type(holder.file, *ty)).collect()
        }
        DefKind::Object if is_told => vec![inference.eval_type(holder.file, told)],
        _ => inherited(inference, program.look_up_canonical(holder)),
    };
    let mut found = Vec::new();
    for ty in supers {
        for referent in inference.member(&ty, name) {
            let NameReferent::Def(up, _) = referent else { continue };
            let abstract_home = program.parent(up).is_some_and(|home| {
                matches!(program.def(home).kind, DefKind::Interface | DefKind::Trait)
                    || is_told && alias_of_object(program, home).is_some()
            });
            let is_replaced = match program.def(up).kind {
                DefKind::Function if is_told && !abstract_home => false,
                DefKind::Function => up != at && inference.stands_in(at, up),
                DefKind::Field => abstract_home && holds_function(inference, up),
                _ => false,
            };
            if is_replaced {
                found.push((
                    up,
                    if abstract_home { EdgeKind::Implements } else { EdgeKind::Inherits },
                ));
            }
        }
    }
    found
}
