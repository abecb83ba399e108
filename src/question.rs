//! What a planner asks, and the small vocabularies (intent, role, effort) that every later stage shares. Nothing
//! here interprets the question's words; that is recon's work.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::vocabulary;

/// A question about a repository, with everything the caller may say beside its text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question in the caller's words.
    #[serde(rename = "question")]
    pub text: String,
    /// What the caller will do with the answer.
    #[serde(default)]
    pub intent: Intent,
    /// Roles that the answer must cover. Empty: the roles are read from the question.
    #[serde(default)]
    pub roles: Vec<Role>,
    /// Paths the caller believes to matter; they are looked at first and are never trusted as evidence.
    #[serde(default)]
    pub hints: Vec<String>,
}

impl Question {
    /// Returns a question with the default intent and nothing else said.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// What a question asks for, as far as later stages judge it: the caller's wishes and what its words say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Roles that the words ask for.
    pub roles: BTreeSet<Role>,
    /// Whether tests or test support are asked for.
    pub wants_tests: bool,
    /// Whether documentation or examples are asked for.
    pub wants_docs: bool,
    /// Whether generated or vendored files are asked for.
    pub wants_generated: bool,
}

vocabulary! {
    /// What the planner will do with the map.
    #[derive(Default)]
    Intent {
        /// Understand how something works.
        #[default]
        Answer = "answer",
        /// Change the code.
        Edit = "edit",
        /// Find the cause of a fault.
        Debug = "debug",
    }
}

vocabulary! {
    /// The part that a place in the code plays in a flow.
    Role {
        /// Where the flow starts: a route, command, listener, exported function, page or `main`.
        Entry = "entry",
        /// What a person sees and touches: component, view, form, dialog.
        Ui = "ui",
        /// A callback, action, command or service method that does the work asked for.
        Handler = "handler",
        /// Store, reducer, context, cache or other state that is kept and updated.
        State = "state",
        /// Data that is loaded, shaped, parsed or queried.
        Data = "data",
        /// A boundary to another process: HTTP, RPC, client and server calls.
        Api = "api",
        /// Database, file, queue or other lasting write.
        Persistence = "persistence",
        /// Drawing to a screen, DOM, canvas or terminal.
        Render = "render",
        /// The final product: export, serialisation, response, report.
        Output = "output",
        /// A type contract: interface, schema, struct, trait.
        Type = "type",
        /// A test.
        Test = "test",
    }
}

vocabulary! {
    /// How much a run may spend; each preset is a row of [`crate::config::Budget`].
    #[derive(Default)]
    Effort {
        /// A glance: few steps.
        Quick = "quick",
        /// The usual amount.
        #[default]
        Medium = "medium",
        /// A large or unclear question.
        Thorough = "thorough",
    }
}
