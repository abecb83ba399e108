//! What the lowering of PHP adds to the common walk.

use super::{Php, phpdoc};
use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, TypeExpr, TypeId},
    languages::php::{
        class_names::class_type,
        declarations::{
            attribute, attributes, comment, constants, namespace, properties, traits, uses,
        },
        expressions::{array, call, constant, creation, method_call, property},
        statements::{catch, foreach, match_expression, static_variable},
        type_narrowing::{binary, choice, conditional},
    },
    lowering::{LoweringContext, LoweringDialect, ReturnTarget, kids, summary},
    syntax::SyntaxNode,
};

impl LoweringDialect for Php {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        match lower.kind(node) {
            "comment" => comment(lower, node),
            "namespace_definition" => namespace(lower, node),
            "namespace_use_declaration" => uses(lower, node),
            "use_declaration" => traits(lower, node),
            "const_declaration" => constants(lower, node),
            "property_declaration" => properties(lower, node),
            "if_statement" => conditional(lower, node),
            "foreach_statement" => foreach(lower, node),
            "catch_clause" => catch(lower, node),
            "static_variable_declaration" => static_variable(lower, node),
            "function_call_expression" => return call(lower, node),
            "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression" => return method_call(lower, node),
            "member_access_expression"
            | "nullsafe_member_access_expression"
            | "scoped_property_access_expression" => return property(lower, node),
            "class_constant_access_expression" => return constant(lower, node),
            "object_creation_expression" => return creation(lower, node),
            "array_creation_expression" => return array(lower, node),
            "match_expression" => return match_expression(lower, node),
            "binary_expression" => return binary(lower, node),
            "conditional_expression" => return choice(lower, node),
            "attribute" => attribute(lower, node),
            // A constant, by its name alone.
            "name" => return lower.name_expr(node),
            _ => {}
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "named_type" => {
                node.named_child(0).map_or(TypeId::UNKNOWN, |name| class_type(lower, name))
            }
            "name" | "qualified_name" | "relative_name" => class_type(lower, node),
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
        match lower.kind(node) {
            "list_literal" | "array_creation_expression" => {
                for (place, child) in kids(node).into_iter().enumerate() {
                    let child = match lower.kind(child) {
                        "array_element_initializer" => kids(child).last().copied().unwrap_or(child),
                        _ => child,
                    };
                    let place = u16::try_from(place).unwrap_or(u16::MAX);
                    let item = lower.push(Expr::Item(value, place));
                    lower.pattern(child, ty, item);
                }
            }
            "by_ref" => {
                if let Some(inner) = node.named_child(0) {
                    lower.pattern(inner, ty, value);
                }
            }
            _ => {
                lower.node(node);
            }
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        for child in node.named_children() {
            flags = flags.with(match lower.kind(child) {
                "static_modifier" => DefFlags::STATIC,
                "abstract_modifier" => DefFlags::ABSTRACT,
                "visibility_modifier" if lower.text(child) == "private" => DefFlags::PRIVATE,
                _ => DefFlags::default(),
            });
        }
        match lower.in_field(node, "name") {
            Some(name) if lower.text(name) == "__construct" => flags.with(DefFlags::CONSTRUCTOR),
            _ => flags,
        }
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        attributes(lower, id, node);
        let raw = std::mem::take(&mut lower.def_mut(id).doc);
        lower.def_mut(id).doc = summary(&raw);
        if lower.facts.def(id).kind == DefKind::Function {
            phpdoc::function(lower, id, &raw, node);
        } else if lower.facts.def(id).kind.is_type() {
            let scope = lower.at.scope;
            let ty = lower.push_type(TypeExpr::This(scope));
            let this = lower.sym("$this");
            lower.bind(this, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
        }
    }

    fn param<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
        let ReturnTarget::Def(function) = lower.at.body else { return };
        attributes(lower, function, node);
        if lower.kind(node) != "property_promotion_parameter" {
            return;
        }
        let Some(class) = lower.facts.def(function).parent else { return };
        let Some(param) = lower.facts.def(function).params.last().cloned() else { return };
        let outer = lower.at;
        lower.at.owner = Some(class);
        lower.at.scope = lower.facts.def(class).scope;
        let field = lower.new_def(DefKind::Field, param.name, node, None);
        lower.at = outer;
        lower.sign(field, node, None);
        lower.def_mut(field).ty = param.ty;
    }

    fn assign<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        left: SyntaxNode<'t>,
        right: Option<SyntaxNode<'t>>,
    ) -> Option<ExprId> {
        let row = node.start_position().row;
        let noted = match &lower.doc {
            Some((raw, last)) if *last + 1 == row || *last == row => raw.clone(),
            _ => String::new(),
        };
        let ty = phpdoc::variable(lower, &noted, lower.text(left), node);
        let value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
        match lower.kind(left) {
            "variable_name" | "list_literal" | "array_creation_expression" => {
                let before = lower.facts.defs.len();
                lower.pattern(left, ty, value);
                for def in &mut lower.facts.defs[before..] {
                    def.doc = summary(&def.doc);
                }
            }
            "member_access_expression" => {
                lower.node(left);
                let object = lower.in_field(left, "object");
                if object.is_some_and(|object| lower.text(object) == "$this")
                    && let Some(name) = lower.in_field(left, "name")
                    && lower.kind(name) == "name"
                {
                    let sym = lower.sym(&format!("${}", lower.text(name)));
                    lower.assigned_member(node, sym, name, ty, value);
                }
            }
            _ => {
                lower.node(left);
            }
        }
        Some(ExprId::UNKNOWN)
    }

    fn assignment_declares(&self) -> bool {
        true
    }
}
