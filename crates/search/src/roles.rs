//! Which words and forms of code show that a place plays a role: one table for the validator, which checks claimed roles,
//! and for recon, which suggests them. The cues are conventions of programming at large; a project adds its own words
//! through `[roles]` in the configuration.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use rustc_hash::FxHashSet;

use crate::query::question::Role;
use crate::{byte_pattern::Pattern, words};
use retriever_workspace::{FileTraits, PathKind, UnknownVariant};

/// One role's row. `words` are compared with the words inside identifiers, `loadUser` being `load` and `user`; a `*`
/// stands for any ending. `forms` is a pattern over the code as it stands. `weak` forms are common enough to back a
/// claim but not to suggest one.
#[derive(Debug)]
struct Row {
    role: Role,
    kinds: &'static [PathKind],
    words: &'static str,
    forms: Pattern,
    weak: Pattern,
}

/// What speaks for a role, in points: a word in the name, the kind of file, a form of code; words of the text, at most.
const BY_NAME: usize = 6;
const BY_PATH: usize = 3;
const BY_FORM: usize = 2;
const MOST_WORDS: usize = 2;
/// Least that a role needs beside them to be the one.
const TELLING: usize = 3;

static TABLE: [Row; 11] = [
    Row {
        role: Role::Entry,
        kinds: &[PathKind::Route],
        words: "main route* entry* entrypoint cli argv argparse listen listener endpoint bootstrap serve subcommand*",
        forms: Pattern::new(
            r#"(?m)\bfn main\s*\(|__name__\s*==|\b(?:app|router|server|mux|api)\.(?:get|post|put|delete|patch|use|route|handle\w*|HandleFunc|Handle)\s*\(|@(?:app|router|bp|api)\.\w+|@(?:Get|Post|Put|Delete|Patch|Request)Mapping|\baddEventListener\s*\(|\bexport\s+default\b"#,
        ),
        weak: Pattern::new(
            r"(?m)\bexport\s+(?:async\s+)?(?:function|class)\b|\bexport\s+const\s+\w+\s*=\s*(?:async\s*)?(?:\(|function)|\bpub(?:\([a-z]+\))?\s+(?:async\s+)?fn\b|\bpublic\b[^;=]*\(|^func\s+(?:\([^)]*\)\s*)?[A-Z]|^(?:async\s+)?def\s+[a-z]",
        ),
    },
    Row {
        role: Role::Ui,
        kinds: &[PathKind::Component, PathKind::Hook, PathKind::Route],
        words: "component* button* modal* dialog* form forms view views widget* click* menu* toolbar* sidebar* page pages screen* layout* panel* tooltip* keyboard* css style* icon* tab tabs dropdown*",
        forms: Pattern::new(
            r"className=|\bon(?:Click|Change|Submit|Press|Tap)\b|@Component\b|\bsetState\b|</[A-Za-z][\w.]*>|\breturn\s*\(\s*<",
        ),
        weak: Pattern::new(r"\buse[A-Z]\w+\s*\(|/>"),
    },
    Row {
        role: Role::Handler,
        kinds: &[PathKind::Action, PathKind::Service, PathKind::Api],
        words: "handle* callback* command* action* execut* process* dispatch* perform* submit* mutat* resolver* controller* service* invoke* worker* job jobs",
        forms: Pattern::new(r"\bon[A-Z]\w+\s*[=(:]"),
        weak: Pattern::new(
            r"\b(?:fn|def|func|function|sub|fun)\b|=>|\)\s*(?:const\s*)?(?:->\s*[^;{]+)?\{",
        ),
    },
    Row {
        role: Role::State,
        kinds: &[PathKind::Store, PathKind::Hook],
        words: "state* store* reducer* context* cache* atom atoms signal* session* registry memo* observable* selector*",
        forms: Pattern::new(
            r"\b(?:setState|useState|useReducer|createSlice|createStore)\b|\b(?:Mutex|RwLock|RefCell|Atomic\w+)\b|\bsync\.(?:Map|Mutex|RWMutex)\b",
        ),
        weak: Pattern::new(r"\b(?:self|this)\.\w+\s*[-+*|]?=[^=]|\b(?:static|global)\b"),
    },
    Row {
        role: Role::Data,
        kinds: &[PathKind::Service, PathKind::Store, PathKind::Config],
        words: "data dataset* quer* load* pars* fetch* decode* deseriali* read* select* model* transform* convert* normali* extract* lookup* find* filter* aggregate* index* record* payload*",
        forms: Pattern::new(r"(?i)\bselect\b[^;]*\bfrom\b"),
        weak: Pattern::new(
            r"\b(?:struct|class|interface|dataclass)\b|\.(?:map|filter|reduce|collect|iter)\s*\(",
        ),
    },
    Row {
        role: Role::Api,
        kinds: &[PathKind::Api],
        words: "fetch* http* client* request* response* rpc grpc graphql rest api apis endpoint* axios socket* websocket* url urls uri webhook* server* middleware* header* remote* proxy* route*",
        forms: Pattern::new(r"https?://"),
        weak: Pattern::new(r"\b(?:GET|POST|PUT|PATCH|DELETE)\b"),
    },
    Row {
        role: Role::Persistence,
        kinds: &[],
        words: "insert* save* persist* commit* write* upsert* database* db sql repository migrat* transaction* flush* enqueue* publish* fsync",
        forms: Pattern::new(
            r#"(?i)\bupdate\s+\S+\s+set\b|\bdelete\s+from\b|\bcreate\s+table\b|\bfs::write\b|\bFile::create\b|\bopen\s*\([^)\n]*["'][wax]b?\+?["']|\bwriteFile\w*|\blocalStorage\b|\bos\.(?:WriteFile|Create)\b"#,
        ),
        weak: Pattern::new(r"(?i)\b\w*(?:update|delete|store|queue|put)\w*\s*\("),
    },
    Row {
        role: Role::Render,
        kinds: &[PathKind::Component, PathKind::Route],
        words: "render* draw* paint* canvas* jsx html template* dom svg pixel* display* layout* frame* webgl shader* view views print*",
        forms: Pattern::new(r"</[A-Za-z][\w.]*>|\breturn\s*\(\s*<"),
        weak: Pattern::new(r"/>"),
    },
    Row {
        role: Role::Output,
        kinds: &[],
        words: "serializ* serialis* output* emit* download* report* response* stdout print* format* encode* generat* write* dump* json csv pdf reply*",
        forms: Pattern::new(r"\bexport[A-Z_]\w*|(?i:\bexport(?:er|ers|ing|ed)\b)|\bfn fmt\b"),
        weak: Pattern::new(r"\breturn\b"),
    },
    Row {
        role: Role::Type,
        kinds: &[PathKind::Type],
        words: "interface* struct* trait traits enum* protocol* typedef typealias schema* dataclass",
        forms: Pattern::new(
            r"(?m)^\s*(?:export\s+)?(?:declare\s+)?(?:pub(?:\([a-z]+\))?\s+)?type\s+\w+",
        ),
        weak: Pattern::new(
            r"(?m)^\s*(?:export\s+|public\s+|abstract\s+|final\s+|data\s+|sealed\s+)*(?:class|record|union)\s+\w+",
        ),
    },
    Row {
        role: Role::Test,
        kinds: &[],
        words: "assert* expect* pytest unittest",
        forms: Pattern::new(
            r"#\[(?:\w+::)?test\b|\b(?:describe|it|test)\s*\(|@Test\b|\bdef test_|\bfunc Test[A-Z]|\bXCTAssert",
        ),
        weak: Pattern::new(r"\bshould\b"),
    },
];

/// The cues, with those of the configuration.
#[derive(Clone, Debug)]
pub struct RoleCues {
    rows: BTreeMap<Role, Cues>,
}

#[derive(Clone, Debug)]
struct Cues {
    row: &'static Row,
    words: Vec<String>,
    /// Extra words of the configuration, found anywhere in the code as they are.
    phrases: Vec<String>,
}

impl Default for RoleCues {
    /// The built-in cues.
    fn default() -> Self {
        let cues = |row: &'static Row| {
            let words = row.words.split(' ').map(str::to_owned).collect();
            (row.role, Cues { row, words, phrases: Vec::new() })
        };
        Self { rows: TABLE.iter().map(cues).collect() }
    }
}

impl RoleCues {
    /// Returns the built-in cues joined with `extra`, the configuration's words by role. A single word is compared like
    /// the built-in ones; anything else is searched for as it is, without regard to case.
    ///
    /// # Errors
    ///
    /// [`UnknownVariant`] for a key that is no role.
    pub fn with(extra: &BTreeMap<String, Vec<String>>) -> Result<Self, UnknownVariant> {
        let mut cues = Self::default();
        for (role, words) in extra {
            let Some(row) = cues.rows.get_mut(&role.parse::<Role>()?) else { continue };
            for word in words.iter().map(|word| word.trim().to_lowercase()) {
                let stem = word.strip_suffix('*').unwrap_or(&word);
                if !stem.is_empty() && stem.chars().all(char::is_alphanumeric) {
                    row.words.push(word);
                } else if !stem.is_empty() {
                    row.phrases.push(word);
                }
            }
        }
        Ok(cues)
    }

    /// The roles that code of this text, in a file of these traits, plausibly plays.
    pub fn roles_of(&self, text: &str, traits: &FileTraits) -> BTreeSet<Role> {
        self.roles_in(&Seen::of(text), traits)
    }

    pub(crate) fn roles_in(&self, seen: &Seen<'_>, traits: &FileTraits) -> BTreeSet<Role> {
        self.rows
            .iter()
            .filter(|(role, row)| row.by_path(**role, traits) || row.by_text(seen))
            .map(|(role, _)| *role)
            .collect()
    }

    /// The cues of `roles` together.
    pub(crate) fn any_of(&self, roles: &BTreeSet<Role>) -> AnyOf<'_> {
        let rows: Vec<(Role, &Cues)> =
            roles.iter().filter_map(|role| Some((*role, self.rows.get(role)?))).collect();
        let mut any = AnyOf {
            words: FxHashSet::default(),
            stems: vec![Vec::new(); 256],
            begin: [false; 256],
            rows,
        };
        for word in any.rows.iter().flat_map(|(_, row)| &row.words) {
            let first = word.bytes().next().unwrap_or_default();
            any.begin[usize::from(first)] = true;
            match word.strip_suffix('*') {
                Some(stem) => any.stems[usize::from(first)].push(stem.as_bytes()),
                None => drop(any.words.insert(word.as_bytes())),
            }
        }
        any
    }

    /// The role, of `among`, that most about the code speaks for: its name, the kind of file and its forms, then the words in it.
    /// Of equals the first; none when nothing but words in passing speaks for any.
    pub(crate) fn most_telling(
        &self,
        among: &BTreeSet<Role>,
        name: &str,
        seen: &Seen<'_>,
        traits: &FileTraits,
    ) -> Option<Role> {
        let named = Seen::of(name);
        let strength = |role: Role| {
            let row = self.rows.get(&role)?;
            let by_name = if row.words_in(&named) > 0 { BY_NAME } else { 0 };
            let by_path = if row.by_path(role, traits) { BY_PATH } else { 0 };
            let forms = row.row.forms.count(seen.text, 2);
            let told = by_name + by_path + BY_FORM * forms;
            (told >= TELLING).then(|| told + row.words_in(seen).min(MOST_WORDS))
        };
        let told = among.iter().rev().filter_map(|role| Some((strength(*role)?, *role)));
        told.max_by_key(|(strength, _)| *strength).map(|(_, role)| role)
    }

    /// Whether anything about the code or its file speaks for the claim that it plays `role`. More lenient than
    /// [`RoleCues::roles_of`]: an exported function may be an entry, any function a handler.
    pub fn backs(&self, role: Role, text: &str, traits: &FileTraits) -> bool {
        self.rows.get(&role).is_some_and(|row| {
            row.by_path(role, traits) || row.by_text(&Seen::of(text)) || row.row.weak.is_match(text)
        })
    }
}

impl Cues {
    fn by_path(&self, role: Role, traits: &FileTraits) -> bool {
        (role == Role::Test && traits.test)
            || self.row.kinds.iter().any(|kind| traits.path_kinds.contains(kind))
    }

    /// Cues that stand among the words of a text.
    fn words_in(&self, seen: &Seen<'_>) -> usize {
        self.cues_in(seen).count()
    }

    fn cues_in<'a>(&'a self, seen: &'a Seen<'_>) -> impl Iterator<Item = &'a String> {
        self.words.iter().filter(|word| match word.strip_suffix('*') {
            Some(stem) => seen.first_from(stem).is_some_and(|found| found.starts_with(stem)),
            None => seen.first_from(word) == Some(word),
        })
    }

    fn by_text(&self, seen: &Seen<'_>) -> bool {
        self.cues_in(seen).next().is_some()
            || self.phrases.iter().any(|phrase| seen.lower().contains(phrase))
            || self.row.forms.is_match(seen.text)
    }
}

/// The cues of some roles, to ask of many texts whether they play one of them.
pub(crate) struct AnyOf<'a> {
    rows: Vec<(Role, &'a Cues)>,
    words: FxHashSet<&'a [u8]>,
    /// What words begin with, by its first byte.
    stems: Vec<Vec<&'a [u8]>>,
    /// By byte, whether any of both begins with it.
    begin: [bool; 256],
}

impl AnyOf<'_> {
    /// Whether code of this text, in a file of these traits, plausibly plays one of the roles. `words` are those of the text in small
    /// letters, when it is of ASCII.
    pub(crate) fn plays(
        &self,
        text: &str,
        words: impl IntoIterator<Item: AsRef<[u8]>>,
        traits: &FileTraits,
    ) -> bool {
        if self.rows.iter().any(|(role, row)| row.by_path(*role, traits)) {
            return true;
        }
        if self.rows.is_empty() {
            return false;
        }
        let has_cue = if text.is_ascii() {
            words.into_iter().any(|word| self.is_cue(word.as_ref()))
        } else {
            let (spelled, words) = spelled(text);
            words.into_iter().any(|at| self.is_cue(spelled[at].as_bytes()))
        };
        let lower = OnceCell::new();
        let has = |phrase: &String| lower.get_or_init(|| text.to_lowercase()).contains(phrase);
        has_cue
            || self.rows.iter().any(|(_, row)| row.phrases.iter().any(has))
            || self.rows.iter().any(|(_, row)| row.row.forms.is_match(text))
    }

    fn is_cue(&self, word: &[u8]) -> bool {
        let first = word.first().map_or(0, |first| usize::from(*first));
        self.begin[first]
            && (self.stems[first].iter().any(|stem| word.starts_with(stem))
                || self.words.contains(word))
    }
}

/// A text and the words inside its identifiers.
pub(crate) struct Seen<'a> {
    text: &'a str,
    lower: OnceCell<String>,
    spelled: String,
    /// Places in `spelled`, sorted by word, each word once.
    words: Vec<Range<usize>>,
}

impl<'a> Seen<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let (spelled, mut words) = spelled(text);
        // Most words stand there several times, and are sooner found than put in order.
        let mut known: FxHashSet<&str> = FxHashSet::default();
        words.retain(|at| known.insert(&spelled[at.clone()]));
        words.sort_unstable_by(|one, other| spelled[one.clone()].cmp(&spelled[other.clone()]));
        Self { text, lower: OnceCell::new(), spelled, words }
    }

    fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_lowercase())
    }

    /// The first word that isn't below `word`.
    fn first_from(&self, word: &str) -> Option<&str> {
        let at = self.words.partition_point(|at| &self.spelled[at.clone()] < word);
        self.words.get(at).map(|at| &self.spelled[at.clone()])
    }
}

/// The lower-case words inside `text`, identifiers taken apart: `parseHTTPHeader_v2` is `parse`, `http`, `header`, `v2`.
pub fn words_in(text: &str) -> BTreeSet<String> {
    let (spelled, words) = spelled(text);
    words.into_iter().map(|at| spelled[at].to_owned()).collect()
}

/// The words inside `text` in small letters, one after the other, and where each stands.
fn spelled(text: &str) -> (String, Vec<Range<usize>>) {
    let mut spelled = String::with_capacity(text.len());
    let mut words = Vec::new();
    if text.is_ascii() {
        words::split_identifier(text.as_bytes(), |word| {
            let start = spelled.len();
            spelled.extend(word.iter().map(|byte| char::from(byte.to_ascii_lowercase())));
            words.push(start..spelled.len());
        });
        return (spelled, words);
    }
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let mut start = spelled.len();
        let mut before: Option<char> = None;
        let mut chars = run.chars().peekable();
        while let Some(c) = chars.next() {
            let after_lower = before.is_some_and(|before| !before.is_uppercase());
            let before_lower = chars.peek().is_some_and(|next| next.is_lowercase());
            if c.is_uppercase() && spelled.len() > start && (after_lower || before_lower) {
                words.push(start..spelled.len());
                start = spelled.len();
            }
            if c.is_ascii() {
                spelled.push(c.to_ascii_lowercase());
            } else {
                spelled.extend(c.to_lowercase());
            }
            before = Some(c);
        }
        if spelled.len() > start {
            words.push(start..spelled.len());
        }
    }
    (spelled, words)
}
