//! What Scala asks of resolution, beside what the languages of the JVM have in common.

use crate::{facts::language_capabilities::LanguageCapabilities, languages::jvm_resolution_rules};

/// What generic code may ask of Scala.
const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    curries: true,
    bare_methods_run: true,
    object_call_method: Some("apply"),
    imports_are_relative: true,
    constructor_name: Some("this"),
    ..jvm_resolution_rules::CAPABILITIES
};

pub(crate) static RULES: jvm_resolution_rules::JvmRules =
    jvm_resolution_rules::JvmRules(&CAPABILITIES);
