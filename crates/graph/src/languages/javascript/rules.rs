//! What JavaScript and TypeScript asks of resolution: its capabilities and where it goes its own way.

use super::JavaScript;
use crate::{
    facts::capabilities::{Capabilities, Exports},
    resolve::{
        program::Program,
        rules::{ProjectFiles, ProjectModel, ResolutionRules},
    },
};

/// What generic code may ask of JavaScript and TypeScript.
pub(crate) const CAPABILITIES: Capabilities = Capabilities {
    hoists: true,
    receivers_own: false,
    invoking_methods: &["call", "apply"],
    infers_results: true,
    rest_is_annotated_whole: true,
    exports: Exports::Listed,
    ..Capabilities::NONE
};

impl ResolutionRules for JavaScript {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn lay_out(
        &self,
        program: &mut Program<'_>,
        project: ProjectFiles<'_>,
    ) -> Option<Box<dyn ProjectModel>> {
        Some(Box::new(super::project::lay_out(program, project)))
    }
}
