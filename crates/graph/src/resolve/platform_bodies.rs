//! Joins declarations whose bodies stand in other files, one for each platform, with these bodies: `expect` and `actual`.

use retriever_workspace::shared_folders;

use crate::{
    facts::{DefFlags, DefKind, TypeExpr, TypeId},
    resolve::{
        program_facts::{DefRef, FileId},
        type_inference::TypeInference,
    },
};

impl TypeInference<'_, '_> {
    /// Returns the declarations that a definition is the body of on its platform.
    pub(crate) fn declarations_of_body(&self, body: DefRef) -> Vec<DefRef> {
        let program = self.program;
        let def = program.def(body);
        if !def.flags.has(DefFlags::PLATFORM_BODY) {
            return Vec::new();
        }
        let name = program.def_name(body);
        let mut found: Vec<DefRef> = match program.parent(body) {
            None => {
                let all = program.top_level_named(program.module_of[body.file.index()], name);
                let declared = |at: &&DefRef| program.def(**at).flags.has(DefFlags::DECLARATION);
                all.iter().filter(declared).copied().collect()
            }
            Some(holder) => {
                let above = self.declarations_of_body(holder).into_iter();
                above.flat_map(|above| program.members_named(above, name)).copied().collect()
            }
        };
        self.count(found.len());
        found.retain(|at| *at != body && self.are_written_alike(*at, body));
        found
    }

    /// Chooses, of declarations and their bodies, what a file sees: the body of its own platform, else the declaration.
    pub(super) fn of_platform(&self, file: FileId, mut found: Vec<DefRef>) -> Vec<DefRef> {
        let program = self.program;
        let shared = |at: DefRef| shared_folders(program.path(at.file), program.path(file));
        let mut hidden = Vec::new();
        for body in &found {
            for declaration in self.declarations_of_body(*body) {
                if found.contains(&declaration) {
                    let is_near = shared(*body) > shared(declaration);
                    hidden.push(if is_near { declaration } else { *body });
                }
            }
        }
        found.retain(|at| !hidden.contains(at));
        found
    }

    /// Whether two definitions are of one kind, and have the same parameters as they are written.
    fn are_written_alike(&self, one: DefRef, other: DefRef) -> bool {
        let (a, b) = (self.program.def(one), self.program.def(other));
        let is_type = |kind: DefKind| kind.is_type() || kind == DefKind::Alias;
        let written = |at: DefRef, ty: TypeId| {
            let facts = self.program.facts(at.file);
            match facts.ty(ty) {
                TypeExpr::Named { path, .. } => path.last().map(|name| facts.text(*name)),
                _ => None,
            }
        };
        let same = |x: TypeId, y: TypeId| written(one, x) == written(other, y);
        (a.kind == b.kind || is_type(a.kind) && is_type(b.kind))
            && (is_type(a.kind)
                || same(a.receiver, b.receiver)
                    && a.params.len() == b.params.len()
                    && a.params.iter().zip(&b.params).all(|(x, y)| same(x.ty, y.ty)))
    }
}
