//! What the lowering of C# adds to the common walk.

use std::borrow::Cow;

use retriever_workspace::WorkBudgetExhausted;

use super::{
    CSharp,
    conditionals::without_conditionals,
    declarations::{function_type, local_function, tuple_type},
    expressions::{last, part},
    grammar_workarounds::{STAND_IN, WORKAROUNDS},
    xml_doc_comments::comment,
};
use crate::{
    facts::{DefFlags, DefId, Expr, ExprId, TypeExpr, TypeId},
    languages::csharp::{
        declarations::{
            attribute, chained, constraints, delegate, fields, namespace, operator,
            primary_constructor, property, using, variables,
        },
        expressions::{
            anonymous, binary, constant_pattern, creation, generic_name, invocation, member,
            type_arguments, type_operand, type_test, with,
        },
        statements::{
            argument_variable, catch, foreach, pattern_variable, query, return_statement, switch,
        },
    },
    lowering::{LoweringContext, LoweringDialect, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

impl LoweringDialect for CSharp {
    fn reparses_errors(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        match lower.kind(node) {
            "comment" => comment(lower, node),
            "using_directive" => using(lower, node),
            "namespace_declaration" | "file_scoped_namespace_declaration" => namespace(lower, node),
            "delegate_declaration" => delegate(lower, node),
            "operator_declaration"
            | "conversion_operator_declaration"
            | "destructor_declaration"
            | "indexer_declaration" => operator(lower, node),
            "local_function_statement" => local_function(lower, node),
            "field_declaration" | "event_field_declaration" => fields(lower, node),
            "variable_declaration" => variables(lower, node, None),
            "property_declaration" | "event_declaration" => property(lower, node),
            "attribute" => attribute(lower, node),
            "declaration_expression" => return argument_variable(lower, node),
            "declaration_pattern" | "recursive_pattern" | "var_pattern" => {
                pattern_variable(lower, node);
            }
            "type_pattern" | "typeof_expression" => type_operand(lower, node),
            "constant_pattern" => constant_pattern(lower, node),
            "is_expression" => type_test(lower, node),
            "switch_section" | "for_statement" | "using_statement" | "fixed_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "switch_expression" => return switch(lower, node),
            "foreach_statement" => foreach(lower, node),
            "catch_clause" => catch(lower, node),
            "query_expression" => return query(lower, node),
            "return_statement" => return_statement(lower, node),
            "arrow_expression_clause" | "argument" | "parenthesized_expression" => {
                return last(lower, node);
            }
            "invocation_expression" => return invocation(lower, node),
            "object_creation_expression" => return creation(lower, node),
            // What `new()` makes is known where a type is declared for it, see `initial`.
            "implicit_object_creation_expression" => {
                kids(node).into_iter().for_each(|part| lower.children(part));
            }
            "member_access_expression" | "conditional_access_expression" => {
                return member(lower, node);
            }
            "generic_name" => return generic_name(lower, node),
            "qualified_name" => {
                let ty = lower.ty(node);
                return lower.push(Expr::Type(ty));
            }
            "alias_qualified_name" => return part(lower, node, "name"),
            "binary_expression" => return binary(lower, node),
            "anonymous_method_expression" => return anonymous(lower, node),
            "with_expression" => return with(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "tuple_type" => tuple_type(lower, node),
            "generic_name" => {
                let Some(name) = node.named_child(0) else { return TypeId::UNKNOWN };
                let args = find(node, "type_argument_list")
                    .map(|list| type_arguments(lower, list))
                    .unwrap_or_default();
                function_type(lower, name, &args).unwrap_or_else(|| {
                    let name_sym = lower.sym_of(name);
                    lower.named(vec![name_sym], args, node)
                })
            }
            "qualified_name" => {
                let (Some(base), Some(name)) =
                    (lower.in_field(node, "qualifier"), lower.in_field(node, "name"))
                else {
                    return TypeId::UNKNOWN;
                };
                let base = lower.ty(base);
                let (name, given) = match lower.kind(name) {
                    "generic_name" => (
                        name.named_child(0).unwrap_or(name),
                        find(name, "type_argument_list").map(|list| type_arguments(lower, list)),
                    ),
                    _ => (name, None),
                };
                let name = lower.sym_of(name);
                match &mut lower.facts.types[base.index()] {
                    TypeExpr::Named { path, args, .. } if args.is_empty() => {
                        path.push(name);
                        *args = given.unwrap_or_default();
                        base
                    }
                    TypeExpr::Unknown => TypeId::UNKNOWN,
                    _ => lower.push_type(TypeExpr::Member(base, name)),
                }
            }
            "alias_qualified_name" => {
                lower.in_field(node, "name").map_or(TypeId::UNKNOWN, |name| lower.ty(name))
            }
            _ => lower.only_child_type(node),
        }
    }

    fn pattern<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        if lower.kind(node) != "tuple_pattern" {
            lower.children(node);
            return;
        }
        for (place, child) in kids(node).into_iter().enumerate() {
            let item = lower.push(Expr::Item(value, u16::try_from(place).unwrap_or(u16::MAX)));
            match lower.kind(child) {
                "identifier" => lower.bind_local(child, ty, item),
                _ => self.pattern(lower, child, ty, item),
            }
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        for child in node.named_children().filter(|c| lower.kind(*c) == "modifier") {
            flags = flags.with(match lower.text(child) {
                "static" | "const" => DefFlags::STATIC,
                "private" => DefFlags::PRIVATE,
                "abstract" => DefFlags::ABSTRACT,
                "async" => DefFlags::ASYNC,
                _ => DefFlags::default(),
            });
        }
        if lower.kind(node) == "constructor_declaration" {
            flags.with(DefFlags::CONSTRUCTOR)
        } else {
            flags
        }
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        for list in kids(node).into_iter().filter(|c| c.kind() == "attribute_list") {
            lower.children(list);
        }
        constraints(lower, id, node);
        match lower.kind(node) {
            "class_declaration" | "struct_declaration" | "record_declaration" => {
                primary_constructor(lower, id, node);
            }
            "constructor_declaration" => {
                if let Some(first) = find(node, "constructor_initializer") {
                    chained(lower, id, first);
                }
            }
            _ => {}
        }
        if let Some(list) = lower.in_field(node, "parameters")
            && lower.in_field(list, "name").is_some()
            && let Some(rest) = lower.def_mut(id).params.last_mut()
        {
            rest.variadic = true;
        }
    }

    fn param<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
        let has_default = node.children().any(|child| lower.kind(child) == "=");
        let extends = find(node, "modifier").is_some_and(|word| lower.text(word) == "this");
        let ReturnTarget::Def(id) = lower.at.body else { return };
        if has_default {
            let value = lower.literal("default");
            if let Some(last) = lower.def_mut(id).params.last_mut() {
                last.default = value;
            }
        }
        if extends && lower.facts.def(id).params.len() == 1 {
            lower.mark(id, DefFlags::SELF_PARAM);
        }
    }

    fn extra_params<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
    ) -> Vec<(SyntaxNode<'t>, TypeId)> {
        // `params T[] rest` has no node of its own.
        let Some(list) = node.parent().filter(|list| lower.kind(*list) == "parameter_list") else {
            return Vec::new();
        };
        let (Some(ty), Some(name)) = (lower.in_field(list, "type"), lower.in_field(list, "name"))
        else {
            return Vec::new();
        };
        if node != name {
            return Vec::new();
        }
        let ty = lower.annotation(lower.in_field(ty, "type").unwrap_or(ty));
        vec![(name, ty)]
    }

    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        if !root.has_error() {
            return Ok(None);
        }
        let budget = root.budget();
        budget.spend(source.len() as u64 / 16)?;
        let mut plain = Cow::Borrowed(source);
        for workaround in WORKAROUNDS {
            if workaround.signs.iter().any(|sign| plain.contains(sign)) {
                budget.spend(source.len() as u64 / 8)?;
                budget.allocate(source.len() as u64)?;
                plain = (workaround.rewrite)(&plain).into();
            }
        }
        let without = without_conditionals(&plain, budget)?;
        Ok(without.or(match plain {
            Cow::Owned(plain) => Some(plain),
            Cow::Borrowed(_) => None,
        }))
    }

    fn stand_in(&self) -> Option<(&'static str, &'static str)> {
        Some(STAND_IN)
    }

    fn is_param(&self, _: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
        node.kind() == "implicit_parameter"
    }
}
