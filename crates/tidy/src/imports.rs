//! Collects the paths that a module names: imports, and paths in its code.

use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Item, ItemUse, Macro, Path, UseTree,
    visit::{self, Visit},
};

/// One leaf of a `use` declaration.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    /// The imported name; `None` for a glob.
    pub(crate) name: Option<String>,
    /// The imported path; for a glob that of the module.
    pub(crate) path: Vec<String>,
    /// Whether it is declared `pub`.
    pub(crate) is_public: bool,
}

/// Returns the imports among the items of a module.
pub(crate) fn of_items(items: &[Item]) -> Vec<Import> {
    let mut found = Vec::new();
    for item in items {
        if let Item::Use(item) = item {
            of_use(item, &mut found);
        }
    }
    found
}

fn of_use(item: &ItemUse, found: &mut Vec<Import>) {
    let is_public = matches!(item.vis, syn::Visibility::Public(_));
    leaves(&item.tree, &mut Vec::new(), &mut |name, path| {
        found.push(Import { name, path, is_public });
    });
}

fn leaves(
    tree: &UseTree,
    prefix: &mut Vec<String>,
    leaf: &mut impl FnMut(Option<String>, Vec<String>),
) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            leaves(&path.tree, prefix, leaf);
            prefix.pop();
        }
        UseTree::Name(name) if name.ident == "self" => leaf(prefix.last().cloned(), prefix.clone()),
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            leaf(Some(name.clone()), joined(prefix, name));
        }
        UseTree::Rename(rename) => {
            let path = match rename.ident.to_string() {
                name if name == "self" => prefix.clone(),
                name => joined(prefix, name),
            };
            leaf(Some(rename.rename.to_string()), path);
        }
        UseTree::Glob(_) => leaf(None, prefix.clone()),
        UseTree::Group(group) => {
            for tree in &group.items {
                leaves(tree, prefix, leaf);
            }
        }
    }
}

fn joined(prefix: &[String], name: String) -> Vec<String> {
    prefix.iter().cloned().chain([name]).collect()
}

/// Returns every path in the items: imports at any depth, types, expressions, and arguments of macros that start with
/// `crate`, `self` or `super`.
pub(crate) fn paths(items: &[Item]) -> Vec<Vec<String>> {
    let mut visitor = Paths { found: Vec::new() };
    for item in items {
        visitor.visit_item(item);
    }
    visitor.found.sort();
    visitor.found.dedup();
    visitor.found
}

struct Paths {
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        leaves(&item.tree, &mut Vec::new(), &mut |_, path| self.found.push(path));
    }

    fn visit_path(&mut self, path: &'ast Path) {
        self.found.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // The path of `pub(in …)` does not use the module.
    }

    fn visit_macro(&mut self, node: &'ast Macro) {
        self.tokens(node.tokens.clone());
        visit::visit_macro(self, node);
    }
}

impl Paths {
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut joins = 0;
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Punct(punct) if punct.as_char() == ':' && !path.is_empty() => {
                    joins += 1;
                    continue;
                }
                TokenTree::Ident(name) if joins == 2 => {
                    path.push(name.to_string());
                    joins = 0;
                    continue;
                }
                TokenTree::Ident(name)
                    if ["crate", "self", "super"].iter().any(|it| name == it) =>
                {
                    self.finish(&mut path);
                    path.push(name.to_string());
                    joins = 0;
                    continue;
                }
                _ => {}
            }
            self.finish(&mut path);
            joins = 0;
        }
        self.finish(&mut path);
    }

    fn finish(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.found.push(path);
        }
    }
}
