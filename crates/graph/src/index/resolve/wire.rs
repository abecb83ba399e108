//! Nodes with numbers, and the edges that definitions make by being what they are: parents, supertypes, results,
//! parameters, fields, imports.

use super::{
    emit::{FileEdges, Found, FoundKind, caller as caller_of},
    session::{Entity, How, Session},
    types::Ty,
    world::{DefRef, FileId, World, number},
};
use crate::{
    facts::{DefId, DefKind, Expr, FileFacts, Flags, ImportId, SuperKind, Sym, Taken, TypeExpr},
    graph::{Edge, EdgeKind, Graph, Node, NodeId, NodeKind, OpenCall, Resolution},
    languages::Family,
};

/// An edge between definitions, or from or to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    pub(super) kind: EdgeKind,
    pub(super) from: End,
    pub(super) to: End,
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

    /// One whose end is chosen when the program runs.
    pub(crate) fn dynamic(kind: EdgeKind, from: End, to: End, line: u32) -> Self {
        Self { kind, from, to, line, how: How::Dynamic }
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
    world.told.correct(world, file, &mut shapes);
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

fn declared(session: &mut Session<'_, '_>, file: FileId, ty: crate::facts::TypeId) -> Vec<DefRef> {
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
                && session.stands_in(at, up)
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

/// A node by its file and its place among the file's nodes; the file's own is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) file: FileId,
    pub(crate) node: u32,
}

/// An edge between nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Link {
    pub(crate) from: Spot,
    pub(crate) kind: EdgeKind,
    pub(crate) to: Spot,
    pub(crate) line: u32,
    pub(crate) resolution: Resolution,
}

/// A call bound to nothing: node of the caller, name, line, and whether it is known to lead outside.
pub(crate) type Open<'p> = (u32, &'p str, u32, bool);

/// What one file's references and definitions come to; sorted.
#[derive(Debug, Default)]
pub(crate) struct Joined<'p> {
    pub(crate) links: Vec<Link>,
    pub(crate) open: Vec<Open<'p>>,
}

fn spot(world: &World<'_>, end: End) -> Option<Spot> {
    match end {
        End::File(file) => Some(Spot { file, node: 0 }),
        End::Def(at) => world.place(at).map(|node| Spot { file: at.file, node }),
    }
}

/// The definitions of a file that are nodes, in the order of their numbers, which begin at 1.
pub(crate) fn order(facts: &FileFacts) -> Vec<DefId> {
    let defs = &facts.defs;
    let ids = (0..defs.len()).map(|id| DefId(number(id)));
    let mut order: Vec<DefId> = ids.filter(|id| facts.is_named(*id)).collect();
    order.sort_by_key(|id| (defs[id.index()].start, *id));
    order
}

/// The nodes of a file.
pub(crate) fn nodes(world: &World<'_>, file: FileId) -> Vec<Node> {
    let defs = order(world.facts(file)).into_iter().map(|def| node(world, DefRef { file, def }));
    std::iter::once(file_node(world, file)).chain(defs).collect()
}

/// Edges between definitions as edges between nodes; those to what is no node are left out.
pub(crate) fn links(world: &World<'_>, shapes: Vec<Shape>) -> Vec<Link> {
    let link = |Shape { kind, from, to, line, how }| {
        let (from, to) = (spot(world, from)?, spot(world, to)?);
        Some(Link { from, kind, to, line, resolution: resolution(how) })
    };
    let mut links: Vec<Link> = shapes.into_iter().filter_map(link).collect();
    links.sort_unstable();
    links.dedup();
    links
}

/// What was found of a file, between nodes.
pub(crate) fn join<'p>(
    world: &'p World<'_>,
    file: FileId,
    edges: FileEdges,
    mut shapes: Vec<Shape>,
) -> Joined<'p> {
    let caller = |from: Option<DefRef>| from.map_or(End::File(file), End::Def);
    shapes.extend(edges.found.into_iter().filter_map(|Found { kind, from, to, line, how }| {
        let kind = match kind {
            FoundKind::Calls => EdgeKind::Calls,
            FoundKind::DecoratedBy => EdgeKind::DecoratedBy,
            FoundKind::References => EdgeKind::References,
        };
        let to = End::Def(world.named(to)?);
        Some(Shape { kind, from: caller(from), to, line, how })
    }));
    let mut open: Vec<Open<'p>> = edges
        .open
        .into_iter()
        .filter_map(|(place, outside)| {
            let reference = &world.facts(file).refs[place as usize];
            let from = reference.from.and_then(|def| caller_of(world, DefRef { file, def }));
            let name = called_name(world, file, reference.target)?;
            let from = spot(world, caller(from))?;
            Some((from.node, name, reference.line, outside))
        })
        .collect();
    open.sort_unstable();
    open.dedup();
    Joined { links: links(world, shapes), open }
}

/// Puts the nodes and edges of all files together.
pub(crate) fn graph(world: &World<'_>, joined: Vec<Joined<'_>>, structural: Vec<Link>) -> Graph {
    let mut nodes = Vec::new();
    let mut starts = Vec::new();
    for at in 0..world.len() {
        starts.push(number(nodes.len()));
        nodes.extend(self::nodes(world, FileId(number(at))));
    }
    let id = |spot: Spot| NodeId(starts[spot.file.index()] + spot.node);
    let edge = |Link { from, kind, to, line, resolution }| Edge {
        from: id(from),
        kind,
        to: id(to),
        line,
        resolution,
    };
    let mut edges: Vec<Edge> = structural.into_iter().map(edge).collect();
    let mut open = Vec::new();
    for (file, joined) in joined.into_iter().enumerate() {
        edges.extend(joined.links.into_iter().map(edge));
        open.extend(joined.open.into_iter().map(|(node, name, line, outside)| OpenCall {
            from: NodeId(starts[file] + node),
            name: name.to_owned(),
            line,
            outside,
        }));
    }
    Graph::new(nodes, edges, open)
}

fn resolution(how: How) -> Resolution {
    match how {
        How::Exact => Resolution::Exact,
        How::Inferred => Resolution::Inferred,
        How::Dynamic => Resolution::Dynamic,
    }
}

/// The word that is called or named.
pub(super) fn called_name<'p>(
    world: &'p World<'_>,
    file: FileId,
    target: crate::facts::ExprId,
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
        DefKind::Trait if world.family(at.file) == Family::Ruby => NodeKind::Module,
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
fn attached_to<'p>(world: &'p World<'_>, at: DefRef) -> Vec<&'p str> {
    let def = world.def(at);
    let written = match world.parent(at) {
        Some(block) if world.def(block).kind == DefKind::Impl => world.def(block).receiver,
        _ if def.kind == DefKind::Function || world.family(at.file) == Family::Ruby => def.receiver,
        _ => return Vec::new(),
    };
    let facts = world.facts(at.file);
    if world.family(at.file) == Family::EcmaScript {
        return Vec::new();
    }
    let last = |path: &[Sym]| path.last().map(|name| facts.text(*name)).into_iter().collect();
    match facts.ty(written) {
        TypeExpr::Named { path, .. } if world.family(at.file) == Family::Ruby => {
            path.iter().map(|name| facts.text(*name)).filter(|part| !part.is_empty()).collect()
        }
        TypeExpr::Named { path, args, .. }
            if path.last().is_some_and(|name| super::known::is_transparent(facts.text(*name))) =>
        {
            match args.first().map(|inner| facts.ty(*inner)) {
                Some(TypeExpr::Named { path, .. }) => last(path),
                _ => Vec::new(),
            }
        }
        TypeExpr::Named { path, .. } => last(path),
        _ => Vec::new(),
    }
}

pub(super) fn qname(world: &World<'_>, at: DefRef) -> String {
    let separator = world.family(at.file).separator();
    if world.family(at.file) == Family::Ruby
        && let Some(holder) = world.parent(at).and_then(|parent| world.named(parent))
    {
        // By its first part's name, wherever it was opened again.
        return format!(
            "{}{separator}{}",
            qname(world, world.whole(holder)),
            world.text(world.def_name(at))
        );
    }
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
