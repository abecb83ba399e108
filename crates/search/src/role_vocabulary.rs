//! Which words and forms of code show that a place plays a role. One table for the validator, which checks claimed roles,
//! and for the search, which suggests them. A project adds its own words through `[roles]` in the configuration.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use retriever_workspace::{FileTraits, PathKind, UnknownVariant};
use rustc_hash::FxHasher;

use crate::{lazy_byte_pattern::LazyBytePattern, query::PlaceRole, words::SplitWords};

/// Points for a word of the role in the name of a place.
const BY_NAME: usize = 6;
/// Points for a file of the role's kind.
const BY_PATH: usize = 3;
/// Points for a form of code that shows the role.
const BY_FORM: usize = 2;
/// Most forms of code that count.
const MAX_FORMS: usize = 2;
/// Most points for words of the text.
const MAX_BY_WORDS: usize = 2;
/// Points beside those of words that the strongest role needs.
const MIN_POINTS: usize = 3;

/// The cues of each role, with those of the configuration.
#[derive(Clone, Debug)]
pub struct RoleCues {
    by_role: BTreeMap<PlaceRole, Cues>,
    /// Tells these cues from others.
    fingerprint: u32,
}

#[derive(Clone, Debug)]
struct Cues {
    row: &'static RoleCue,
    words: Vec<String>,
    /// Words of the configuration that are searched for in the code as they are.
    phrases: Vec<String>,
}

impl Default for RoleCues {
    /// The built-in cues.
    fn default() -> Self {
        let cues = |row: &'static RoleCue| {
            let words = row.words.split(' ').map(str::to_owned).collect();
            (row.role, Cues { row, words, phrases: Vec::new() })
        };
        Self { by_role: TABLE.iter().map(cues).collect(), fingerprint: 0 }
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
            let Some(of_role) = cues.by_role.get_mut(&role.parse::<PlaceRole>()?) else { continue };
            for word in words.iter().map(|word| word.trim().to_lowercase()) {
                let stem = word.strip_suffix('*').unwrap_or(&word);
                if !stem.is_empty() && stem.chars().all(char::is_alphanumeric) {
                    of_role.words.push(word);
                } else if !stem.is_empty() {
                    of_role.phrases.push(word);
                }
            }
        }
        let mut hasher = FxHasher::default();
        for of_role in cues.by_role.values() {
            (&of_role.words, &of_role.phrases).hash(&mut hasher);
        }
        let hash = hasher.finish();
        cues.fingerprint = (hash ^ hash >> u32::BITS) as u32;
        Ok(cues)
    }

    /// Returns the roles that code of this text, in a file of these traits, plausibly plays.
    pub fn roles_of(&self, text: &str, traits: &FileTraits) -> BTreeSet<PlaceRole> {
        self.roles_in(&WordSplitText::of(text), traits)
    }

    /// Whether anything about the code or its file speaks for the claim that it plays `role`. More lenient than
    /// [`RoleCues::roles_of`]: an exported function may be an entry, any function a handler.
    pub fn backs(&self, role: PlaceRole, text: &str, traits: &FileTraits) -> bool {
        self.by_role.get(&role).is_some_and(|cues| {
            cues.match_path(traits)
                || cues.match_text(&WordSplitText::of(text))
                || cues.row.weak.is_match(text)
        })
    }

    /// Whether code is `role` by what it is, rather than by what it mentions: by the kind of its file, a form of code, a word in
    /// one of its `names`, or words of the configuration. `code` is best without comments. Whether code is a test, its place
    /// says and not its text: only the file decides here.
    pub fn shows(&self, role: PlaceRole, code: &str, names: &[&str], traits: &FileTraits) -> bool {
        self.by_role.get(&role).is_some_and(|cues| {
            let is_named = || {
                names.iter().any(|name| cues.words_in(&WordSplitText::of(name)).next().is_some())
            };
            cues.match_path_alone(traits)
                || (role != PlaceRole::Test && (cues.row.forms.is_match(code) || is_named()))
                || cues.match_configured(code)
        })
    }

    /// Returns what tells these cues from others.
    pub(crate) fn fingerprint(&self) -> u32 {
        self.fingerprint
    }

    /// Returns the roles that code of this text plays by its text alone, a bit each.
    pub(crate) fn noted_roles(&self, text: &str) -> u16 {
        let text = WordSplitText::of(text);
        let played = self.by_role.values().filter(|cues| cues.match_text(&text));
        played.fold(0, |note, cues| note | cues.bit())
    }

    /// Returns the roles that [`RoleCues::roles_of`] returns for the text of a note, in a file of these traits.
    pub(crate) fn roles_by_note(&self, note: u16, traits: &FileTraits) -> BTreeSet<PlaceRole> {
        let plausible = |cues: &Cues| note & cues.bit() != 0 || cues.match_path(traits);
        let roles = self.by_role.iter().filter(|(_, cues)| plausible(cues));
        roles.map(|(role, _)| *role).collect()
    }

    pub(crate) fn roles_in(
        &self,
        text: &WordSplitText<'_>,
        traits: &FileTraits,
    ) -> BTreeSet<PlaceRole> {
        let plausible = |cues: &Cues| cues.match_path(traits) || cues.match_text(text);
        let roles = self.by_role.iter().filter(|(_, cues)| plausible(cues));
        roles.map(|(role, _)| *role).collect()
    }

    /// Returns the role of `among` with the most evidence; the first of equals, and `None` when only words of the text are
    /// evidence.
    pub(crate) fn strongest(
        &self,
        among: &BTreeSet<PlaceRole>,
        name: &str,
        text: &WordSplitText<'_>,
        traits: &FileTraits,
    ) -> Option<PlaceRole> {
        let name = WordSplitText::of(name);
        let points = |role: PlaceRole| {
            let cues = self.by_role.get(&role)?;
            let by_name = if cues.words_in(&name).next().is_some() { BY_NAME } else { 0 };
            let forms = cues.row.forms.count(text.text, MAX_FORMS);
            let is_by_path = cues.match_path_alone(traits) || forms > 0 && cues.match_path(traits);
            let by_path = if is_by_path { BY_PATH } else { 0 };
            let points = by_name + by_path + BY_FORM * forms;
            (points >= MIN_POINTS).then(|| points + cues.words_in(text).take(MAX_BY_WORDS).count())
        };
        let scored = among.iter().rev().filter_map(|role| Some((points(*role)?, *role)));
        scored.max_by_key(|(points, _)| *points).map(|(_, role)| role)
    }
}

impl Cues {
    /// The bit of the role in a set of roles.
    fn bit(&self) -> u16 {
        1 << self.row.role as u16
    }

    fn match_path(&self, traits: &FileTraits) -> bool {
        (self.row.role == PlaceRole::Test && traits.test)
            || self.row.kinds.iter().any(|kind| traits.path_kinds.contains(kind))
    }

    /// As [`Cues::match_path`], by kinds of file that mean the role wherever they are: routes are pages in some frameworks
    /// only, and components are parts of any kind in some projects.
    fn match_path_alone(&self, traits: &FileTraits) -> bool {
        let is_clear = |kind: &PathKind| match kind {
            PathKind::Route => self.row.role == PlaceRole::Entry,
            kind => *kind != PathKind::Component,
        };
        (self.row.role == PlaceRole::Test && traits.test)
            || self.row.kinds.iter().any(|kind| is_clear(kind) && traits.path_kinds.contains(kind))
    }

    fn match_text(&self, text: &WordSplitText<'_>) -> bool {
        self.words_in(text).next().is_some()
            || self.phrases.iter().any(|phrase| text.lower().contains(phrase))
            || self.row.forms.is_match(text.text)
    }

    /// Whether a text has a word or phrase of the configuration.
    fn match_configured(&self, text: &str) -> bool {
        let built_in = self.row.words.split(' ').count();
        let own = &self.words[built_in.min(self.words.len())..];
        if own.is_empty() && self.phrases.is_empty() {
            return false;
        }
        let text = WordSplitText::of(text);
        own.iter().any(|word| is_among(word, &text))
            || self.phrases.iter().any(|phrase| text.lower().contains(phrase))
    }

    /// Returns the cues among the words of a text.
    fn words_in<'a>(&'a self, text: &'a WordSplitText<'_>) -> impl Iterator<Item = &'a String> {
        self.words.iter().filter(|word| is_among(word, text))
    }
}

/// A text with its words.
pub(crate) struct WordSplitText<'a> {
    text: &'a str,
    lower: OnceCell<String>,
    /// Sorted, each once.
    words: SplitWords,
}

impl<'a> WordSplitText<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        let mut words = SplitWords::of(text);
        words.sort_unique();
        Self { text, lower: OnceCell::new(), words }
    }

    fn lower(&self) -> &str {
        self.lower.get_or_init(|| self.text.to_lowercase())
    }
}

/// Whether a cue is among the words of a text.
fn is_among(cue: &str, text: &WordSplitText<'_>) -> bool {
    match cue.strip_suffix('*') {
        Some(stem) => text.words.first_not_below(stem).is_some_and(|found| found.starts_with(stem)),
        None => text.words.first_not_below(cue) == Some(cue),
    }
}

/// The cues of one role.
#[derive(Debug)]
struct RoleCue {
    role: PlaceRole,
    kinds: &'static [PathKind],
    /// Words that are compared with those inside identifiers, `loadUser` being `load` and `user`; `*` stands for any
    /// ending.
    words: &'static str,
    /// A pattern over the code.
    forms: LazyBytePattern,
    /// Forms that are common enough to back a claim, and too common to suggest a role.
    weak: LazyBytePattern,
}

static TABLE: [RoleCue; 11] = [
    RoleCue {
        role: PlaceRole::Entry,
        kinds: &[PathKind::Route],
        words: "main route* entry* entrypoint cli argv argparse listen listener endpoint bootstrap serve subcommand*",
        forms: LazyBytePattern::new(
            r#"(?m)\bfn main\s*\(|__name__\s*==|\b(?:app|router|server|mux|api)\.(?:get|post|put|delete|patch|use|route|handle\w*|HandleFunc|Handle)\s*\(|@(?:app|router|bp|api)\.\w+|@(?:Get|Post|Put|Delete|Patch|Request)Mapping|\baddEventListener\s*\(|\bexport\s+default\b"#,
        ),
        weak: LazyBytePattern::new(
            r"(?m)\bexport\s+(?:async\s+)?(?:function|class)\b|\bexport\s+const\s+\w+\s*=\s*(?:async\s*)?(?:\(|function)|\bpub(?:\([a-z]+\))?\s+(?:async\s+)?fn\b|\bpublic\b[^;=]*\(|^func\s+(?:\([^)]*\)\s*)?[A-Z]|^(?:async\s+)?def\s+[a-z]|^\s*(?:override\s+|open\s+|public\s+|suspend\s+)*fun\s+\w|\bopen\s+func\b|\blocation\.(?:hash|search|pathname|href)\b",
        ),
    },
    RoleCue {
        role: PlaceRole::Ui,
        kinds: &[PathKind::Component, PathKind::Hook, PathKind::Route],
        words: "component* button* modal* dialog* form forms view views widget* click* menu* toolbar* sidebar* page pages screen* layout* panel* tooltip* keyboard* css style* icon* tab tabs dropdown*",
        forms: LazyBytePattern::new(
            r"className=|\bon(?:Click|Change|Submit|Press|Tap)\b|@Component\b|\bsetState\b|</[A-Za-z][\w.]*>|\breturn\s*\(\s*<",
        ),
        weak: LazyBytePattern::new(r"\buse[A-Z]\w+\s*\(|/>"),
    },
    RoleCue {
        role: PlaceRole::Handler,
        kinds: &[PathKind::Action, PathKind::Service, PathKind::Api],
        words: "handle* callback* command* action* execut* process* dispatch* perform* submit* mutat* resolver* controller* service* invoke* worker* job jobs",
        forms: LazyBytePattern::new(r"\bon[A-Z]\w+\s*[=(:]"),
        weak: LazyBytePattern::new(
            r"\b(?:fn|def|func|function|sub|fun)\b|=>|\)\s*(?:const\s*)?(?:->\s*[^;{]+)?\{",
        ),
    },
    RoleCue {
        role: PlaceRole::State,
        kinds: &[PathKind::Store, PathKind::Hook],
        words: "state* store* reducer* context* cache* atom atoms signal* session* registry memo* observable* selector*",
        forms: LazyBytePattern::new(
            r"\b(?:setState|useState|useReducer|createSlice|createStore)\b|\b(?:Mutex|RwLock|RefCell|Atomic\w+)\b|\bsync\.(?:Map|Mutex|RWMutex)\b",
        ),
        weak: LazyBytePattern::new(
            r"\b(?:self|this)\.\w+\s*[-+*|]?=[^=]|\b(?:static|global|volatile|lateinit)\b|(?m:^var\b)|\b(?:private|protected|public|internal|override|open|weak)\s+var\b|\bvar\s+\w+\s*:[^=]|(?m:\bvar\s+\w+\s*=[^;{\n]*[^;{(\[,\n]$)|\blet\s+mut\b|\b\w*(?:Queue|Deque|Map|Set|List|Array|Vec)\s*<|\bnew\s+\w*(?:Queue|Deque|Map|Set|List|Array|Vec)\b",
        ),
    },
    RoleCue {
        role: PlaceRole::Data,
        kinds: &[PathKind::Service, PathKind::Store, PathKind::Config],
        words: "data dataset* quer* load* pars* fetch* decode* deseriali* read* select* model* transform* convert* normali* extract* lookup* find* filter* aggregate* index* record* payload*",
        forms: LazyBytePattern::new(r"(?i)\bselect\b[^;]*\bfrom\b"),
        weak: LazyBytePattern::new(
            r"\b(?:struct|class|interface|dataclass)\b|\.(?:map|filter|reduce|collect|iter)\s*\(",
        ),
    },
    RoleCue {
        role: PlaceRole::Api,
        kinds: &[PathKind::Api],
        words: "fetch* http* client* request* response* rpc grpc graphql rest api apis endpoint* axios socket* websocket* url urls uri webhook* server* middleware* header* remote* proxy* route*",
        forms: LazyBytePattern::new(r"https?://"),
        weak: LazyBytePattern::new(
            r"(?m)\b(?:GET|POST|PUT|PATCH|DELETE)\b|\bexport\s+(?:async\s+)?(?:function|class)\b|\bpub(?:\s+async)?\s+fn\b|\bpublic\b[^;=\n]*\(|^func\s+(?:\([^)]*\)\s*)?[A-Z]|^\s*(?:override\s+|open\s+|suspend\s+)*fun\s+\w|^\s*(?:async\s+)?def\s+[a-z]",
        ),
    },
    RoleCue {
        role: PlaceRole::Persistence,
        kinds: &[],
        words: "insert* save* persist* commit* write* upsert* database* db sql repository migrat* transaction* flush* publish* fsync",
        forms: LazyBytePattern::new(
            r#"(?i)\bupdate\s+\S+\s+set\b|\bdelete\s+from\b|\bcreate\s+table\b|\bfs::write\b|\bFile::create\b|\bopen\s*\([^)\n]*["'][wax]b?\+?["']|\bwriteFile\w*|\blocalStorage\b|\bos\.(?:WriteFile|Create)\b"#,
        ),
        weak: LazyBytePattern::new(
            r#"(?:(?:\b|_)(?:(?:[uU]pdat|[dD]elet|[dD]estroy|[sS]tor(?:e|ing)|[sS]et_?[aA]ttributes)\w*|[pP]ut(?:[A-Z_]\w*)?)|[a-z0-9](?:(?:Updat|Delet|Destroy|Stor(?:e|ing)|SetAttributes)\w*|Put(?:[A-Z]\w*)?))(?:\s*\(|!)|\.(?:\w+_)?(?:update|delete|destroy|store|put)(?:_\w+)?[ \t]+[:"'\w@\[{]"#,
        ),
    },
    RoleCue {
        role: PlaceRole::Render,
        kinds: &[PathKind::Component, PathKind::Route],
        words: "render* draw* paint* canvas* jsx html template* dom svg pixel* display* layout* frame* webgl shader* view views print*",
        forms: LazyBytePattern::new(r"</[A-Za-z][\w.]*>|\breturn\s*\(\s*<"),
        weak: LazyBytePattern::new(r"/>"),
    },
    RoleCue {
        role: PlaceRole::Output,
        kinds: &[],
        words: "serializ* serialis* output* emit* download* report* response* stdout print* format* encode* generat* write* dump* json csv pdf reply*",
        forms: LazyBytePattern::new(
            r"\bexport[A-Z_]\w*|(?i:\bexport(?:er|ers|ing|ed)\b)|\bfn fmt\b",
        ),
        weak: LazyBytePattern::new(r"\breturn\b"),
    },
    RoleCue {
        role: PlaceRole::Type,
        kinds: &[PathKind::Type],
        words: "interface* struct* trait traits enum* protocol* typedef typealias schema* dataclass",
        forms: LazyBytePattern::new(
            r"(?m)^\s*(?:export\s+)?(?:declare\s+)?(?:pub(?:\([a-z]+\))?\s+)?type\s+\w+",
        ),
        weak: LazyBytePattern::new(
            r"(?m)^\s*(?:export\s+|public\s+|abstract\s+|final\s+|data\s+|sealed\s+)*(?:class|record|union)\s+\w+",
        ),
    },
    RoleCue {
        role: PlaceRole::Test,
        kinds: &[],
        words: "assert* expect* pytest unittest",
        forms: LazyBytePattern::new(
            r"#\[(?:\w+::)?test\b|\b(?:describe|it|test)\s*\(|@Test\b|\bdef test_|\bfunc Test[A-Z]|\bXCTAssert",
        ),
        weak: LazyBytePattern::new(r"\bshould\b"),
    },
];
