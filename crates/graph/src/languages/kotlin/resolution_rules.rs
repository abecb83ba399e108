//! What Kotlin asks of resolution, beside what the languages of the JVM have in common.

use crate::{facts::language_capabilities::LanguageCapabilities, languages::jvm_resolution_rules};

/// What generic code may ask of Kotlin.
const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    hides_private_extensions: true,
    literals_behind_calls: true,
    runs_unnamed: |name| OPERATORS.contains(&name),
    constructor_name: Some("constructor"),
    ..jvm_resolution_rules::CAPABILITIES
};

/// Names of functions that operators, calls of values, loops and delegated properties run.
const OPERATORS: &[&str] = &[
    "compareTo",
    "contains",
    "dec",
    "div",
    "divAssign",
    "get",
    "getValue",
    "hasNext",
    "inc",
    "invoke",
    "iterator",
    "minus",
    "minusAssign",
    "next",
    "not",
    "plus",
    "plusAssign",
    "provideDelegate",
    "rangeTo",
    "rangeUntil",
    "rem",
    "remAssign",
    "set",
    "setValue",
    "times",
    "timesAssign",
    "unaryMinus",
    "unaryPlus",
];

pub(crate) static RULES: jvm_resolution_rules::JvmRules =
    jvm_resolution_rules::JvmRules(&CAPABILITIES);
