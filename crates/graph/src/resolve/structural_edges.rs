//! Makes the structural edges of a file: parents, supertypes, results, parameters, fields, imports.

use crate::{
    facts::{DefFlags, DefId, DefKind, ImportId, ImportSelection, SupertypeKind},
    graph_model::EdgeKind,
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, FileId, number},
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

/// The traits that an `impl` block implements for its type.
fn implemented_traits(
    inference: &mut TypeInference<'_, '_>,
    block: DefRef,
    edges: &mut Vec<DefinitionEdge>,
) {
    let def = inference.program.def(block);
    let hosts = inference.eval_type(block.file, def.receiver);
    for host in hosts.each() {
        let Ty::Inst(host, _) = host else { continue };
        for (_, ty) in &def.supers {
            for up in declared(inference, block.file, *ty) {
                let (host, up) = (EdgeEnd::Def(*host), EdgeEnd::Def(up));
                edges.push(DefinitionEdge::new(EdgeKind::Implements, host, up, def.start));
            }
        }
    }
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
    let is_abstract = |kind| matches!(kind, DefKind::Interface | DefKind::Trait);
    for (kind, ty) in &def.supers {
        let mut above = declared(inference, this.file, *ty);
        if program.capabilities(this.file).prototype.is_some() {
            let made = constructors(&inference.eval_type(this.file, *ty)).into_iter();
            above.extend(made.filter(|up| program.def(*up).kind == DefKind::Function));
        }
        for up in above {
            if !program.is_named(up) {
                continue;
            }
            let implements = is_abstract(program.def(up).kind) && !is_abstract(def.kind);
            let kind = match kind {
                SupertypeKind::Inherits if !implements => EdgeKind::Inherits,
                SupertypeKind::Inherits | SupertypeKind::Implements => EdgeKind::Implements,
                SupertypeKind::Required => continue,
            };
            let (from, to) = (EdgeEnd::Def(this), EdgeEnd::Def(up));
            edges.push(DefinitionEdge::new(kind, from, to, def.name_line));
        }
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
        let entities = if import.taken == ImportSelection::All {
            Vec::new()
        } else {
            inference.import(file, id)
        };
        for entity in entities {
            if let NameReferent::Def(def, _) = entity
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

fn declared(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    ty: crate::facts::TypeId,
) -> Vec<DefRef> {
    defs_in(&inference.eval_type(file, ty))
}

/// The repository's types that a type names, arguments included.
fn defs_in(ty: &Ty) -> Vec<DefRef> {
    fn walk(ty: &Ty, found: &mut Vec<DefRef>, depth: u32) {
        if depth > 6 {
            return;
        }
        match ty {
            Ty::Inst(def, args) | Ty::Class(def, args) => {
                if !found.contains(def) {
                    found.push(*def);
                }
                args.iter().for_each(|arg| walk(arg, found, depth + 1));
            }
            Ty::Ext(_, args) | Ty::Tuple(args) | Ty::Union(args) => {
                args.iter().for_each(|arg| walk(arg, found, depth + 1));
            }
            Ty::List(inner) => walk(inner, found, depth + 1),
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(ty, &mut found, 0);
    found
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

/// The methods of supertypes that a method stands in for.
fn overridden(inference: &mut TypeInference<'_, '_>, at: DefRef) -> Vec<(DefRef, EdgeKind)> {
    let program = inference.program;
    let Some(holder) = program.parent(at) else { return Vec::new() };
    let def = program.def(at);
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
        _ => inference.supers(program.look_up_canonical(holder)),
    };
    let mut found = Vec::new();
    for ty in supers {
        for entity in inference.member(&ty, name) {
            if let NameReferent::Def(up, _) = entity
                && up != at
                && program.def(up).kind == DefKind::Function
                && inference.stands_in(at, up)
            {
                let abstract_home = program.parent(up).is_some_and(|home| {
                    matches!(program.def(home).kind, DefKind::Interface | DefKind::Trait)
                });
                found.push((
                    up,
                    if abstract_home { EdgeKind::Implements } else { EdgeKind::Inherits },
                ));
            }
        }
    }
    found
}
