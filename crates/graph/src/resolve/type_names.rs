//! Names of types: what a dotted name means where a type stands.

use crate::{
    facts::{DefKind, ScopeId, Sym},
    resolve::{
        inference_results::SymbolNamespace,
        program_facts::{FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// Keeps types with the given number of parameters, in languages where types of one name differ by it.
    pub(crate) fn keep_arity(&self, file: FileId, found: &mut Vec<NameReferent>, count: usize) {
        if !self.program.capabilities(file).types_by_arity {
            return;
        }
        found.retain(|referent| match referent {
            NameReferent::Def(def, _) => {
                let def = self.program.def(*def);
                !def.kind.is_type() || def.type_params.len() == count
            }
            _ => true,
        });
    }

    /// Whether an referent can be named where a type stands.
    pub(crate) fn names_type(&self, referent: &NameReferent) -> bool {
        match referent {
            NameReferent::Def(def, _) => {
                let kind = self.program.def(*def).kind;
                kind.is_type() || kind == DefKind::Alias
            }
            NameReferent::TypeParam(..) => true,
            _ => false,
        }
    }

    /// Adds the module of a name to the functions of that name: a path can mean the one where a call means the others.
    pub(crate) fn and_module(
        &self,
        module: ModId,
        name: Name,
        mut found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        // Hardly any name is that of a module, too; to look at a definition may take its file's facts.
        let Some(child) = self.program.child(module, name) else { return found };
        let is_value = |referent: &NameReferent| {
            let NameReferent::Def(def, _) = referent else { return false };
            matches!(self.program.def(*def).kind, DefKind::Function | DefKind::Variable)
        };
        if !found.is_empty() && found.iter().all(is_value) {
            found.push(NameReferent::Module(child));
        }
        found
    }

    /// Returns the referents of a dotted type name.
    pub(crate) fn type_path(
        &mut self,
        file: FileId,
        path: &[Sym],
        scope: ScopeId,
        pos: u32,
    ) -> Vec<NameReferent> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let found = self.lookup_name(file, scope, *first, pos, SymbolNamespace::Type);
        let named = self.types_below(file, found, rest);
        if !named.is_empty() || rest.is_empty() {
            return named;
        }
        // What is no type may hold it: a module, or an object that a type has the name of.
        let found = self.lookup_name(file, scope, *first, pos, SymbolNamespace::Value);
        self.types_below(file, found, rest)
    }

    /// Returns the referents of the type that the names in `path` lead to, each being a member of those of the one before.
    fn types_below(
        &mut self,
        file: FileId,
        mut found: Vec<NameReferent>,
        path: &[Sym],
    ) -> Vec<NameReferent> {
        for part in path {
            let name = self.program.name_of(file, *part);
            let mut next = Vec::new();
            for referent in &found {
                let ty = self.type_of_referent(referent).ty;
                let qualified = self.rules(file).qualified_name(self, file, &ty, name);
                next.extend(qualified.unwrap_or_else(|| self.member(&ty, name)));
            }
            if next.is_empty() {
                return if found.contains(&NameReferent::External) { found } else { Vec::new() };
            }
            found = next;
        }
        self.fitting(found, SymbolNamespace::Type)
    }
}
