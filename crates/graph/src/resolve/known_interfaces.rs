//! Which types of a file implement interfaces of outside packages by their methods alone, as far as the language knows these.

use rustc_hash::FxHashSet;

use crate::facts::{
    DefId, DefKind, FileFacts, LoweredDefinition, TypeExpr, TypeId,
    language_capabilities::{KnownInterface, KnownMethod},
};

impl FileFacts {
    /// Returns the first method by which a type implements an interface, for each type and interface. All methods stand in this
    /// file.
    pub(super) fn implemented_interfaces(&self) -> Vec<(DefId, &'static KnownInterface)> {
        let known = self.language.capabilities().known_interfaces;
        let names = |def: &LoweredDefinition| {
            let name = self.text(def.name);
            known.iter().any(|known| known.methods.iter().any(|method| method.name == name))
        };
        let methods = (0..).map(DefId).zip(&self.defs);
        let methods: Vec<(DefId, &LoweredDefinition)> = methods
            .filter(|(_, def)| {
                !known.is_empty() && def.kind == DefKind::Function && def.receiver.is_known()
            })
            .filter(|(_, def)| names(def))
            .collect();
        // A generated file may have any number of such types.
        let types_with = |asked: &KnownMethod| {
            let own = methods.iter().filter(|(_, def)| self.is_method(def, asked));
            own.map(|(_, def)| self.word_of(def.receiver)).collect::<FxHashSet<String>>()
        };
        let mut found = Vec::new();
        for interface in known {
            let Some((first, others)) = interface.methods.split_first() else { continue };
            let others: Vec<_> = others.iter().map(types_with).collect();
            for (at, def) in methods.iter().filter(|(_, def)| self.is_method(def, first)) {
                let home = self.word_of(def.receiver);
                if others.iter().all(|types| types.contains(&home)) {
                    found.push((*at, interface));
                }
            }
        }
        found
    }

    fn is_method(&self, def: &LoweredDefinition, asked: &KnownMethod) -> bool {
        let are = |types: &[TypeId], words: &[&str]| {
            types.len() == words.len()
                && types.iter().zip(words).all(|(ty, word)| self.word_of(*ty) == *word)
        };
        let takes: Vec<TypeId> = def.params.iter().map(|parameter| parameter.ty).collect();
        let gives = match self.ty(def.ty) {
            TypeExpr::Unknown => &[][..],
            TypeExpr::Tuple(items) => items,
            _ => &[def.ty],
        };
        self.text(def.name) == asked.name && are(&takes, asked.takes) && are(gives, asked.gives)
    }

    /// The last name of a type, behind brackets for a row.
    fn word_of(&self, ty: TypeId) -> String {
        match self.ty(ty) {
            TypeExpr::Named { path, .. } => {
                path.last().map_or_else(String::new, |name| self.text(*name).to_owned())
            }
            TypeExpr::Array(inner) => match self.ty(*inner) {
                TypeExpr::Array(_) => String::new(),
                _ => format!("[]{}", self.word_of(*inner)),
            },
            _ => String::new(),
        }
    }
}
