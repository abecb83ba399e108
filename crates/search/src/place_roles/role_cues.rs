//! The built-in cues of each role: conventions of programming at large.

use crate::{lazy_byte_pattern::LazyBytePattern, query::PlaceRole};
use retriever_workspace::PathKind;

/// The cues of one role.
#[derive(Debug)]
pub(super) struct RoleCue {
    pub(super) role: PlaceRole,
    pub(super) kinds: &'static [PathKind],
    /// Words that are compared with those inside identifiers, `loadUser` being `load` and `user`; `*` stands for any
    /// ending.
    pub(super) words: &'static str,
    /// A pattern over the code.
    pub(super) forms: LazyBytePattern,
    /// Forms that are common enough to back a claim, and too common to suggest a role.
    pub(super) weak: LazyBytePattern,
}

pub(super) static TABLE: [RoleCue; 11] = [
    RoleCue {
        role: PlaceRole::Entry,
        kinds: &[PathKind::Route],
        words: "main route* entry* entrypoint cli argv argparse listen listener endpoint bootstrap serve subcommand*",
        forms: LazyBytePattern::new(
            r#"(?m)\bfn main\s*\(|__name__\s*==|\b(?:app|router|server|mux|api)\.(?:get|post|put|delete|patch|use|route|handle\w*|HandleFunc|Handle)\s*\(|@(?:app|router|bp|api)\.\w+|@(?:Get|Post|Put|Delete|Patch|Request)Mapping|\baddEventListener\s*\(|\bexport\s+default\b"#,
        ),
        weak: LazyBytePattern::new(
            r"(?m)\bexport\s+(?:async\s+)?(?:function|class)\b|\bexport\s+const\s+\w+\s*=\s*(?:async\s*)?(?:\(|function)|\bpub(?:\([a-z]+\))?\s+(?:async\s+)?fn\b|\bpublic\b[^;=]*\(|^func\s+(?:\([^)]*\)\s*)?[A-Z]|^(?:async\s+)?def\s+[a-z]",
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
        weak: LazyBytePattern::new(r"\b(?:self|this)\.\w+\s*[-+*|]?=[^=]|\b(?:static|global)\b"),
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
        weak: LazyBytePattern::new(r"\b(?:GET|POST|PUT|PATCH|DELETE)\b"),
    },
    RoleCue {
        role: PlaceRole::Persistence,
        kinds: &[],
        words: "insert* save* persist* commit* write* upsert* database* db sql repository migrat* transaction* flush* enqueue* publish* fsync",
        forms: LazyBytePattern::new(
            r#"(?i)\bupdate\s+\S+\s+set\b|\bdelete\s+from\b|\bcreate\s+table\b|\bfs::write\b|\bFile::create\b|\bopen\s*\([^)\n]*["'][wax]b?\+?["']|\bwriteFile\w*|\blocalStorage\b|\bos\.(?:WriteFile|Create)\b"#,
        ),
        weak: LazyBytePattern::new(r"(?i)\b\w*(?:update|delete|store|queue|put)\w*\s*\("),
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
