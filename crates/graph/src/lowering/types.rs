//! Lowers type annotations.

use crate::{
    facts::{TypeExpr, TypeId, TypeRef, TypeUse},
    lowering::lowering_context::{LoweringContext, MAX_PARTS, index, kids},
    syntax::{
        SyntaxNode,
        grammar_table::{Role, Slot},
        syntax_node_fields::SyntaxNodeFields,
    },
};

impl<'t> LoweringContext<'t> {
    /// Lowers a type by its node's role.
    pub(crate) fn ty(&mut self, node: SyntaxNode<'t>) -> TypeId {
        if self.type_depth > 40 {
            return TypeId::UNKNOWN;
        }
        self.type_depth += 1;
        let ty = self.ty_at(node);
        if node.has_error() {
            self.unread_children(node);
        }
        self.type_depth -= 1;
        ty
    }

    fn ty_at(&mut self, node: SyntaxNode<'t>) -> TypeId {
        let table = self.table;
        let Some(rule) = table.rule(node) else { return self.dialect.special_type(self, node) };
        let parts = self.parts_by(rule, node);
        match rule.role {
            Role::TypeName | Role::Ident => {
                let name = self.sym_of(node);
                self.named(vec![name], Vec::new(), node)
            }
            Role::TypePath | Role::Member => self.qualified_type(node, &parts),
            Role::TypeGeneric | Role::Index => self.generic_type(rule.role, node, &parts),
            Role::TypeArray => {
                let inner = match parts.get(Slot::Type) {
                    Some(inner) => {
                        // The length.
                        kids(node).into_iter().filter(|part| *part != inner).for_each(|part| {
                            self.node(part);
                        });
                        self.ty(inner)
                    }
                    None => self.only_child_type(node),
                };
                self.push_type(TypeExpr::Array(inner))
            }
            Role::TypeTuple => {
                let items = self.type_list(node);
                self.push_type(TypeExpr::Tuple(items))
            }
            Role::TypeUnion | Role::Either => {
                let items = self.type_list(node);
                let items = self.flat_union(items);
                self.push_type(TypeExpr::Union(items))
            }
            Role::TypeFunction => {
                let result =
                    parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |result| self.ty(result));
                let params =
                    parts.get(Slot::Params).map(|list| self.param_types(list)).unwrap_or_default();
                self.push_type(TypeExpr::Function { receiver: TypeId::UNKNOWN, params, result })
            }
            Role::TypeThis => {
                let scope = self.at.scope;
                self.push_type(TypeExpr::This(scope))
            }
            Role::Pass => match parts.get(Slot::Value) {
                Some(inner) => self.ty(inner),
                None => self.only_child_type(node),
            },
            Role::Call | Role::New => self.type_of(node),
            // A part of a tuple that has a name.
            Role::Param => parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |inner| self.ty(inner)),
            Role::Skip | Role::Erased | Role::Comment => TypeId::UNKNOWN,
            _ => self.dialect.special_type(self, node),
        }
    }

    /// The type of a value that stands in the place of a type: `decltype(f())`.
    pub(crate) fn type_of(&mut self, node: SyntaxNode<'t>) -> TypeId {
        let value = self.node(node);
        if value.is_known() { self.push_type(TypeExpr::TypeOf(value)) } else { TypeId::UNKNOWN }
    }

    fn qualified_type(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> TypeId {
        let (Some(name), object) = (parts.get(Slot::Name), parts.get(Slot::Object)) else {
            return self.dialect.special_type(self, node);
        };
        let name_sym = self.sym_of(name);
        let Some(object) = object else {
            return self.named(vec![name_sym], Vec::new(), node);
        };
        let base = self.ty(object);
        match &mut self.facts.types[base.index()] {
            TypeExpr::Named { path, args, .. } if args.is_empty() => {
                path.push(name_sym);
                base
            }
            TypeExpr::Unknown => TypeId::UNKNOWN,
            _ => self.push_type(TypeExpr::Member(base, name_sym)),
        }
    }

    fn generic_type(
        &mut self,
        role: Role,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) -> TypeId {
        let name = parts.get(Slot::Name).or(parts.get(Slot::Object));
        let Some(name) = name else { return self.dialect.special_type(self, node) };
        let base = self.ty(name);
        let given = match parts.get(Slot::Args) {
            Some(list) if role == Role::TypeGeneric => self.type_list(list),
            Some(_) => kids(node)
                .into_iter()
                .filter(|part| *part != name)
                .map(|part| self.ty(part))
                .collect(),
            None => Vec::new(),
        };
        if let TypeExpr::Named { args, .. } = &mut self.facts.types[base.index()] {
            *args = given;
        }
        base
    }

    pub(crate) fn named(
        &mut self,
        mut path: Vec<crate::facts::Sym>,
        args: Vec<TypeId>,
        node: SyntaxNode<'_>,
    ) -> TypeId {
        path.truncate(MAX_PARTS);
        let (scope, pos) = (self.at.scope, index(node.start_byte()));
        self.push_type(TypeExpr::Named { path, args, scope, pos })
    }

    /// The types of all named children.
    pub(crate) fn type_list(&mut self, list: SyntaxNode<'t>) -> Vec<TypeId> {
        list.named_children()
            .filter(|child| !child.is_extra() && self.table.role(*child) != Role::Erased)
            .map(|child| self.ty(child))
            .collect()
    }

    /// Returns the types of a union whose first type may be a union: `A | B | C` is read as `(A | B) | C`.
    fn flat_union(&mut self, items: Vec<TypeId>) -> Vec<TypeId> {
        let first = items.first().and_then(|first| self.facts.types.get_mut(first.index()));
        let Some(TypeExpr::Union(before)) = first else { return items };
        let mut all = std::mem::take(before);
        all.extend(items.into_iter().skip(1));
        all
    }

    fn param_types(&mut self, list: SyntaxNode<'t>) -> Vec<TypeId> {
        let mut types = Vec::new();
        for child in list.named_children().filter(|child| !child.is_extra()) {
            let several = self.dialect.extra_params(self, child);
            if !several.is_empty() {
                types.extend(several.into_iter().map(|(_, ty)| ty));
                continue;
            }
            let ty = match self.table.role(child) {
                Role::Param => {
                    let parts = self.parts(child);
                    match parts.and_then(|parts| parts.get(Slot::Type)) {
                        Some(ty) => self.ty(ty),
                        None => TypeId::UNKNOWN,
                    }
                }
                _ => self.ty(child),
            };
            types.push(ty);
        }
        types
    }

    /// The type of a node that only wraps another: its first child that has one.
    pub(crate) fn only_child_type(&mut self, node: SyntaxNode<'t>) -> TypeId {
        for child in node.named_children() {
            if child.is_extra() {
                continue;
            }
            let ty = self.ty(child);
            if ty.is_known() {
                return ty;
            }
        }
        TypeId::UNKNOWN
    }

    /// Lowers a type that stands in the text as such, and notes that it is used here.
    pub(crate) fn annotation(&mut self, node: SyntaxNode<'t>) -> TypeId {
        let ty = self.ty(node);
        self.type_use(TypeUse::Annotation, ty, node);
        ty
    }

    /// Lowers the type of a value that is made without a call.
    pub(crate) fn constructed(&mut self, node: SyntaxNode<'t>) -> TypeId {
        let ty = self.ty(node);
        self.type_use(TypeUse::Construction, ty, node);
        ty
    }

    /// Notes that a type is used at a node.
    pub(crate) fn type_use(&mut self, usage: TypeUse, ty: TypeId, node: SyntaxNode<'_>) {
        if ty.is_known() {
            let line = index(node.start_position().row) + 1;
            self.allocate(size_of::<TypeRef>());
            self.facts.type_refs.push(TypeRef { ty, usage, line, from: self.at.owner });
        }
    }
}
