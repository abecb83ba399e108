//! The public items of a crate as lines of text, so that a change of them shows as a change of a checked-in file.

use std::collections::BTreeSet;

use syn::{
    Attribute, Fields, Generics, ImplItem, Item, ItemImpl, TraitItem, Visibility, spanned::Spanned,
};

use crate::{
    Crate,
    crate_source::Module,
    function_sizes::type_name,
    module_cycles::{ModuleNames, ModulePathTarget},
};

/// Deepest nesting of modules that is followed.
const MAX_DEPTH: usize = 16;

/// Returns one sorted line for each item that other crates can name: modules, types with their public fields, variants and
/// methods, traits with their items, functions, constants, macros, and re-exports of other crates.
pub fn public_items(source: &Crate) -> Vec<String> {
    let mut api =
        Api { modules: &source.modules, names: ModuleNames::new(source), lines: BTreeSet::new() };
    api.module(0, "", MAX_DEPTH);
    api.lines.into_iter().collect()
}

/// Returns how many of the lines are items; fields and variants do not count.
pub fn count(lines: &[String]) -> usize {
    lines.iter().filter(|line| !line.starts_with("field ") && !line.starts_with("variant ")).count()
}

struct Api<'a> {
    modules: &'a [Module],
    names: ModuleNames<'a>,
    lines: BTreeSet<String>,
}

impl Api<'_> {
    fn module(&mut self, index: usize, prefix: &str, depth: usize) {
        let Some(depth) = depth.checked_sub(1) else { return };
        for (child, module) in self.modules.iter().enumerate() {
            if module.parent == Some(index) && module.is_public {
                let name = module.path.last().map_or("", String::as_str);
                self.lines.insert(format!("mod {prefix}{name}"));
                self.module(child, &format!("{prefix}{name}::"), depth);
            }
        }
        for item in &self.modules[index].items {
            self.item(index, item, prefix, None);
        }
        for import in self.names.imports[index].clone() {
            if !import.is_public {
                continue;
            }
            let target = self.names.resolve(index, &import.path);
            match (target, import.name) {
                (Some(ModulePathTarget::Module(module)), None) => {
                    self.module(module, prefix, depth);
                }
                (Some(ModulePathTarget::Module(module)), Some(name)) => {
                    self.lines.insert(format!("mod {prefix}{name}"));
                    self.module(module, &format!("{prefix}{name}::"), depth);
                }
                (Some(ModulePathTarget::Item(module)), Some(name)) => {
                    let original = import.path.last().map_or("", String::as_str);
                    for item in &self.modules[module].items {
                        if ident(item).is_some_and(|it| it == original) {
                            self.item(module, item, prefix, Some(&name));
                        }
                    }
                }
                (None, name) => {
                    let name = name.unwrap_or_else(|| "*".to_owned());
                    self.lines.insert(format!("use {prefix}{name} = {}", import.path.join("::")));
                }
                (Some(ModulePathTarget::Item(_)), None) => {}
            }
        }
    }

    fn item(&mut self, module: usize, item: &Item, prefix: &str, alias: Option<&str>) {
        let Some(own) = ident(item) else { return };
        let name = format!("{prefix}{}", alias.unwrap_or(&own));
        let text = &self.modules[module].text;
        let is_public = |visibility: &Visibility| matches!(visibility, Visibility::Public(_));
        match item {
            Item::Const(it) if is_public(&it.vis) => {
                self.lines.insert(format!("const {name}: {}", slice(text, &it.ty)));
            }
            Item::Static(it) if is_public(&it.vis) => {
                self.lines.insert(format!("static {name}: {}", slice(text, &it.ty)));
            }
            Item::Fn(it) if is_public(&it.vis) => {
                self.lines.insert(signature(text, prefix, &it.sig));
            }
            Item::Type(it) if is_public(&it.vis) => {
                self.lines.insert(format!("type {name} = {}", slice(text, &it.ty)));
            }
            Item::Macro(it) if is_exported(&it.attrs) => {
                self.lines.insert(format!("macro {name}!"));
            }
            Item::Struct(it) if is_public(&it.vis) => {
                self.lines.insert(format!("struct {name}{}", generics(text, &it.generics)));
                for (index, field) in it.fields.iter().enumerate() {
                    if is_public(&field.vis) {
                        let field_name =
                            field.ident.as_ref().map_or(index.to_string(), ToString::to_string);
                        let ty = slice(text, &field.ty);
                        self.lines.insert(format!("field {name}::{field_name}: {ty}"));
                    }
                }
                self.methods(module, &own, &name);
            }
            Item::Enum(it) if is_public(&it.vis) => {
                self.lines.insert(format!("enum {name}{}", generics(text, &it.generics)));
                for variant in &it.variants {
                    let fields = fields(text, &variant.fields);
                    self.lines.insert(format!("variant {name}::{}{fields}", variant.ident));
                }
                self.methods(module, &own, &name);
            }
            Item::Trait(it) if is_public(&it.vis) => {
                self.lines.insert(format!("trait {name}{}", generics(text, &it.generics)));
                for item in &it.items {
                    self.trait_item(module, item, &name);
                }
            }
            _ => {}
        }
    }

    fn trait_item(&mut self, module: usize, item: &TraitItem, name: &str) {
        let text = &self.modules[module].text;
        match item {
            TraitItem::Fn(it) => {
                let provided = if it.default.is_some() { " { … }" } else { "" };
                self.lines.insert(signature(text, &format!("{name}::"), &it.sig) + provided);
            }
            TraitItem::Const(it) => {
                self.lines.insert(format!("const {name}::{}: {}", it.ident, slice(text, &it.ty)));
            }
            TraitItem::Type(it) => {
                self.lines.insert(format!("type {name}::{}", it.ident));
            }
            _ => {}
        }
    }

    /// Adds the public items of the inherent impls of a type, in any module.
    fn methods(&mut self, module: usize, own: &str, name: &str) {
        for (index, place) in self.modules.iter().enumerate() {
            for item in &place.items {
                let Item::Impl(block) = item else { continue };
                if block.trait_.is_some() || !self.is_impl_of(index, block, module, own) {
                    continue;
                }
                for item in &block.items {
                    let line = match item {
                        ImplItem::Fn(it) if matches!(it.vis, Visibility::Public(_)) => {
                            signature(&place.text, &format!("{name}::"), &it.sig)
                        }
                        ImplItem::Const(it) if matches!(it.vis, Visibility::Public(_)) => {
                            format!("const {name}::{}: {}", it.ident, slice(&place.text, &it.ty))
                        }
                        _ => continue,
                    };
                    self.lines.insert(line);
                }
            }
        }
    }

    fn is_impl_of(&self, from: usize, block: &ItemImpl, module: usize, own: &str) -> bool {
        let syn::Type::Path(ty) = &*block.self_ty else { return false };
        if type_name(&block.self_ty) != own {
            return false;
        }
        let path: Vec<String> = ty.path.segments.iter().map(|it| it.ident.to_string()).collect();
        self.names.resolve(from, &path) == Some(ModulePathTarget::Item(module))
    }
}

fn ident(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(it) => &it.ident,
        Item::Enum(it) => &it.ident,
        Item::Fn(it) => &it.sig.ident,
        Item::Macro(it) => it.ident.as_ref()?,
        Item::Static(it) => &it.ident,
        Item::Struct(it) => &it.ident,
        Item::Trait(it) => &it.ident,
        Item::Type(it) => &it.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

fn is_exported(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|it| it.path().is_ident("macro_export"))
}

fn signature(text: &str, prefix: &str, signature: &syn::Signature) -> String {
    let written = slice(text, signature);
    let name = signature.ident.to_string();
    written.replacen(&format!("fn {name}"), &format!("fn {prefix}{name}"), 1)
}

fn generics(text: &str, generics: &Generics) -> String {
    if generics.params.is_empty() { String::new() } else { slice(text, generics) }
}

fn fields(text: &str, fields: &Fields) -> String {
    let types = |it: &syn::Field| {
        let ty = slice(text, &it.ty);
        it.ident.as_ref().map_or(ty.clone(), |name| format!("{name}: {ty}"))
    };
    let listed = fields.iter().map(types).collect::<Vec<_>>().join(", ");
    match fields {
        Fields::Named(_) => format!(" {{ {listed} }}"),
        Fields::Unnamed(_) => format!("({listed})"),
        Fields::Unit => String::new(),
    }
}

/// Returns the text of a node on one line, as rustfmt would write it.
fn slice(text: &str, node: &impl Spanned) -> String {
    let written = text.get(node.span().byte_range()).unwrap_or_default();
    let words = written.split_whitespace().collect::<Vec<_>>().join(" ");
    words
        .replace("( ", "(")
        .replace(", )", ")")
        .replace(",)", ")")
        .replace("< ", "<")
        .replace(", >", ">")
}
