//! Which module uses which, and the cycles among them. Names are resolved through re-exports to the module that
//! declares the item; calls of methods are not, since that would need types.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use syn::Item;

use crate::{
    Crate,
    crate_source::Module,
    imports::{self, Import},
};

/// Most re-exports of re-exports that are followed.
const MAX_STEPS: usize = 16;

/// The target of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModulePathTarget {
    /// A module, by its index.
    Module(usize),
    /// An item that the module with this index declares.
    Item(usize),
}

impl ModulePathTarget {
    fn module(self) -> usize {
        match self {
            Self::Module(index) | Self::Item(index) => index,
        }
    }
}

/// The names of a crate's modules.
pub(crate) struct ModuleNames<'a> {
    modules: &'a [Module],
    children: Vec<HashMap<&'a str, usize>>,
    declared: Vec<HashSet<String>>,
    pub(crate) imports: Vec<Vec<Import>>,
}

impl<'a> ModuleNames<'a> {
    pub(crate) fn new(source: &'a Crate) -> Self {
        let modules = &source.modules;
        let mut children = vec![HashMap::new(); modules.len()];
        for (index, module) in modules.iter().enumerate() {
            if let (Some(parent), Some(name)) = (module.parent, module.path.last()) {
                children[parent].insert(name.as_str(), index);
            }
        }
        Self {
            modules,
            children,
            declared: modules.iter().map(|it| declared(&it.items)).collect(),
            imports: modules.iter().map(|it| imports::of_items(&it.items)).collect(),
        }
    }

    /// Returns the target of `path` inside the module `from`; `None` for names of other crates and local names.
    pub(crate) fn resolve(&self, from: usize, path: &[String]) -> Option<ModulePathTarget> {
        self.resolve_within(from, path, MAX_STEPS)
    }

    fn resolve_within(
        &self,
        from: usize,
        path: &[String],
        steps: usize,
    ) -> Option<ModulePathTarget> {
        let steps = steps.checked_sub(1)?;
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => ModulePathTarget::Module(0),
            "self" => ModulePathTarget::Module(from),
            "super" => ModulePathTarget::Module(self.modules[from].parent?),
            name => self.lookup(from, name, steps)?,
        };
        while let (ModulePathTarget::Module(module), Some((name, others))) =
            (target, rest.split_first())
        {
            target = match name.as_str() {
                "super" => ModulePathTarget::Module(self.modules[module].parent?),
                "self" => target,
                // A macro makes it, or it is a variant, which is not collected.
                name => self.lookup(module, name, steps).unwrap_or(ModulePathTarget::Item(module)),
            };
            rest = others;
        }
        Some(target)
    }

    fn lookup(&self, module: usize, name: &str, steps: usize) -> Option<ModulePathTarget> {
        if let Some(child) = self.children[module].get(name) {
            return Some(ModulePathTarget::Module(*child));
        }
        if self.declared[module].contains(name) {
            return Some(ModulePathTarget::Item(module));
        }
        let imports = &self.imports[module];
        // An import of another crate's item under its own name resolves to nothing.
        let mut named = imports.iter().filter(|import| {
            import.name.as_deref() == Some(name)
                && import.path.first().map(String::as_str) != Some(name)
        });
        if let Some(import) = named.next() {
            return self.resolve_within(module, &import.path, steps);
        }
        imports.iter().filter(|import| import.name.is_none()).find_map(|glob| {
            let ModulePathTarget::Module(inside) =
                self.resolve_within(module, &glob.path, steps)?
            else {
                return None;
            };
            let steps = steps.checked_sub(1)?;
            (inside != module).then(|| self.lookup(inside, name, steps))?
        })
    }
}

fn declared(items: &[Item]) -> HashSet<String> {
    let name = |item: &Item| {
        Some(match item {
            Item::Const(item) => item.ident.to_string(),
            Item::Enum(item) => item.ident.to_string(),
            Item::Fn(item) => item.sig.ident.to_string(),
            Item::Macro(item) => item.ident.as_ref()?.to_string(),
            Item::Static(item) => item.ident.to_string(),
            Item::Struct(item) => item.ident.to_string(),
            Item::Trait(item) => item.ident.to_string(),
            Item::TraitAlias(item) => item.ident.to_string(),
            Item::Type(item) => item.ident.to_string(),
            Item::Union(item) => item.ident.to_string(),
            _ => return None,
        })
    };
    items.iter().filter_map(name).collect()
}

/// A use of one module by another, with the path as it is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ModuleUse {
    /// Index of the module that has the path.
    pub from: usize,
    /// Index of the module that declares the target.
    pub to: usize,
    /// The path as it is written there.
    pub path: String,
}

/// Returns the uses of modules by other modules of a crate.
pub fn uses(source: &Crate) -> Vec<ModuleUse> {
    let names = ModuleNames::new(source);
    let mut found = Vec::new();
    for (from, module) in source.modules.iter().enumerate() {
        for path in imports::paths(&module.items) {
            if let Some(target) = names.resolve(from, &path)
                && target.module() != from
            {
                found.push(ModuleUse { from, to: target.module(), path: path.join("::") });
            }
        }
    }
    found
}

/// Modules of one folder that use one another in a cycle.
#[derive(Clone, Debug)]
pub struct ModuleCycle {
    /// Their parent module.
    pub folder: String,
    /// Names of the children, sorted.
    pub members: Vec<String>,
    /// One line for each member that uses another, those with the fewest uses first, since they are the easiest to
    /// remove.
    pub uses: Vec<String>,
}

/// Returns the cycles among the children of each module; modules below a child count as the child. Folders for which
/// `is_exempt` returns true are skipped with everything in them.
///
/// A parent and its children are one unit here: a folder's `mod.rs` may declare what its files share, and re-export them.
pub fn cycles(source: &Crate, is_exempt: impl Fn(&[String]) -> bool) -> Vec<ModuleCycle> {
    let uses = uses(source);
    let mut found = Vec::new();
    for folder in &source.modules {
        if is_exempt(&folder.path) {
            continue;
        }
        let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let child = |index: usize| {
            let path = &source.modules[index].path;
            let inside = path.len() > folder.path.len() && path.starts_with(&folder.path);
            inside.then(|| path[folder.path.len()].as_str())
        };
        for used in &uses {
            if let (Some(from), Some(to)) = (child(used.from), child(used.to))
                && from != to
            {
                edges.entry(from).or_default().insert(to);
            }
        }
        for members in components(&edges) {
            let between = |used: &&ModuleUse| {
                let (from, to) = (child(used.from)?, child(used.to)?);
                let is_inside = from != to && members.contains(from) && members.contains(to);
                is_inside.then_some((from, to))
            };
            let mut examples: BTreeMap<(&str, &str), Vec<&ModuleUse>> = BTreeMap::new();
            for used in &uses {
                if let Some(edge) = between(&used) {
                    examples.entry(edge).or_default().push(used);
                }
            }
            found.push(ModuleCycle {
                folder: folder.display(),
                members: members.iter().map(|it| (*it).to_owned()).collect(),
                uses: describe(source, &examples),
            });
        }
    }
    found
}

fn describe(source: &Crate, examples: &BTreeMap<(&str, &str), Vec<&ModuleUse>>) -> Vec<String> {
    let mut edges: Vec<_> = examples.iter().collect();
    edges.sort_by_key(|(_, uses)| uses.len());
    let line = |((from, to), uses): (&(&str, &str), &Vec<&ModuleUse>)| {
        let named: Vec<String> = uses
            .iter()
            .take(3)
            .map(|used| format!("{} in {}", used.path, source.modules[used.from].file))
            .collect();
        format!("{from} uses {to}, {} times: {}", uses.len(), named.join(", "))
    };
    edges.into_iter().map(line).collect()
}

/// Returns the strongly connected components of more than one node.
fn components<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<BTreeSet<&'a str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|start| (*start, reachable(edges, start))).collect();
    let mut found: Vec<BTreeSet<&str>> = Vec::new();
    for (start, from_start) in &reached {
        if !from_start.contains(start) || found.iter().any(|it| it.contains(start)) {
            continue;
        }
        let is_back = |it: &&&str| reached.get(**it).is_some_and(|back| back.contains(start));
        found.push(from_start.iter().filter(is_back).copied().collect());
    }
    found
}

fn reachable<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, start: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![start];
    while let Some(node) = open.pop() {
        for next in edges.get(node).into_iter().flatten() {
            if found.insert(*next) {
                open.push(next);
            }
        }
    }
    found
}
