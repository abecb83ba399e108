//! Sizes of functions: lines from the signature to the closing brace, and parameters.

use syn::{
    FnArg, ImplItemFn, Item, ItemFn, ItemImpl, Pat, PatType, Signature, TraitItemFn, Type,
    spanned::Spanned,
    visit::{self, Visit},
};

use crate::Crate;

/// One function with a body.
#[derive(Clone, Debug)]
pub struct FunctionSize {
    /// `Type::name` for a method, else the name.
    pub name: String,
    /// The file, relative to the workspace.
    pub file: String,
    /// Line of the `fn`.
    pub line: usize,
    /// Lines from the `fn` to the closing brace; doc comments and attributes don't count.
    pub lines: usize,
    /// Parameters without `self`; a tuple counts as many as it has parts.
    pub parameters: usize,
    /// Parameters, and parts of tuples, whose type is `bool`.
    pub booleans: usize,
    /// Parameters that are taken apart where they are named: `(a, b): (A, B)`.
    pub tuples: usize,
}

/// Returns all functions of a crate that have a body, by file and line.
pub fn functions(source: &Crate) -> Vec<FunctionSize> {
    let mut found = Vec::new();
    for module in &source.modules {
        let mut visitor = Visitor { file: &module.file, owner: String::new(), found: &mut found };
        for item in &module.items {
            visitor.visit_item(item);
        }
    }
    found.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    found
}

struct Visitor<'a> {
    file: &'a str,
    owner: String,
    found: &'a mut Vec<FunctionSize>,
}

impl Visitor<'_> {
    fn add(&mut self, signature: &Signature, body: &syn::Block) {
        let line = signature.span().start().line;
        let name = signature.ident.to_string();
        let named = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        });
        let is_tuple =
            |typed: &&PatType| matches!((&*typed.pat, &*typed.ty), (Pat::Tuple(_), Type::Tuple(_)));
        let tuples = named.clone().filter(is_tuple).count();
        let values: Vec<&Type> = named.map(|typed| &*typed.ty).flat_map(parts).collect();
        self.found.push(FunctionSize {
            name: if self.owner.is_empty() { name } else { format!("{}::{name}", self.owner) },
            file: self.file.to_owned(),
            line,
            lines: body.span().end().line - line + 1,
            parameters: values.len(),
            booleans: values.iter().filter(|ty| is_bool(ty)).count(),
            tuples,
        });
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let owner = std::mem::take(&mut self.owner);
        if let Item::Trait(item) = item {
            self.owner = item.ident.to_string();
        }
        visit::visit_item(self, item);
        self.owner = owner;
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        self.owner = type_name(&item.self_ty);
        visit::visit_item_impl(self, item);
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(body) = &item.default {
            self.add(&item.sig, body);
        }
        visit::visit_trait_item_fn(self, item);
    }
}

/// Returns the last name of a type's path, through references; other types have none.
pub(crate) fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => {
            path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default()
        }
        Type::Reference(reference) => type_name(&reference.elem),
        _ => String::new(),
    }
}

/// Returns the types that a parameter's value is made of: those of a tuple, else its own.
fn parts(ty: &Type) -> Vec<&Type> {
    match ty {
        Type::Tuple(tuple) => tuple.elems.iter().flat_map(parts).collect(),
        ty => vec![ty],
    }
}

fn is_bool(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.is_ident("bool"))
}
