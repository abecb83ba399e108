//! Nodes with numbers, and the edges that definitions make by being what they are: parents, supertypes, results,
//! parameters, fields, imports.

use rustc_hash::FxHashMap;

use super::{
    emit::{FileEdges, Found, FoundKind},
    session::{Entity, How, Session},
    types::Ty,
    world::{DefRef, FileId, World, number},
};
use crate::{
    graph::{Edge, EdgeKind, Graph, Node, NodeId, NodeKind, OpenCall, Resolution},
    index::{
        facts::{DefId, DefKind, Expr, Flags, ImportId, SuperKind, Taken},
        languages::Family,
    },
};

/// An edge between definitions, or from or to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    kind: EdgeKind,
    from: End,
    to: End,
    line: u32,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum End {
    File(FileId),
    Def(DefRef),
}

impl Shape {
    pub(crate) fn new(kind: EdgeKind, from: End, to: End, line: u32) -> Self {
        Self { kind, from, to, line, how: How::Exact }
    }
}

/// The edges of a file's definitions and imports.
pub(crate) fn shape_of(session: &mut Session<'_, '_>, file: FileId) -> Vec<Shape> {
    let world = session.world;
    let facts = world.facts(file);
    let mut shapes = Vec::new();
    for (id, def) in facts.defs.iter().enumerate() {
        let this = DefRef { file, def: DefId(number(id)) };
        session.refuel();
        let here = End::Def(this);
        let mut put = |kind, from, to, line, how| shapes.push(Shape { kind, from, to, line, how });
        if def.kind == DefKind::Impl {
            let hosts = session.eval_type(file, def.receiver);
            for host in hosts.each() {
                if let Ty::Inst(host, _) = host {
                    for (_, ty) in &def.supers {
                        for up in defs_in(&session.eval_type(file, *ty)) {
                            put(
                                EdgeKind::Implements,
                                End::Def(*host),
                                End::Def(up),
                                def.start,
                                How::Exact,
                            );
                        }
                    }
                }
            }
            continue;
        }
        if !world.is_named(this) && def.kind != DefKind::Object {
            continue;
        }
        if world.is_named(this) {
            let parent = owner_type(session, this)
                .or_else(|| world.parent(this).and_then(|p| world.named(p)));
            put(
                EdgeKind::Parent,
                here,
                parent.map_or(End::File(file), End::Def),
                def.start,
                How::Exact,
            );
        }
        match def.kind {
            DefKind::Function => {
                for ty in declared(session, file, def.ty) {
                    put(EdgeKind::Returns, here, End::Def(ty), def.name_line, How::Exact);
                }
                for param in &def.params {
                    for ty in declared(session, file, param.ty) {
                        put(EdgeKind::ParamOf, End::Def(ty), here, def.name_line, How::Exact);
                    }
                }
                for (up, kind) in overridden(session, this) {
                    put(kind, here, End::Def(up), def.name_line, How::Exact);
                }
            }
            DefKind::Field | DefKind::Variable => {
                for ty in declared(session, file, def.ty) {
                    put(EdgeKind::FieldType, here, End::Def(ty), def.name_line, How::Exact);
                }
            }
            _ => {
                for (kind, ty) in &def.supers {
                    for up in defs_in(&session.eval_type(file, *ty)) {
                        if !world.is_named(up) || !world.is_named(this) {
                            continue;
                        }
                        let interface =
                            matches!(world.def(up).kind, DefKind::Interface | DefKind::Trait);
                        let itself = matches!(def.kind, DefKind::Interface | DefKind::Trait);
                        let kind = match kind {
                            SuperKind::Inherits if interface && !itself => EdgeKind::Implements,
                            SuperKind::Inherits => EdgeKind::Inherits,
                            SuperKind::Implements => EdgeKind::Implements,
                        };
                        put(kind, here, End::Def(up), def.start, How::Exact);
                    }
                }
            }
        }
    }
    imports(session, file, &mut shapes);
    shapes.sort_unstable();
    shapes.dedup();
    shapes
}

fn imports(session: &mut Session<'_, '_>, file: FileId, shapes: &mut Vec<Shape>) {
    let world = session.world;
    for (id, import) in world.facts(file).imports.iter().enumerate() {
        let id = ImportId(number(id));
        session.refuel();
        let from = End::File(file);
        let mut put = |to| {
            if to != from {
                shapes.push(Shape {
                    kind: EdgeKind::Imports,
                    from,
                    to,
                    line: import.line,
                    how: How::Exact,
                });
            }
        };
        let entities =
            if import.taken == Taken::All { Vec::new() } else { session.import(file, id) };
        for entity in entities {
            if let Entity::Def(def, _) = entity
                && world.is_named(def)
            {
                put(End::Def(def));
            }
        }
        for module in session.import_module(file, id) {
            if let [only] = world.module(module).files.as_slice() {
                put(End::File(*only));
            }
        }
    }
}

fn declared(
    session: &mut Session<'_, '_>,
    file: FileId,
    ty: crate::index::facts::TypeId,
) -> Vec<DefRef> {
    defs_in(&session.eval_type(file, ty))
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
fn owner_type(session: &mut Session<'_, '_>, at: DefRef) -> Option<DefRef> {
    let world = session.world;
    let def = world.def(at);
    let written = match world.parent(at) {
        Some(block) if world.def(block).kind == DefKind::Impl => world.def(block).receiver,
        _ if def.kind == DefKind::Function
            && world.family(at.file) != Family::EcmaScript
            && def.receiver.is_known() =>
        {
            def.receiver
        }
        _ => return None,
    };
    match session.eval_type(at.file, written).each() {
        [Ty::Inst(owner, _)] if world.is_named(*owner) => Some(*owner),
        _ => None,
    }
}

/// The methods of supertypes that a method stands in for.
fn overridden(session: &mut Session<'_, '_>, at: DefRef) -> Vec<(DefRef, EdgeKind)> {
    let world = session.world;
    let Some(holder) = world.parent(at) else { return Vec::new() };
    let def = world.def(at);
    let is_type = world.def(holder).kind.is_type() || world.def(holder).kind == DefKind::Namespace;
    if !is_type || def.flags.has(Flags::CONSTRUCTOR) {
        return Vec::new();
    }
    let name = world.def_name(at);
    let supers: Vec<Ty> = match world.def(holder).kind {
        DefKind::Impl => {
            let written = world.def(holder).supers.clone();
            written.iter().map(|(_, ty)| session.eval_type(holder.file, *ty)).collect()
        }
        _ => session.supers(world.whole(holder)),
    };
    let mut found = Vec::new();
    for ty in supers {
        for entity in session.member(&ty, name) {
            if let Entity::Def(up, _) = entity
                && up != at
                && world.def(up).kind == DefKind::Function
            {
                let abstract_home = world.parent(up).is_some_and(|home| {
                    matches!(world.def(home).kind, DefKind::Interface | DefKind::Trait)
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

/// Puts nodes and edges together.
pub(crate) fn graph(
    world: &World<'_>,
    edges: Vec<(FileEdges, Vec<Shape>)>,
    structural: Vec<Shape>,
) -> Graph {
    let mut nodes = Vec::new();
    let mut ids: FxHashMap<End, NodeId> = FxHashMap::default();
    for at in 0..world.files.len() {
        let file = FileId(number(at));
        let facts = world.facts(file);
        ids.insert(End::File(file), NodeId(number(nodes.len())));
        nodes.push(file_node(world, file));
        let mut order: Vec<usize> = (0..facts.defs.len()).collect();
        order.sort_by_key(|id| (facts.defs[*id].start, *id));
        for id in order {
            let this = DefRef { file, def: DefId(number(id)) };
            if world.is_named(this) {
                ids.insert(End::Def(this), NodeId(number(nodes.len())));
                nodes.push(node(world, this));
            }
        }
    }
    let mut all = Vec::new();
    for Shape { kind, from, to, line, how } in structural {
        if let (Some(from), Some(to)) = (ids.get(&from), ids.get(&to)) {
            all.push(Edge { from: *from, kind, to: *to, line, resolution: resolution(how) });
        }
    }
    let mut open = Vec::new();
    for (at, (found, shapes)) in edges.into_iter().enumerate() {
        let file = FileId(number(at));
        let caller =
            |from: Option<DefRef>| ids.get(&from.map_or(End::File(file), End::Def)).copied();
        for Found { kind, from, to, line, how } in found.found {
            let (Some(from), Some(to)) =
                (caller(from), world.named(to).and_then(|to| ids.get(&End::Def(to)).copied()))
            else {
                continue;
            };
            let kind = match kind {
                FoundKind::Calls => EdgeKind::Calls,
                FoundKind::DecoratedBy => EdgeKind::DecoratedBy,
                FoundKind::References => EdgeKind::References,
            };
            all.push(Edge { from, kind, to, line, resolution: resolution(how) });
        }
        for (place, outside) in found.open {
            let reference = &world.facts(file).refs[place as usize];
            let from = reference.from.and_then(|def| world.named(DefRef { file, def }));
            let name = called_name(world, file, reference.target);
            if let (Some(from), Some(name)) = (caller(from), name) {
                open.push(OpenCall { from, name: name.to_owned(), line: reference.line, outside });
            }
        }
        for Shape { kind, from, to, line, how } in shapes {
            if let (Some(from), Some(to)) = (ids.get(&from), ids.get(&to)) {
                all.push(Edge { from: *from, kind, to: *to, line, resolution: resolution(how) });
            }
        }
    }
    Graph::new(nodes, all, open)
}

fn resolution(how: How) -> Resolution {
    match how {
        How::Exact => Resolution::Exact,
        How::Inferred => Resolution::Inferred,
        How::Dynamic => Resolution::Dynamic,
    }
}

fn called_name<'p>(
    world: &World<'p>,
    file: FileId,
    target: crate::index::facts::ExprId,
) -> Option<&'p str> {
    let facts = world.facts(file);
    match facts.expr(target) {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(facts.text(*name)),
        _ => None,
    }
}

fn file_node(world: &World<'_>, file: FileId) -> Node {
    let path = world.path(file);
    let module = world.module(world.module_of[file.index()]);
    let facts = world.facts(file);
    Node {
        kind: NodeKind::File,
        name: path.rsplit('/').next().unwrap_or(path).to_owned(),
        qname: if module.files.len() == 1 && !module.name.is_empty() {
            module.name.clone()
        } else {
            path.to_owned()
        },
        path: path.to_owned(),
        start: 1,
        end: facts.lines.max(1),
        name_line: 1,
        signature: String::new(),
        doc: String::new(),
        language: facts.language,
        is_method: false,
        is_async: false,
        is_private: false,
        is_declaration: false,
    }
}

fn node(world: &World<'_>, at: DefRef) -> Node {
    let def = world.def(at);
    let kind = match def.kind {
        DefKind::Function => NodeKind::Function,
        DefKind::Class => NodeKind::Class,
        DefKind::Struct => NodeKind::Struct,
        DefKind::Interface => NodeKind::Interface,
        DefKind::Trait => NodeKind::Trait,
        DefKind::Enum => NodeKind::Enum,
        DefKind::Variant => NodeKind::Variant,
        DefKind::Alias => NodeKind::Alias,
        DefKind::Field => NodeKind::Field,
        DefKind::Variable => NodeKind::Variable,
        DefKind::Macro => NodeKind::Macro,
        DefKind::Namespace | DefKind::Impl | DefKind::Object => NodeKind::Module,
    };
    let in_type = world.parent(at).is_some_and(|parent| world.def(parent).kind.is_type());
    let flags = def.flags;
    Node {
        kind,
        name: world.text(world.def_name(at)).to_owned(),
        qname: qname(world, at),
        path: world.path(at.file).to_owned(),
        start: def.start,
        end: def.end,
        name_line: def.name_line,
        signature: def.signature.clone(),
        doc: def.doc.clone(),
        language: world.facts(at.file).language,
        is_method: def.kind == DefKind::Function && (in_type || def.receiver.is_known()),
        is_async: flags.has(Flags::ASYNC),
        is_private: flags.has(Flags::PRIVATE),
        is_declaration: flags.has(Flags::DECLARATION),
    }
}

/// The name of the type that a member is attached to from outside, as it is written there.
fn attached_to<'p>(world: &World<'p>, at: DefRef) -> Option<&'p str> {
    let def = world.def(at);
    let written = match world.parent(at) {
        Some(block) if world.def(block).kind == DefKind::Impl => world.def(block).receiver,
        _ if def.kind == DefKind::Function => def.receiver,
        _ => return None,
    };
    let facts = world.facts(at.file);
    if world.family(at.file) == Family::EcmaScript {
        return None;
    }
    match facts.ty(written) {
        crate::index::facts::TypeExpr::Named { path, args, .. }
            if path.last().is_some_and(|name| super::known::is_transparent(facts.text(*name))) =>
        {
            match args.first().map(|inner| facts.ty(*inner)) {
                Some(crate::index::facts::TypeExpr::Named { path, .. }) => {
                    path.last().map(|name| facts.text(*name))
                }
                _ => None,
            }
        }
        crate::index::facts::TypeExpr::Named { path, .. } => {
            path.last().map(|name| facts.text(*name))
        }
        _ => None,
    }
}

fn qname(world: &World<'_>, at: DefRef) -> String {
    let separator = world.family(at.file).separator();
    let mut name = world.module(world.module_of[at.file.index()]).name.clone();
    let attached = attached_to(world, at);
    let chain = world.chain(at);
    let (last, above) =
        chain.split_last().map_or((None, &chain[..]), |(last, above)| (Some(*last), above));
    for part in above.iter().map(|def| world.text(world.def_name(*def))).chain(attached) {
        if !name.is_empty() {
            name.push_str(separator);
        }
        name.push_str(part);
    }
    if let Some(def) = last {
        if !name.is_empty() {
            name.push_str(separator);
        }
        name.push_str(world.text(world.def_name(def)));
    }
    name
}
