//! The one table of role cues: which words and which kinds of path let a place play a role, and which words of a
//! question ask for one. Structure that holds in any repository, no names of any one.

use std::collections::{BTreeMap, BTreeSet};

use super::words;
use crate::{
    question::Role,
    workspace::{FileTraits, PathKind},
};

/// A row of the table.
struct Row {
    role: Role,
    /// Words in code; each is compared with the words of identifiers, a trailing `*` compares the beginning only.
    code: &'static str,
    /// Words of a question.
    asked: &'static str,
    /// Kinds of path.
    paths: &'static [PathKind],
}

const TABLE: &[Row] = &[
    Row {
        role: Role::Entry,
        code: "main route* router* command* cli argv argparse clap listen* endpoint export exported public pub page \
               screen urlpatterns middleware mount subscribe bootstrap init serve",
        asked: "entrypoint entry route routes command commands cli startup starts begins",
        paths: &[PathKind::Route],
    },
    Row {
        role: Role::Ui,
        code: "component* view* form button modal dialog menu toolbar widget jsx props classname onclick onsubmit \
               usestate template html panel sidebar tooltip icon",
        asked: "button buttons dialog modal page screen form menu toolbar sidebar ui widget tooltip panel",
        paths: &[PathKind::Component, PathKind::Hook, PathKind::Route],
    },
    Row {
        role: Role::Handler,
        code: "handle* on callback* action* command* dispatch* execute* process* perform* run invoke* submit* service* \
               mutation* resolve* listener* hook* middleware* update* apply* create* delete* remove* send* start* stop*",
        asked: "handler handlers callback callbacks",
        paths: &[PathKind::Action, PathKind::Service, PathKind::Hook],
    },
    Row {
        role: Role::State,
        code: "state* store* reducer* context* cache* atom* selector* setstate usestate observable* session* registry \
               mutex rwlock atomic* signal*",
        asked: "state store reducer cache cached caching",
        paths: &[PathKind::Store],
    },
    Row {
        role: Role::Data,
        code: "fetch* load* query* queries parse* decode* deserial* read* select* find* map* transform* filter* \
               normali* convert* model* dataset* dataframe record* row* column* json yaml csv token*",
        asked: "parse parsed parsing parser query queries loads loading",
        paths: &[PathKind::Store, PathKind::Api],
    },
    Row {
        role: Role::Api,
        code: "api* http* request* response* fetch* client* server* rpc grpc graphql rest endpoint* url* route* \
               header* socket* axios mutation* resolver* websocket*",
        asked: "api http endpoint endpoints rpc grpc graphql",
        paths: &[PathKind::Api, PathKind::Route, PathKind::Service],
    },
    Row {
        role: Role::Persistence,
        code: "save* persist* insert* upsert* commit* database* db sql transaction* repository migrat* flush* write* \
               file* disk* storage* bucket enqueue* queue* redis publish* store* orm entity",
        asked: "database persist persisted persistence persists saved saves disk storage stored transaction",
        paths: &[PathKind::Store],
    },
    Row {
        role: Role::Render,
        code: "render* draw* paint* canvas* dom* display* print* format* html svg repaint layout* color* style* \
               template* component* jsx terminal*",
        asked: "render rendered rendering renders draw drawing drawn paint canvas",
        paths: &[PathKind::Component, PathKind::Route],
    },
    Row {
        role: Role::Output,
        code: "export* seriali* encode* write* output* response* report* print* format* download* emit* render* send* \
               return tostring to_string stdout dump* generate*",
        asked: "export exported exports download serialize serialized serialization emitted",
        paths: &[],
    },
    Row {
        role: Role::Type,
        code: "struct interface trait type enum class protocol schema* record typedef dataclass contract model*",
        asked: "interface interfaces schema types struct contract",
        paths: &[PathKind::Type],
    },
    Row {
        role: Role::Test,
        code: "test* spec* assert* expect* describe should fixture* mock*",
        asked: "test tests testing tested",
        paths: &[],
    },
];

/// Lexical and path cues per role, with the words a configuration adds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleCues {
    extra: BTreeMap<Role, BTreeSet<String>>,
}

impl RoleCues {
    /// Adds words per role, by the roles' own words (`persistence = ["upsert"]`), and returns the keys that name no role.
    pub fn extend(&mut self, added: &BTreeMap<String, Vec<String>>) -> Vec<String> {
        let mut unknown = Vec::new();
        for (role, cues) in added {
            match role.parse::<Role>() {
                Ok(role) => {
                    let known = self.extra.entry(role).or_default();
                    known.extend(cues.iter().map(|cue| cue.to_lowercase()));
                }
                Err(_) => unknown.push(role.clone()),
            }
        }
        unknown
    }

    /// Returns the roles that `text`, a part of a file with these traits, may play.
    pub fn roles_of(&self, text: &str, traits: &FileTraits) -> BTreeSet<Role> {
        let mut present = BTreeSet::new();
        for identifier in text.split(|c: char| !(c.is_alphanumeric() || c == '_')) {
            if !identifier.is_empty() {
                present.insert(identifier.to_lowercase());
                present.extend(words::subwords(identifier));
            }
        }
        let mut roles: BTreeSet<Role> = TABLE
            .iter()
            .filter(|row| {
                row.paths.iter().any(|kind| traits.path_kinds.contains(kind))
                    || row.code.split_whitespace().any(|cue| matches(cue, &present))
            })
            .map(|row| row.role)
            .collect();
        for (role, cues) in &self.extra {
            if cues.iter().any(|cue| matches(cue, &present)) {
                roles.insert(*role);
            }
        }
        if traits.test {
            roles.insert(Role::Test);
        } else {
            roles.remove(&Role::Test);
        }
        roles
    }

    /// Returns the roles that a question of these lower-case words asks for, in the vocabulary's order.
    pub(crate) fn asked_by(&self, words: &[&str]) -> Vec<Role> {
        TABLE
            .iter()
            .filter(|row| {
                row.asked.split_whitespace().any(|cue| words.contains(&cue))
                    || self.extra.get(&row.role).is_some_and(|cues| {
                        cues.iter().any(|cue| words.contains(&cue.as_str()))
                    })
            })
            .map(|row| row.role)
            .collect()
    }
}

fn matches(cue: &str, present: &BTreeSet<String>) -> bool {
    match cue.strip_suffix('*') {
        None => present.contains(cue),
        Some(start) => present
            .range::<str, _>((std::ops::Bound::Included(start), std::ops::Bound::Unbounded))
            .next()
            .is_some_and(|word| word.starts_with(start)),
    }
}
