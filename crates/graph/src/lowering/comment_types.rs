//! Types in comments, written in the notation of another language of the program, as JSDoc writes TypeScript's. The comments are
//! parsed as a text of their own, in which each type keeps its place; that language's table lowers them.

use std::ops::Range;

use retriever_workspace::clip;

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Import, ImportSelection,
        ModuleExport, ScopeId, ScopeKind, SupertypeKind, TypeExpr, TypeId, TypeParam,
    },
    lowering::{
        comment_type_tree::{CommentModule, CommentTag, CommentTagKind, CommentTypeTree},
        lowering_context::{LoweringContext, kids},
    },
    syntax::SyntaxNode,
};

/// Bytes between a comment and what it is about.
const MAX_HEAD: usize = 300;

impl<'t> LoweringContext<'t> {
    /// Adds what comments import and declare for the whole file.
    pub(super) fn comment_declarations(&mut self) {
        let Some(types) = self.comment_types else { return };
        for CommentModule { local, module, line } in types.modules {
            let (local, module) = (self.sym(local), vec![self.sym(module)]);
            self.push_import(Import {
                module,
                level: 0,
                taken: ImportSelection::Module,
                local: Some(local),
                scope: ScopeId(0),
                line: *line,
                public: false,
                by_comment: true,
            });
        }
        for at in 0..types.tags.len() {
            let (tag, node) = &types.tags[at];
            match (tag.kind, node) {
                (CommentTagKind::Import, Some(node)) => {
                    let own = std::mem::replace(&mut self.table, types.table);
                    let first = self.facts.imports.len();
                    self.node(*node);
                    let added = self.facts.imports[first..].iter_mut();
                    added.for_each(|import| import.by_comment = true);
                    self.table = own;
                }
                (CommentTagKind::Alias | CommentTagKind::Callback, _) => self.comment_alias(at),
                _ => {}
            }
        }
    }

    /// Marks what has its type from a comment: where comments tell types nothing else declares one.
    pub(super) fn mark_told_types(&mut self) {
        if self.comment_types.is_some() {
            for def in self.facts.defs.iter_mut().filter(|def| def.ty.is_known()) {
                def.flags = def.flags.with(DefFlags::TYPED_BY_COMMENT);
            }
        }
    }

    /// Returns the declared type of a local and its value; what a comment tells stands beside the value.
    pub(super) fn told_value(&mut self, ty: TypeId, value: ExprId) -> (TypeId, ExprId) {
        if self.comment_types.is_none() || !ty.is_known() || !value.is_known() {
            return (ty, value);
        }
        let told = self.push(Expr::Typed(ty));
        (TypeId::UNKNOWN, self.push(Expr::Either(vec![told, value])))
    }

    /// Declares the type that a comment names. Every module may take it, as if it were exported.
    fn comment_alias(&mut self, at: usize) {
        let Some(types) = self.comment_types else { return };
        let (tag, _) = &types.tags[at];
        let following = types.tags[at + 1..].iter();
        let following = following.take_while(|(next, _)| next.comment == tag.comment);
        let is_part = |kind| !matches!(kind, CommentTagKind::Alias | CommentTagKind::Callback);
        let own: Vec<_> = following.take_while(|(next, _)| is_part(next.kind)).collect();
        let Some(node) = types.tags[at].1.or_else(|| own.iter().find_map(|(_, node)| *node)) else {
            return;
        };
        let has_properties = own.iter().any(|(next, _)| next.kind == CommentTagKind::Property);
        let is_object = tag.kind == CommentTagKind::Alias && has_properties;
        let name = self.sym(&tag.name);
        let kind = if is_object { DefKind::Interface } else { DefKind::Alias };
        let id = self.new_def(kind, name, node, None);
        self.declare(id);
        self.mark(id, DefFlags::EXPORTED);
        let alias_tag = types.notation.alias_tag;
        self.def_mut(id).signature = clip(&format!("{alias_tag} {}", tag.name), 200);
        let outer = self.enter(id, if is_object { ScopeKind::Type } else { ScopeKind::Block });
        self.comment_type_params(id, tag.comment.end);
        if is_object {
            // A name with a dot is that of a field of a field.
            let is_field =
                |tag: &CommentTag| tag.kind == CommentTagKind::Property && !tag.name.contains('.');
            for (property, ty) in own.into_iter().filter(|(tag, _)| is_field(tag)) {
                let Some(node) = *ty else { continue };
                let name = self.sym(&property.name);
                let field = self.new_def(DefKind::Field, name, node, None);
                let ty = self.comment_type(node);
                self.def_mut(field).ty = ty;
            }
        } else {
            let is_callback = tag.kind == CommentTagKind::Callback;
            let ty = if is_callback { self.callback_type(own) } else { self.comment_type(node) };
            self.def_mut(id).ty = ty;
        }
        self.at = outer;
        let value = self.push(Expr::Def(id));
        self.push_export(ModuleExport::Value { name, value });
    }

    /// Returns the type of the functions that take and give back what tags say.
    fn callback_type(&mut self, tags: Vec<&(&'t CommentTag, Option<SyntaxNode<'t>>)>) -> TypeId {
        let mut params = Vec::new();
        let mut result = TypeId::UNKNOWN;
        for (tag, ty) in tags {
            let ty = ty.map_or(TypeId::UNKNOWN, |node| self.comment_type(node));
            match tag.kind {
                CommentTagKind::Param if !tag.name.contains('.') => params.push(ty),
                CommentTagKind::Result => result = ty,
                _ => {}
            }
        }
        self.push_type(TypeExpr::Function { receiver: TypeId::UNKNOWN, params, result })
    }

    /// Sets the types of a function's parameters and result from the comment above it, where it declares none.
    pub(super) fn comment_function(&mut self, id: DefId, node: SyntaxNode<'t>) {
        let Some((types, own)) = self.comment_tags(node) else { return };
        self.comment_type_params(id, types.tags[own.start].0.comment.end);
        let mut place = 0;
        for (tag, ty) in &types.tags[own] {
            match tag.kind {
                CommentTagKind::Param if !tag.name.contains('.') => {
                    let name = self.sym(&tag.name);
                    let params = &self.facts.def(id).params;
                    let named = params.iter().position(|param| param.name == name);
                    // A pattern has no name to go by.
                    let is_pattern = |at: &usize| {
                        params.get(*at).is_some_and(|it| self.facts.text(it.name).starts_with('\0'))
                    };
                    let found = named.or(Some(place).filter(is_pattern));
                    place += 1;
                    let found = found.filter(|at| !self.facts.def(id).params[*at].ty.is_known());
                    if let (Some(at), Some(node)) = (found, *ty) {
                        let mut ty = self.comment_type(node);
                        if tag.is_each && self.facts.def(id).params[at].variadic {
                            ty = self.push_type(TypeExpr::Array(ty));
                        }
                        self.def_mut(id).params[at].ty = ty;
                    }
                }
                CommentTagKind::Result if !self.facts.def(id).ty.is_known() => {
                    if let Some(node) = *ty {
                        let ty = self.comment_type(node);
                        self.def_mut(id).ty = ty;
                    }
                }
                CommentTagKind::Value if !self.facts.def(id).receiver.is_known() => {
                    if let Some(node) = *ty {
                        let ty = self.comment_type(node);
                        self.def_mut(id).receiver = ty;
                    }
                }
                _ => {}
            }
        }
    }

    /// Adds the types that the comment above a class says that it implements.
    pub(super) fn comment_supers(&mut self, id: DefId, node: SyntaxNode<'t>) {
        let Some((types, own)) = self.comment_tags(node) else { return };
        for (tag, ty) in &types.tags[own] {
            if let (CommentTagKind::Implements, Some(node)) = (tag.kind, ty) {
                let ty = self.comment_type(*node);
                if ty.is_known() {
                    self.def_mut(id).supers.push((SupertypeKind::Implements, ty));
                }
            }
        }
    }

    /// Returns the type that a declaration has: the one that it is declared with, else that of the comment above it.
    pub(super) fn declared_type(
        &mut self,
        ty: Option<SyntaxNode<'t>>,
        node: SyntaxNode<'t>,
    ) -> TypeId {
        if let Some(ty) = ty {
            return self.annotation(ty);
        }
        let Some((types, own)) = self.comment_tags(node) else { return TypeId::UNKNOWN };
        let value = types.tags[own].iter().find(|(tag, _)| tag.kind == CommentTagKind::Value);
        value.and_then(|(_, node)| *node).map_or(TypeId::UNKNOWN, |node| self.comment_type(node))
    }

    /// Binds the type parameters that the comment which ends at a byte names.
    fn comment_type_params(&mut self, id: DefId, end: usize) {
        let Some(types) = self.comment_types else { return };
        let first = types.tags.partition_point(|(tag, _)| tag.comment.end < end);
        let own = types.tags[first..].iter().take_while(|(tag, _)| tag.comment.end == end);
        // One comment may name many types.
        let budget = self.syntax.budget();
        let own = own.take_while(|_| budget.spend(1).is_ok());
        for (tag, node) in own.filter(|(tag, _)| tag.kind == CommentTagKind::TypeParam) {
            for name in tag.name.split(',') {
                let name = self.sym(name);
                let place = u16::try_from(self.facts.def(id).type_params.len()).unwrap_or(u16::MAX);
                self.bind(name, 0, BindingTarget::TypeParam(id, place));
                let bound = node.map_or(TypeId::UNKNOWN, |node| self.comment_type(node));
                self.def_mut(id).type_params.push(TypeParam { name, bound });
            }
        }
    }

    /// Returns the tags of the comment right before a node: between them stands at most the beginning of what the node is a
    /// part of.
    fn comment_tags(
        &self,
        node: SyntaxNode<'t>,
    ) -> Option<(&'t CommentTypeTree<'t>, Range<usize>)> {
        let types = self.comment_types?;
        let start = node.start_byte();
        let behind = types.tags.partition_point(|(tag, _)| tag.comment.end <= start);
        let (last, _) = types.tags[..behind].last()?;
        let (comment, end) = (last.comment.start, last.comment.end);
        if start - end > MAX_HEAD || !self.syntax.look_at(start - end) {
            return None;
        }
        let between = self.source.get(end..start)?;
        let signs = types.notation.head_signs;
        let is_head = |c: char| c.is_alphanumeric() || c.is_whitespace() || signs.contains(c);
        // What begins on the line before is something else.
        let is_above = between.chars().all(is_head)
            && between.matches('\n').count() < 2
            && !between.trim_start().contains('\n');
        let first = types.tags.partition_point(|(tag, _)| tag.comment.start < comment);
        is_above.then_some((types, first..behind))
    }

    /// Lowers the type of a tag.
    fn comment_type(&mut self, statement: SyntaxNode<'t>) -> TypeId {
        let Some(types) = self.comment_types else { return TypeId::UNKNOWN };
        let Some(ty) = statement.named_child(0).and_then(|value| kids(value).last().copied())
        else {
            return TypeId::UNKNOWN;
        };
        let own = std::mem::replace(&mut self.table, types.table);
        let lowered = self.annotation(ty);
        self.table = own;
        lowered
    }

    /// Returns the type that a node is declared with, else the one that a comment with nothing but space behind it tells.
    pub(super) fn inline_type(
        &mut self,
        ty: Option<SyntaxNode<'t>>,
        node: SyntaxNode<'t>,
    ) -> TypeId {
        let is_typed = ty.is_some()
            || (self.comment_types.is_some()
                && self.source[..node.start_byte()].trim_end().ends_with("*/"));
        if is_typed { self.declared_type(ty, node) } else { TypeId::UNKNOWN }
    }

    /// Returns the type that a comment says that a value in parentheses has.
    pub(super) fn comment_assertion(&mut self, node: SyntaxNode<'t>) -> TypeId {
        if self.source.as_bytes().get(node.start_byte()) == Some(&b'(') {
            self.inline_type(None, node)
        } else {
            TypeId::UNKNOWN
        }
    }
}
