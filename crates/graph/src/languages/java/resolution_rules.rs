//! What Java asks of resolution, beside what the languages of the JVM have in common.

use crate::{
    facts::language_capabilities::{FieldCalls, LanguageCapabilities},
    languages::jvm_resolution_rules,
};

/// What generic code may ask of Java.
const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    inherits_extensions: false,
    // What is called like a method is another language's property if it is none.
    field_calls: FieldCalls::Never,
    ..jvm_resolution_rules::CAPABILITIES
};

pub(crate) static RULES: jvm_resolution_rules::JvmRules =
    jvm_resolution_rules::JvmRules(&CAPABILITIES);
