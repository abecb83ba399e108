//! Resolution of JavaScript and TypeScript: its capabilities, and the rules that differ from the common ones.

use super::JavaScript;
use crate::{
    facts::language_capabilities::{ExportRule, LanguageCapabilities},
    resolve::{
        program_facts::ProgramFacts,
        resolution_rules::{ProjectFiles, ProjectModel, ResolutionRules},
    },
};

/// What generic code may ask of JavaScript and TypeScript.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    hoists: true,
    receivers_own: false,
    functions_construct: true,
    invoking_methods: &["call", "apply"],
    infers_results: true,
    rest_is_annotated_whole: true,
    exports: ExportRule::Listed,
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for JavaScript {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn lay_out(
        &self,
        program: &mut ProgramFacts<'_>,
        project: ProjectFiles<'_>,
    ) -> Option<Box<dyn ProjectModel>> {
        Some(Box::new(super::project::lay_out(program, project)))
    }
}
