//! What Kotlin asks of resolution, beside what the languages of the JVM have in common.

use crate::{facts::capabilities::Capabilities, languages::jvm};

/// What generic code may ask of Kotlin.
const CAPABILITIES: Capabilities =
    Capabilities { hides_private_extensions: true, ..jvm::CAPABILITIES };

pub(crate) static RULES: jvm::Rules = jvm::Rules(&CAPABILITIES);
