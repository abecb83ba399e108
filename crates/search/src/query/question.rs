//! What a caller asks, and the closed sets of words (intent, role) that every later stage shares. The question's text is
//! read in [`super::parsed_query`].

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumMessage, EnumString, IntoStaticStr, VariantArray};

use retriever_workspace::UnknownVariant;

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
    pub roles: Vec<PlaceRole>,
    /// Paths the caller believes to matter; they are looked at first and are never trusted as evidence.
    #[serde(default)]
    pub hints: Vec<String>,
    /// The chat it belongs to. Its earlier answers hold while nothing has changed, and places that they have are named by
    /// their IDs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
}

impl Question {
    /// Returns a question with this text, the default intent, and no roles, hints or session.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }
}

/// A caller's own name for one chat: 1 to 128 characters, none of them a control character. It is never part of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline)]
pub struct SessionId {
    name: String,
    connection: Option<u64>,
}

impl SessionId {
    const MAX_CHARS: usize = 128;

    /// Returns the name as the caller wrote it.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// Returns the session of this name that ends with a connection. No other connection of the process has its number.
    #[must_use]
    pub fn in_connection(&self, number: u64) -> Self {
        Self { name: self.name.clone(), connection: Some(number) }
    }

    /// Whether the session ends with a connection, so that nothing of it is to be stored.
    pub fn ends_with_connection(&self) -> bool {
        self.connection.is_some()
    }
}

/// The error for a string that is no [`SessionId`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a session's name has 1 to {} characters and no control characters", SessionId::MAX_CHARS)]
pub struct InvalidSessionId;

impl FromStr for SessionId {
    type Err = InvalidSessionId;

    fn from_str(name: &str) -> Result<Self, InvalidSessionId> {
        let is_valid = !name.trim().is_empty()
            && name.chars().count() <= Self::MAX_CHARS
            && !name.chars().any(char::is_control);
        if is_valid {
            Ok(Self { name: name.to_owned(), connection: None })
        } else {
            Err(InvalidSessionId)
        }
    }
}

impl TryFrom<String> for SessionId {
    type Error = InvalidSessionId;

    fn try_from(name: String) -> Result<Self, InvalidSessionId> {
        name.parse()
    }
}

impl From<SessionId> for String {
    fn from(id: SessionId) -> Self {
        id.name
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// What the planner will do with the map.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Intent>)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Intent {
    /// Understand how something works.
    #[default]
    Answer,
    /// Change the code.
    Edit,
    /// Find the cause of a fault.
    Debug,
}

/// The part that a place in the code plays in a flow.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumMessage, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<PlaceRole>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceRole {
    /// Where the flow starts: a route, command, listener, exported function, page or `main`.
    Entry,
    /// What a person sees and touches: component, view, form, dialog.
    Ui,
    /// A callback, action, command or service method that does the work asked for.
    Handler,
    /// Store, reducer, context, cache or other state that is kept and updated.
    State,
    /// Data that is loaded, shaped, parsed or queried.
    Data,
    /// A boundary to another process: HTTP, RPC, client and server calls.
    Api,
    /// Database, file, queue or other lasting write.
    Persistence,
    /// Drawing to a screen, DOM, canvas or terminal.
    Render,
    /// The final product: export, serialisation, response, report.
    Output,
    /// A type contract: interface, schema, struct, trait.
    Type,
    /// A test.
    Test,
}
