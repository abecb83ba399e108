//! What Kotlin asks of resolution, beside what the languages of the JVM have in common.

use crate::{facts::language_capabilities::LanguageCapabilities, languages::jvm};

/// What generic code may ask of Kotlin.
const CAPABILITIES: LanguageCapabilities =
    LanguageCapabilities { hides_private_extensions: true, ..jvm::CAPABILITIES };

pub(crate) static RULES: jvm::JvmRules = jvm::JvmRules(&CAPABILITIES);
