//! PHP's names: the own namespace, the global one for functions and constants, and variables that are a function's own.

use crate::{
    facts::{DefKind, Expr, ExprId, ScopeId, ScopeKind, TypeExpr},
    index::resolve::{
        lookup::Want,
        session::{Entity, Session},
        types::{Ty, no_env},
        world::{DefRef, FileId, ModId, Name},
    },
    languages::Family,
};

impl Session<'_, '_> {
    /// A name that no scope binds. Functions and constants are also looked for in the global namespace, classes are not.
    pub(crate) fn php_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
        want: Want,
    ) -> Vec<Entity> {
        let world = self.world;
        let Some(root) = world.layout.packages.root(world.family(file)) else { return Vec::new() };
        let text = world.text(name);
        if text.is_empty() {
            return vec![Entity::Module(root)];
        }
        if text.starts_with('$') {
            return Vec::new();
        }
        let mut found = self.package_member(&Entity::Module(module), name);
        if want == Want::Type {
            found.retain(|entity| matches!(entity, Entity::Module(_)) || self.names_type(entity));
        } else if found.iter().all(|entity| matches!(entity, Entity::Module(_))) {
            let global = world.tops_named(root, name).iter().filter(|def| {
                matches!(world.def(**def).kind, DefKind::Function | DefKind::Variable)
            });
            let global: Vec<Entity> = global.map(|def| Entity::Def(*def, no_env())).collect();
            if !global.is_empty() {
                return global;
            }
        }
        found
    }

    /// What a method that gives back `static` gives on the value that it is called on.
    pub(crate) fn late_static(&mut self, file: FileId, callee: ExprId, def: DefRef) -> Option<Ty> {
        let world = self.world;
        let facts = world.facts(def.file);
        let TypeExpr::Named { path, .. } = facts.ty(world.def(def).ty) else { return None };
        if world.family(file) != Family::Php || facts.text(*path.first()?) != "static" {
            return None;
        }
        let Expr::Member { object, .. } = world.facts(file).expr(callee) else { return None };
        let object = match world.facts(file).expr(*object) {
            Expr::Super(scope) => self.this_type(file, *scope),
            _ => self.type_of(file, *object).ty,
        };
        let each = object.each().iter().map(|ty| match ty {
            Ty::Class(def, args) => Ty::Inst(*def, args.clone()),
            other => other.clone(),
        });
        Some(Ty::union(each))
    }

    /// Whether a variable isn't seen beyond `scope`, that of a function with a name.
    pub(crate) fn hides_variables(&self, file: FileId, scope: ScopeId, name: Name) -> bool {
        let facts = self.world.facts(file);
        let found = &facts.scopes[scope.index()];
        let text = self.world.text(name);
        text.starts_with('$')
            && text != "$this"
            && found.kind == ScopeKind::Function
            && found.owner.is_some_and(|def| facts.def(def).scope == scope)
    }
}
