//! What Kotlin asks of resolution: its capabilities and where it goes its own way.

use super::Kotlin;
use crate::{
    facts::{ExprId, capabilities::Capabilities},
    languages::jvm,
    resolve::{
        calls::Arguments,
        evaluator::{Entity, Evaluator},
        program::{FileId, Program},
        rules::{ResolutionRules, UnboundName},
        types::Ty,
    },
};

/// What generic code may ask of Kotlin.
pub(crate) const CAPABILITIES: Capabilities =
    Capabilities { hides_private_extensions: true, ..jvm::CAPABILITIES };

impl ResolutionRules for Kotlin {
    fn capabilities(&self) -> &'static Capabilities {
        &CAPABILITIES
    }

    fn unbound_name(&self, evaluator: &mut Evaluator<'_, '_>, at: UnboundName) -> Vec<Entity> {
        evaluator.package_outside(at.file, at.module, at.name)
    }

    fn library_type(&self, program: &Program<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        jvm::library_type(program, name, args)
    }

    fn library_function(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        name: &str,
        arguments: Arguments<'_>,
    ) -> Option<Ty> {
        jvm::library_function(evaluator, name, arguments)
    }

    fn library_lambda_param(
        &self,
        evaluator: &mut Evaluator<'_, '_>,
        file: FileId,
        callee: ExprId,
    ) -> Option<Ty> {
        jvm::library_lambda_param(evaluator, file, callee)
    }
}
