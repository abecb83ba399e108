//! Resolution of JavaScript and TypeScript: its capabilities, and the rules that differ from the common ones.

use super::JavaScript;
use crate::{
    facts::language_capabilities::{ExportRule, LanguageCapabilities},
    languages::javascript::{constructor_functions::PROTOTYPE, expressions::CONSTRUCT_SIGNATURE},
    resolve::{
        inference_results::Ty, language_resolution_rules::ResolutionRules,
        program_facts::ProgramFacts,
    },
};

/// What generic code may ask of JavaScript and TypeScript.
pub(crate) const CAPABILITIES: LanguageCapabilities = LanguageCapabilities {
    hoists: true,
    receivers_own: false,
    prototype: Some(PROTOTYPE),
    invoking_methods: &["call", "apply"],
    accessors_run: true,
    infers_results: true,
    rest_is_annotated_whole: true,
    exports: ExportRule::Listed,
    constructor_name: Some("constructor"),
    given_names: "AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt Blob \
        Boolean Buffer DataView Date Error Event EventTarget FinalizationRegistry Float32Array \
        Float64Array Function Int16Array Int32Array Int8Array Intl JSON Map Math Number Object \
        Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String \
        Symbol SyntaxError TextDecoder TextEncoder TypeError URIError URL URLSearchParams \
        Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet \
        WebAssembly clearImmediate clearInterval clearTimeout console decodeURI \
        decodeURIComponent document encodeURI encodeURIComponent globalThis isFinite isNaN \
        parseFloat parseInt performance process queueMicrotask setImmediate setInterval \
        setTimeout structuredClone window",
    has_one_constructor: true,
    declaration_files: &[".d.ts", ".d.mts", ".d.cts"],
    construct_signature: Some(CONSTRUCT_SIGNATURE),
    ..LanguageCapabilities::NONE
};

impl ResolutionRules for JavaScript {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &CAPABILITIES
    }

    fn library_type(&self, _: &ProgramFacts<'_>, name: &str, args: &[Ty]) -> Option<Ty> {
        match (name, args) {
            ("InstanceType", [class, ..]) => Some(class.instances()),
            _ => None,
        }
    }
}
