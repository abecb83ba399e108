//! Python: imports, decorated definitions, comprehensions, narrowing by `isinstance`, types written as strings; and the code
//! cells of notebooks.

pub(crate) mod declarations;
pub(crate) mod expressions;
pub(crate) mod imports;
mod lowering_dialect;
mod member_lookup;
mod notebook;
pub(crate) mod project;
pub(crate) mod resolution_rules;
mod source_folders;
pub(crate) mod statements;
pub(crate) mod string_annotations;
mod type_narrowing;

use crate::languages::LanguageDefinition;

pub(crate) struct Python;

/// Python.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("python", tree_sitter_python::LANGUAGE)
        .extensions(&["py", "pyi"])
        .manifests(&["pyproject.toml", "setup.cfg"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Python)
        .rules(&Python)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}

/// Jupyter notebooks.
pub(super) fn notebook() -> LanguageDefinition {
    LanguageDefinition::new("notebook", tree_sitter_python::LANGUAGE)
        .extensions(&["ipynb"])
        .host(&notebook::Notebook)
        .rules(&Python)
}
