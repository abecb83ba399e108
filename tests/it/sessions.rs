//! Sessions: an answer is given again exactly while nothing that it depends on has changed, and what the caller was told of
//! once is named by its ID afterwards.

use std::{
    fs,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use pretty_assertions::assert_eq;
use retriever::{
    Prompt, Prompts, Question, Retriever, RetrieverBuilder, RunOptions,
    config::EffortPreset,
    config::{BudgetConfig, Config},
    report::{CodeMap, MapStatus, PlaceList},
    search::{Intent, PlaceRole},
};
use serde_json::{Value, json};

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
};

const PROJECT: &str = "\
//- /repo/.gitignore
/out
//- /repo/src/queue.rs
/// Puts a job into the queue.
pub fn enqueue_job(job: Job) {
    QUEUE.lock().push(job);
}
//- /repo/src/worker.rs
/// Takes jobs off the queue.
pub fn run_worker() {
    while let Some(job) = QUEUE.lock().pop() {
        job.run();
    }
}
//- /repo/.hidden/notes.md
Jobs are run in order.
//- /repo/out/log.txt
enqueue_job done
";

const QUESTION: &str = "how are jobs queued?";

/// A machine with one repository and a cache.
struct Machine(Fixture);

impl Machine {
    fn new() -> Self {
        Self(Fixture::new(PROJECT))
    }

    fn builder(&self) -> RetrieverBuilder {
        Retriever::builder(self.0.root().join("repo")).cache(Some(self.0.root().join("cache")))
    }

    fn write(&self, path: &str, text: &str) {
        self.0.write(&format!("repo/{path}"), text);
    }

    /// The session files, sorted.
    fn files(&self) -> Vec<std::path::PathBuf> {
        let cache = self.0.root().join("cache");
        let mut found: Vec<_> = walkdir::WalkDir::new(cache)
            .into_iter()
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .map(walkdir::DirEntry::into_path)
            .filter(|path| path.extension().is_some_and(|found| found == "session"))
            .collect();
        found.sort();
        found
    }
}

fn asked(text: &str) -> Question {
    Question { session: Some("chat".parse().unwrap()), ..Question::new(text) }
}

/// A server that calls once, then reports the queue, for every conversation.
fn server(call: (&'static str, Value)) -> ModelServer {
    ModelServer::start(Vec::new()).otherwise(move || {
        let call = call.clone();
        Turn::responds(move |request| {
            if request["messages"].as_array().unwrap().len() == 2 {
                return Turn::calls([("read", json!({"file": "src/queue.rs"})), call]);
            }
            Turn::submits(report())
        })
    })
}

fn plain_server() -> ModelServer {
    server(("grep", json!({"pattern": "run_worker"})))
}

fn report() -> Value {
    json!({
        "summary": "Jobs are pushed by enqueue_job.",
        "primary": [{"ref": "src/queue.rs:1-4", "role": "handler", "why": "pushes the job", "symbols": ["enqueue_job"]}],
        "findings": [{"fact": "enqueue_job pushes to QUEUE.", "refs": ["src/queue.rs:2-3"]}],
    })
}

async fn ask(retriever: &Retriever, question: &Question) -> CodeMap {
    ask_with(retriever, question, BudgetConfig::default()).await
}

async fn ask_with(retriever: &Retriever, question: &Question, budget: BudgetConfig) -> CodeMap {
    let options = RunOptions { budget, ..RunOptions::default() };
    let map = retriever.ask(question.clone(), options).await.unwrap().map;
    assert_eq!(retriever.warnings(), Vec::<String>::new());
    map
}

fn is_hit(map: &CodeMap) -> bool {
    map.meta.session.unwrap().hit
}

/// The map without what belongs to the moment.
fn lasting(mut map: CodeMap) -> CodeMap {
    (map.meta.session, map.meta.usage) = (None, None);
    (map.meta.elapsed_ms, map.meta.report_tokens) = (0, 0);
    map
}

#[tokio::test]
async fn an_equal_question_is_answered_without_the_model_and_counted() {
    let machine = Machine::new();
    let server = plain_server();
    let retriever = machine.builder().model(Arc::new(server.model())).build().unwrap();
    let first = ask(&retriever, &asked(QUESTION)).await;
    assert!(!is_hit(&first));
    let requests = server.requests().len();
    // Another process finds it, too; space and the last mark are no difference.
    let again = machine.builder().model(Arc::new(server.model())).build().unwrap();
    let second = ask(&again, &asked("  how are jobs\tqueued ")).await;
    assert_eq!(second.question, "  how are jobs\tqueued ");
    assert_eq!(server.requests().len(), requests);
    assert_eq!(second.meta.usage, None);
    let told = second.meta.session.unwrap();
    assert_eq!((told.hit, told.questions, told.hits), (true, 2, 1));
    let same = CodeMap { question: QUESTION.to_owned(), ..second };
    assert_eq!(lasting(same), lasting(first));
    // Another session, or none, knows nothing of it.
    let other = Question { session: Some("other".parse().unwrap()), ..asked(QUESTION) };
    assert!(!is_hit(&ask(&again, &other).await));
    let none = ask(&again, &Question { session: None, ..asked(QUESTION) }).await;
    assert_eq!((none.meta.session, none.primary[0].place.id.as_deref()), (None, None));
    assert!(server.requests().len() > requests);
}

#[tokio::test]
async fn sessions_without_a_cache_last_as_long_as_the_retriever() {
    let machine = Machine::new();
    let retriever = machine.builder().cache(None).build().unwrap();
    assert!(!is_hit(&ask(&retriever, &asked(QUESTION)).await));
    assert!(is_hit(&ask(&retriever, &asked(QUESTION)).await));
    let another = machine.builder().cache(None).build().unwrap();
    assert!(!is_hit(&ask(&another, &asked(QUESTION)).await));
    assert_eq!(machine.files().len(), 0);
}

#[tokio::test]
async fn any_change_of_the_tree_or_of_what_was_named_is_a_miss() {
    type Change = fn(&Machine);
    let changes: &[(&str, (&str, Value), Change)] = &[
        ("an observed file", ("glob", json!({"pattern": "*"})), |machine| {
            machine.write("src/queue.rs", "/// Puts a job into the queue.\npub fn enqueue_job(job: Job) {\n    QUEUE.lock().post(job);\n}\n");
        }),
        ("the same length and time", ("glob", json!({"pattern": "*"})), |machine| {
            let path = machine.0.root().join("repo/src/queue.rs");
            let time = fs::metadata(&path).unwrap().modified().unwrap();
            let text = fs::read_to_string(&path).unwrap().replace("push", "post");
            fs::write(&path, text).unwrap();
            fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        }),
        ("a file that was never shown", ("glob", json!({"pattern": "*"})), |machine| {
            machine.write("src/worker.rs", "// Emptied.\n");
        }),
        (
            "a file where nothing matched",
            ("grep", json!({"pattern": "no_such_thing", "path": "src"})),
            |machine| {
                machine.write("src/more.rs", "fn no_such_thing() {}\n");
            },
        ),
        (
            "a path that was not there",
            ("read", json!({"file": ".hidden/later.md:1-9"})),
            |machine| {
                machine.write(".hidden/later.md", "It is there now.\n");
            },
        ),
        (
            "a folder that was not there",
            ("glob", json!({"pattern": ".later/**/*.yml"})),
            |machine| {
                machine.write(".later/a.yml", "a: 1\n");
            },
        ),
        ("a hidden file that was read", ("read", json!({"file": ".hidden/notes.md"})), |machine| {
            machine.write(".hidden/notes.md", "Jobs are run at random.\n");
        }),
        ("an ignored file that was read", ("read", json!({"file": "out/log.txt"})), |machine| {
            machine.write("out/log.txt", "nothing\n");
        }),
        ("a file that is gone", ("glob", json!({"pattern": "*"})), |machine| {
            fs::remove_file(machine.0.root().join("repo/src/worker.rs")).unwrap();
        }),
        ("what is ignored", ("glob", json!({"pattern": "*"})), |machine| {
            machine.write(".gitignore", "/out\nworker.rs\n");
        }),
    ];
    for (what, call, change) in changes {
        let machine = Machine::new();
        let server = server(call.clone());
        let retriever = machine.builder().model(Arc::new(server.model())).build().unwrap();
        ask(&retriever, &asked(QUESTION)).await;
        assert!(is_hit(&ask(&retriever, &asked(QUESTION)).await), "{what}");
        change(&machine);
        let map = ask(&retriever, &asked(QUESTION)).await;
        assert!(!is_hit(&map), "{what}");
    }
}

#[tokio::test]
async fn what_nobody_can_watch_is_not_kept() {
    for call in [
        ("grep", json!({"pattern": "enqueue", "path": "out"})),
        ("glob", json!({"pattern": "*", "path": ".hidden"})),
    ] {
        let machine = Machine::new();
        let server = server(call.clone());
        let retriever = machine.builder().model(Arc::new(server.model())).build().unwrap();
        for _ in 0..2 {
            assert!(!is_hit(&ask(&retriever, &asked(QUESTION)).await), "{call:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_asked_the_graph_database_is_not_kept_however_the_model_wrote_it() {
    let asks = |everywhere: Value| json!({"operation": "callers", "target": "run_worker", "everywhere": everywhere});
    let cases = [
        (asks(json!(true)), false),
        (asks(json!("true")), false),
        (asks(json!("yes")), false),
        (asks(json!(1)), false),
        (json!(asks(json!(true)).to_string()), false),
        (asks(json!(false)), true),
        (asks(Value::Null), true),
    ];
    for (arguments, kept) in cases {
        let machine = Machine::new();
        let server = server(("graph", arguments.clone()));
        let retriever = machine.builder().model(Arc::new(server.model())).build().unwrap();
        assert!(!is_hit(&ask(&retriever, &asked(QUESTION)).await));
        assert_eq!(is_hit(&ask(&retriever, &asked(QUESTION)).await), kept, "{arguments}");
    }
}

#[tokio::test]
async fn a_run_that_failed_or_whose_files_changed_meanwhile_is_not_kept() {
    let machine = Machine::new();
    let failing = ModelServer::start(Vec::new())
        .otherwise(|| Turn::raw(401, &[], json!({"error": {"message": "no"}})));
    let retriever = machine.builder().model(Arc::new(failing.model())).build().unwrap();
    for _ in 0..2 {
        let map = ask(&retriever, &asked(QUESTION)).await;
        assert_eq!((map.status, is_hit(&map)), (MapStatus::Fallback, false));
    }

    let edited = machine.0.root().join("repo/src/worker.rs");
    let changing = ModelServer::start(Vec::new()).otherwise(move || {
        let edited = edited.clone();
        Turn::responds(move |request| {
            if request["messages"].as_array().unwrap().len() == 2 {
                return Turn::calls([("read", json!({"file": "src/queue.rs"}))]);
            }
            let text = fs::read_to_string(&edited).unwrap();
            fs::write(&edited, text + "// One more.\n").unwrap();
            Turn::submits(report())
        })
    });
    let retriever = machine.builder().model(Arc::new(changing.model())).build().unwrap();
    for _ in 0..2 {
        assert!(!is_hit(&ask(&retriever, &asked(QUESTION)).await));
    }
}

#[tokio::test]
async fn an_answer_belongs_to_its_question_its_model_and_its_prompts() {
    let machine = Machine::new();
    let server = plain_server();
    let standard = || machine.builder().model(Arc::new(server.model()));
    let mut prompts = Prompts::default();
    prompts.replace(Prompt::Nudge, "Be quick. {left} {submit}").unwrap();
    let renamed = retriever::config::ModelConfig { name: "other".to_owned(), ..server.config() };
    let fewer = Config {
        workspace: retriever::config::WorkspaceConfig {
            ignore: vec!["*.md".to_owned()],
            ..Default::default()
        },
        ..Config::default()
    };
    let question = asked(QUESTION);
    let quick = BudgetConfig { effort: EffortPreset::Quick, ..BudgetConfig::default() };
    let usual = BudgetConfig::default();
    let cases: Vec<(&str, RetrieverBuilder, Question, &BudgetConfig)> = vec![
        ("prompts", standard().prompts(prompts), question.clone(), &usual),
        (
            "model",
            machine.builder().model(Arc::new(server.model_with(&renamed))),
            question.clone(),
            &usual,
        ),
        ("no model", machine.builder(), question.clone(), &usual),
        ("configuration", standard().config(fewer), question.clone(), &usual),
        ("effort", standard(), question.clone(), &quick),
        ("intent", standard(), Question { intent: Intent::Edit, ..question.clone() }, &usual),
        (
            "roles",
            standard(),
            Question { roles: vec![PlaceRole::State], ..question.clone() },
            &usual,
        ),
        (
            "hints",
            standard(),
            Question { hints: vec!["src".to_owned()], ..question.clone() },
            &usual,
        ),
        ("words", standard(), asked("how are Jobs queued?"), &usual),
    ];
    ask(&standard().build().unwrap(), &question).await;
    for (what, builder, question, budget) in cases {
        let retriever = builder.build().unwrap();
        assert!(!is_hit(&ask_with(&retriever, &question, budget.clone()).await), "{what}");
        assert!(is_hit(&ask_with(&retriever, &question, budget.clone()).await), "{what}");
    }
    assert!(is_hit(&ask(&standard().build().unwrap(), &question).await));
}

#[tokio::test]
async fn a_follow_up_names_known_places_by_their_ids_and_new_ones_in_full() {
    let machine = Machine::new();
    let script = |second: Value| {
        vec![
            Turn::calls([("read", json!({"file": "src/queue.rs"}))]),
            Turn::submits(report()),
            Turn::calls([
                ("read", json!({"file": "src/queue.rs"})),
                ("read", json!({"file": "src/worker.rs"})),
            ]),
            Turn::submits(second),
        ]
    };
    let second = json!({
        "summary": "Workers pop what was pushed.",
        "primary": [
            {"ref": "src/worker.rs:1-6", "role": "handler", "why": "pops the job"},
            {"ref": "src/queue.rs:2-4", "role": "entry", "why": "pushed it before"},
        ],
        "findings": [{"fact": "run_worker pops from QUEUE.", "refs": ["src/worker.rs:2-3", "src/queue.rs:3-3"]}],
        "read_targets": [{"ref": "src/queue.rs:1-4", "purpose": "see what is pushed", "required": true}],
    });
    let server = ModelServer::start(script(second.clone()));
    let retriever = machine.builder().model(Arc::new(server.model())).build().unwrap();
    let first = ask(&retriever, &asked(QUESTION)).await;
    assert_eq!(first.primary[0].place.id.as_deref(), Some("s1"));
    // A finding inside a place of the same map goes by that place.
    assert_eq!((first.findings[0].refs.len(), &first.findings[0].refs[0].id), (1, &None));
    assert!(first.known.is_empty());

    let map = ask(&retriever, &asked("who takes jobs off the queue?")).await;
    let schemas = retriever::schemas();
    let value = serde_json::to_value(&map).unwrap();
    assert!(jsonschema::is_valid(&schemas["code_map"], &value), "{value}");
    let primary: Vec<_> =
        map.primary.iter().map(|it| (it.place.path.as_str(), it.place.id.as_deref())).collect();
    assert_eq!(primary, [("src/worker.rs", Some("s2"))]);
    let known: Vec<_> = map
        .known
        .iter()
        .map(|it| {
            let lines = (it.place.path.as_str(), it.place.start, it.place.end);
            (it.place.id.as_deref(), lines, it.list, it.why.as_str(), it.required)
        })
        .collect();
    assert_eq!(
        known,
        [
            (Some("s1"), ("src/queue.rs", 2, 4), PlaceList::Primary, "pushed it before", false),
            (
                Some("s1"),
                ("src/queue.rs", 1, 4),
                PlaceList::ReadTargets,
                "see what is pushed",
                true
            ),
        ]
    );
    assert_eq!(map.findings[0].refs.len(), 2);

    // The renderers say it, and print no code that was not asked for again.
    use retriever::report::render::{MapTextLayout, Snippets, markdown, text};
    let read = |path: &str, range| retriever.code(path, range);
    let code = Snippets { read: &read, max_tokens: 4_000 };
    for printed in [markdown(&map, Some(&code)), text(&map, &MapTextLayout::default(), Some(&code))]
    {
        for said in [
            "s1",
            "[s2]",
            "pushed it before",
            ", src/queue.rs:3]",
            "pops the job",
            "QUEUE.lock().pop()",
        ] {
            assert!(printed.contains(said), "{said}\n{printed}");
        }
        assert!(!printed.contains("QUEUE.lock().push"), "{printed}");
    }

    // Once the file is another, its places are told anew.
    machine.write("src/queue.rs", "// Moved.\n\npub fn enqueue_job(job: Job) {}\n// End.\n");
    let changed = json!({
        "summary": "enqueue_job is empty.",
        "primary": [{"ref": "src/queue.rs:3-3", "role": "handler", "why": "does nothing"}],
    });
    let server = ModelServer::start(vec![
        Turn::calls([("read", json!({"file": "src/queue.rs"}))]),
        Turn::submits(changed),
    ]);
    let retriever = machine.builder().model(Arc::new(server.model())).build().unwrap();
    let map = ask(&retriever, &asked(QUESTION)).await;
    assert_eq!((map.primary[0].place.id.as_deref(), map.known.len()), (Some("s3"), 0));
}

#[tokio::test]
async fn a_damaged_session_is_left_behind_with_one_warning() {
    let machine = Machine::new();
    ask(&machine.builder().build().unwrap(), &asked(QUESTION)).await;
    let file = machine.files().pop().unwrap();
    let whole = fs::read(&file).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [flipped, whole[..whole.len() / 2].to_vec(), Vec::new(), b"\xff\0".to_vec()] {
        fs::write(&file, damaged).unwrap();
        let retriever = machine.builder().build().unwrap();
        let map = retriever.ask(asked(QUESTION), RunOptions::default()).await.unwrap().map;
        assert!(!is_hit(&map) && !map.primary.is_empty());
        let warnings = retriever.warnings();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(warnings[0].contains("damaged"), "{warnings:?}");
        assert!(is_hit(&ask(&retriever, &asked(QUESTION)).await));
    }
}

#[tokio::test]
async fn a_folder_that_can_not_be_written_costs_the_session_and_not_the_answer() {
    let machine = Machine::new();
    machine.0.write("cache", "a file");
    let retriever = machine.builder().build().unwrap();
    for expected in [1, 0] {
        let map = retriever.ask(asked(QUESTION), RunOptions::default()).await.unwrap().map;
        assert!(!map.primary.is_empty() && !is_hit(&map));
        let warnings = retriever.warnings();
        let of_session = warnings.iter().filter(|warning| warning.contains("session")).count();
        assert_eq!(of_session, expected, "{warnings:?}");
    }
}

#[tokio::test]
async fn sessions_are_bounded_in_number_and_size() {
    let machine = Machine::new();
    let retriever = machine.builder().build().unwrap();
    let budget = BudgetConfig { effort: EffortPreset::Quick, ..BudgetConfig::default() };
    for number in 0..70 {
        let session = Some(format!("chat {number}").parse().unwrap());
        let question = Question { session, ..asked(QUESTION) };
        ask_with(&retriever, &question, budget.clone()).await;
        ask_with(&retriever, &asked(&format!("{QUESTION} {number}")), budget.clone()).await;
    }
    assert_eq!(machine.files().len(), 64);
    let kept = machine.files().into_iter().map(|file| fs::read_to_string(file).unwrap());
    let answers: Vec<usize> = kept
        .map(|text| {
            assert!(text.len() <= 1024 * 1024 + 200);
            let body: Value = serde_json::from_str(text.splitn(3, '\n').nth(2).unwrap()).unwrap();
            body["answers"].as_array().unwrap().len()
        })
        .collect();
    assert_eq!(answers.iter().max(), Some(&64), "{answers:?}");
    // The newest answers are the ones that are left.
    assert!(is_hit(&ask_with(&retriever, &asked(&format!("{QUESTION} 69")), budget.clone()).await));
    assert!(!is_hit(&ask_with(&retriever, &asked(&format!("{QUESTION} 0")), budget).await));
}

#[tokio::test]
async fn a_session_keeps_at_most_a_megabyte_of_answers_on_disk_and_in_memory() {
    let machine = Machine::new();
    for cache in [Some(machine.0.root().join("cache")), None] {
        let retriever = machine.builder().cache(cache).build().unwrap();
        let large = |number: u32| asked(&format!("{QUESTION}{number:60000}"));
        for number in 0..20 {
            ask(&retriever, &large(number)).await;
        }
        let hits = [19, 0].map(async |number| is_hit(&ask(&retriever, &large(number)).await));
        let [newest, oldest] = hits;
        assert_eq!((newest.await, oldest.await), (true, false));
    }
}

#[tokio::test]
async fn an_answer_is_given_again_for_a_day() {
    let machine = Machine::new();
    ask(&machine.builder().build().unwrap(), &asked(QUESTION)).await;
    let file = machine.files().pop().unwrap();
    let minute = 60;
    let day = 24 * 60 * minute;
    for (age, expected) in [(day - minute, true), (day + minute, false)] {
        let text = fs::read_to_string(&file).unwrap();
        let parts: Vec<&str> = text.splitn(3, '\n').collect();
        let mut body: Value = serde_json::from_str(parts[2]).unwrap();
        let given = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
        body["answers"][0]["answered"] = json!(given.as_secs() - age);
        let body = body.to_string();
        let hash = blake3::hash(body.as_bytes()).to_hex();
        fs::write(&file, format!("{}\n{hash}\n{body}", parts[0])).unwrap();
        let map = ask(&machine.builder().build().unwrap(), &asked(QUESTION)).await;
        assert_eq!(is_hit(&map), expected, "{age} s");
    }
    // What was too old is replaced by the new answer.
    assert!(is_hit(&ask(&machine.builder().build().unwrap(), &asked(QUESTION)).await));
}

#[test]
fn processes_side_by_side_lose_nothing() {
    let machine = Machine::new();
    let program = || {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin("retriever"));
        command
            .env_clear()
            .env("HOME", machine.0.root().join("home"))
            .env("XDG_CACHE_HOME", machine.0.root().join("cache"))
            .args(["ask", "--offline", "--session", "chat", "--format", "json"])
            .current_dir(machine.0.root().join("repo"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    };
    let question = |number: usize| format!("how are jobs queued, number {number}?");
    let told = |child: Child| -> (bool, u64) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!said.contains("session"), "{said}");
        let map: CodeMap = serde_json::from_slice(&output.stdout).expect(&said);
        let told = map.meta.session.unwrap();
        (told.hit, told.questions)
    };
    let all = || -> Vec<(bool, u64)> {
        let children: Vec<Child> =
            (0..8).map(|number| program().arg(question(number)).spawn().unwrap()).collect();
        let mut all: Vec<_> = children.into_iter().map(told).collect();
        all.sort_unstable();
        all
    };
    assert_eq!(all(), (1..=8).map(|count| (false, count)).collect::<Vec<_>>());
    assert_eq!(all(), (9..=16).map(|count| (true, count)).collect::<Vec<_>>());
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_side_by_side_lose_nothing() {
    let machine = Machine::new();
    let runs: Vec<_> = (0..12)
        .map(|number| {
            // Each with its own store, as processes have.
            let retriever = machine.builder().build().unwrap();
            tokio::spawn(async move {
                ask(&retriever, &asked(&format!("how are jobs queued, number {number}?"))).await
            })
        })
        .collect();
    let mut maps = Vec::new();
    for run in runs {
        maps.push(run.await.unwrap());
    }
    let mut counts: Vec<u64> = maps.iter().map(|map| map.meta.session.unwrap().questions).collect();
    counts.sort_unstable();
    assert_eq!(counts, (1..=12).collect::<Vec<u64>>());
    // An ID never stands for two places.
    let mut named: Vec<(String, String, u32, u32)> = Vec::new();
    for map in &maps {
        for place in &map.primary {
            let id = place.place.id.clone().unwrap();
            named.push((id, place.place.path.clone(), place.place.start, place.place.end));
        }
    }
    named.sort();
    named.dedup();
    let ids: std::collections::BTreeSet<_> = named.iter().map(|(id, ..)| id).collect();
    assert_eq!(ids.len(), named.len(), "{named:?}");
    for number in 0..12 {
        let retriever = machine.builder().build().unwrap();
        let question = asked(&format!("how are jobs queued, number {number}?"));
        assert!(is_hit(&ask(&retriever, &question).await), "{number}");
    }
}

#[tokio::test]
async fn a_sessions_name_is_never_a_path() {
    let machine = Machine::new();
    let retriever = machine.builder().build().unwrap();
    for name in ["../../escape", "/tmp/escape", "a/b", "..", "con", "ü 名前"] {
        let question = Question { session: Some(name.parse().unwrap()), ..asked(QUESTION) };
        ask(&retriever, &question).await;
    }
    let files = machine.files();
    assert_eq!(files.len(), 6);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        assert!(name.len() == 32 && name.bytes().all(|b| b.is_ascii_hexdigit()), "{name}");
        assert_eq!(file.parent().unwrap().file_name().unwrap(), "sessions");
    }
    for refused in ["", "  ", "a\nb", "\u{1b}[2J", &"x".repeat(129)] {
        assert!(refused.parse::<retriever::search::SessionId>().is_err(), "{refused:?}");
        let object = json!({"question": "x", "session": refused});
        assert!(serde_json::from_value::<Question>(object).is_err(), "{refused:?}");
    }
}

#[tokio::test]
async fn a_map_of_a_session_keeps_to_its_limit() {
    let machine = Machine::new();
    let mut config = Config::default();
    config.report.max_tokens = 420;
    let retriever = machine.builder().config(config).build().unwrap();
    for number in 0..4 {
        let map =
            ask(&retriever, &asked(&format!("how are jobs queued and run, part {number}?"))).await;
        assert!(map.meta.report_tokens <= 420, "{}", map.meta.report_tokens);
    }
}
