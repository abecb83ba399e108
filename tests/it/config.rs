//! Configuration: layers, their order, what an untrusted workspace may say, and what messages must not say.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use pretty_assertions::assert_eq;
use retriever::{
    config::{BudgetConfig, EffortPreset, RunBudget},
    config::{
        Config, ConfigError, ConfigSources, LoadedConfig, ProcessEnvironment, Setting, endpoint,
        find_roots, load,
    },
};
use secrecy::ExposeSecret;
use serde_json::json;

use crate::support::fixture::Fixture;

#[test]
fn the_room_of_a_map_is_that_of_the_effort_unless_it_is_set() {
    let mut config = Config::default();
    for (effort, tokens) in
        [(EffortPreset::Quick, 900), (EffortPreset::Medium, 1_600), (EffortPreset::Thorough, 2_600)]
    {
        config.budget.effort = effort;
        config.report.max_tokens = 0;
        assert_eq!(config.limits(&config.budget, 10).map_tokens, tokens);
        config.report.max_tokens = 700;
        assert_eq!(config.limits(&config.budget, 100_000).map_tokens, 700);
    }
}

/// One machine: `home/` holds the user's file, `work/` is the workspace.
struct Machine {
    files: Fixture,
    variables: Vec<(&'static str, String)>,
    flags: Vec<Setting>,
}

impl Machine {
    fn new(user: &str, workspace: &str) -> Self {
        let files = Fixture::new("");
        files.write("work/src/lib.rs", "");
        if !user.is_empty() {
            files.write("home/.config/retriever/config.toml", user);
        }
        if !workspace.is_empty() {
            files.write("work/retriever.toml", workspace);
        }
        Self { files, variables: Vec::new(), flags: Vec::new() }
    }

    fn variable(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn flag(mut self, flag: Setting) -> Self {
        self.flags.push(flag);
        self
    }

    fn load_with(&self, file: Option<&Path>) -> Result<LoadedConfig, ConfigError> {
        let home = self.files.root().join("home");
        let home = home.to_str().unwrap();
        let variables = self.variables.iter().map(|(name, value)| (*name, value.as_str()));
        let environment =
            ProcessEnvironment::new(self.files.root(), variables.chain([("HOME", home)]));
        load(&ConfigSources {
            environment: &environment,
            config_file: file,
            roots: &[self.files.root().join("work")],
            flags: &self.flags,
        })
    }

    fn load(&self) -> LoadedConfig {
        self.load_with(None).unwrap()
    }

    fn error(&self) -> ConfigError {
        self.load_with(None).unwrap_err()
    }
}

fn in_one_line(error: &ConfigError) -> String {
    format!("{error} | {}", error.hint().unwrap_or_default())
}

#[test]
fn the_example_documents_every_key_with_its_default() {
    let text = include_str!("../../config.example.toml");
    let table: toml::Table = toml::from_str(text).unwrap();
    assert_eq!(toml::from_str::<Config>(text).unwrap(), Config::default());
    assert_eq!(table, toml::Table::try_from(Config::default()).unwrap());
}

#[test]
fn the_example_is_a_valid_file_and_changes_nothing() {
    let machine = Machine::new(include_str!("../../config.example.toml"), "");
    // Prompts stay empty, though paths are taken from the file's folder.
    assert_eq!(machine.load().config, Config::default());
}

#[test]
fn the_example_names_every_variable_that_is_a_setting() {
    let text = include_str!("../../config.example.toml");
    for (variable, _) in retriever::config::process_environment::VARIABLES {
        assert!(text.contains(variable), "{variable} is not in config.example.toml");
    }
}

#[test]
fn later_layers_win_and_each_value_keeps_its_origin() {
    let machine =
        Machine::new("[model]\nname = \"file\"\nretries = 1\n", "[budget]\nmax_steps = 5\n")
            .variable("RETRIEVER_MODEL", "variable")
            .variable("RETRIEVER_MAX_TOOL_CALLS", "7")
            .variable("OPENAI_BASE_URL", "http://localhost:1/v1")
            .variable("RETRIEVER_BASE_URL", "http://localhost:2/v1")
            .variable("RETRIEVER_EFFORT", "")
            .flag(Setting::flag("--model", "model.name", "flag"));
    let loaded = machine.load();

    assert_eq!(loaded.config.model.name, "flag");
    assert_eq!(loaded.config.model.base_url, "http://localhost:2/v1");
    assert_eq!(loaded.config.model.retries, 1);
    assert_eq!(loaded.config.limits(&loaded.config.budget, 0).steps, 5);
    assert_eq!(loaded.config.budget.effort, EffortPreset::Medium);

    let shown = loaded.to_toml();
    let root = machine.files.root().to_str().unwrap();
    let shown = shown.replace(root, "");
    for line in [
        "# /home/.config/retriever/config.toml (read)",
        "# /work/retriever.toml (read)",
        "# key: not set",
        "name = \"flag\"  # from --model",
        "base_url = \"http://localhost:2/v1\"  # from RETRIEVER_BASE_URL",
        "retries = 1  # from /home/.config/retriever/config.toml",
        "max_steps = 5  # from /work/retriever.toml",
        "max_tool_calls = 7  # from RETRIEVER_MAX_TOOL_CALLS",
        "effort = \"medium\"",
        "observation_tokens = 0  # 60000 by effort medium",
        "timeout_s = 0  # 300 by effort medium",
        "max_tokens = 0  # 1600 by effort medium",
    ] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
    }
    let effective = &loaded.to_json()["effective"];
    let expected = json!({
        "budget.observation_tokens": 60_000, "budget.timeout_s": 300, "report.max_tokens": 1_600,
    });
    assert_eq!(effective, &expected);
}

#[test]
fn what_is_shown_is_toml_that_means_the_same() {
    let machine = Machine::new(
        "[model.extra_body]\nreasoning = { effort = \"low\" }\n[roles]\nstate = [\"keep\"]\n",
        "",
    );
    let loaded = machine.load();
    assert_eq!(toml::from_str::<Config>(&loaded.to_toml()).unwrap(), loaded.config);
}

#[test]
fn secrets_are_not_shown() {
    let machine = Machine::new(
        "[model]\nbase_url = \"https://me:hunter2@host.example/v1?api-key=hunter2\"\n\
         [model.headers]\nX-Auth = \"hunter2\"\n[model.extra_body]\napi_key = \"hunter2\"\n",
        "",
    )
    .variable("RETRIEVER_API_KEY", "hunter2");
    let loaded = machine.load();
    assert_eq!(loaded.key.as_ref().unwrap().secret.expose_secret(), "hunter2");
    for shown in [loaded.to_toml(), loaded.to_json().to_string(), format!("{:?}", loaded.key)] {
        assert!(!shown.contains("hunter2"), "{shown}");
    }
    assert!(loaded.to_toml().contains("# key: set (from RETRIEVER_API_KEY)"));
    assert!(loaded.to_toml().contains("base_url = \"https://host.example/v1\""));
}

#[test]
fn the_key_is_looked_for_in_the_named_variable_first() {
    let cases = [
        (Some("a"), Some("b"), Some("RETRIEVER_API_KEY")),
        (None, Some("b"), Some("OPENAI_API_KEY")),
        (Some(" "), Some("b"), Some("OPENAI_API_KEY")),
        (Some(" "), Some(""), None),
        (None, None, None),
    ];
    for (own, usual, expected) in cases {
        let mut machine = Machine::new("", "");
        for (name, value) in [("RETRIEVER_API_KEY", own), ("OPENAI_API_KEY", usual)] {
            if let Some(value) = value {
                machine = machine.variable(name, value);
            }
        }
        assert_eq!(machine.load().key.map(|key| key.variable).as_deref(), expected);
    }
}

#[test]
fn the_key_for_openai_goes_to_openai_only() {
    let cases = [
        ("https://api.openai.com/v1", true),
        ("https://eu.api.openai.com/v1", true),
        ("http://api.openai.com/v1", false),
        ("https://api.openai.com.example.org/v1", false),
        ("https://example.org/api.openai.com/v1", false),
        ("https://openrouter.ai/api/v1", false),
        ("http://localhost:11434/v1", false),
    ];
    for (endpoint, sent) in cases {
        let machine = Machine::new("", "")
            .variable("RETRIEVER_BASE_URL", endpoint)
            .variable("OPENAI_API_KEY", "hunter2");
        assert_eq!(machine.load().key.is_some(), sent, "{endpoint}");
    }
}

#[test]
fn a_public_endpoint_needs_a_key_and_a_near_one_does_not() {
    let cases = [
        ("https://api.openai.com/v1", false),
        ("https://openrouter.ai/api/v1", false),
        ("http://localhost:11434/v1", true),
        ("http://127.0.0.1:8080/v1", true),
        ("http://[::1]:8080/v1", true),
        ("http://192.168.1.7:8000/v1", true),
        ("http://ollama:11434/v1", true),
        ("http://gpu.local/v1", true),
        ("http://localhost.evil.example/v1", false),
    ];
    for (url, local) in cases {
        assert_eq!(endpoint::is_local(url), local, "{url}");
        let machine = Machine::new("", "")
            .flag(Setting::flag("--model", "model.name", "m"))
            .flag(Setting::flag("--base-url", "model.base_url", url));
        assert_eq!(machine.load().require_key().is_ok(), local, "{url}");
    }
    let error = Machine::new("", "").variable("RETRIEVER_MODEL", "m").load().require_key();
    assert_eq!(
        in_one_line(&error.unwrap_err()),
        "model m at https://api.openai.com/v1 needs a key, and none is set | export RETRIEVER_API_KEY=…, or run with \
         --offline; an endpoint that wants no key takes any text"
    );
    assert!(
        Machine::new("", "").load().require_key().is_ok(),
        "without a model there is no key to miss"
    );
}

#[test]
fn mistakes_in_the_users_file_name_the_line_the_key_and_what_was_expected() {
    let cases = [
        (
            "[model]\n\nnmae = \"x\"",
            "config.toml:3: unknown key model.nmae | did you mean model.name?",
        ),
        ("effort = \"quick\"", "config.toml:1: unknown key effort | did you mean budget.effort?"),
        ("zzz = 1", "config.toml:1: unknown key zzz | \"retriever config\" prints every key"),
        ("[model]\nname = 3", "config.toml:2: model.name must be a string, in quotes"),
        ("model = 3", "config.toml:1: model must be a table"),
        (
            "[budget]\nmax_steps = \"s3cret\"",
            "config.toml:2: budget.max_steps must be a whole number, 0 or more",
        ),
        (
            "[budget]\nmax_steps = -1",
            "config.toml:2: budget.max_steps must be a whole number, 0 or more",
        ),
        (
            "[budget]\neffort = \"s3cret\"",
            "config.toml:2: budget.effort must be one of quick, medium, thorough",
        ),
        (
            "[budget]\ntimeout_s = 9223372036854775807",
            "config.toml:2: budget.timeout_s must be at most 604800 seconds",
        ),
        ("[model]\ntemperature = nan", "config.toml:2: model.temperature must be a finite number"),
        (
            "[model]\nbase_url = \"s3cret\"",
            "config.toml:2: model.base_url must be an http or https address such as",
        ),
        (
            "[model]\nbase_url = \"file:///etc\"",
            "config.toml:2: model.base_url must be an http or https address",
        ),
        (
            "[workspace]\nignore = \"*.rs\"",
            "config.toml:2: workspace.ignore must be a list of strings",
        ),
        (
            "[workspace]\nignore = [\"a{\"]",
            "config.toml:2: workspace.ignore must be a list of globs, each of them valid",
        ),
        (
            "[roles]\nstat = [\"x\"]",
            "config.toml:2: roles.stat must be under a role: \"stat\" is not one of entry,",
        ),
        (
            "[model.headers]\n\"a b\" = \"s3cret\"",
            "config.toml:2: model.headers.a b must be an HTTP header",
        ),
        ("[model", "config.toml:1: not valid TOML: "),
    ];
    for (text, expected) in cases {
        let machine = Machine::new(text, "");
        let message = in_one_line(&machine.error());
        let message = message.rsplit_once('/').map_or(message.as_str(), |_| {
            let folder = machine.files.root().join("home/.config/retriever/");
            message.strip_prefix(folder.to_str().unwrap()).expect(&message)
        });
        assert!(message.starts_with(expected), "{message}\nis not\n{expected}");
        assert!(!message.contains("s3cret"), "{message}");
    }
}

#[test]
fn mistakes_in_variables_and_flags_name_them() {
    let machine = Machine::new("", "").variable("RETRIEVER_MAX_STEPS", "many");
    assert_eq!(
        machine.error().to_string(),
        "RETRIEVER_MAX_STEPS: budget.max_steps must be a whole number, 0 or more"
    );
    let machine =
        Machine::new("", "").flag(Setting::flag("--base-url", "model.base_url", "nowhere"));
    assert!(machine.error().to_string().starts_with("--base-url: model.base_url must be an http"));
}

#[test]
fn a_named_file_must_exist_and_the_usual_one_need_not() {
    let machine = Machine::new("", "");
    assert!(machine.load_with(None).is_ok());
    let error = machine.load_with(Some(Path::new("no/such.toml"))).unwrap_err();
    assert!(matches!(error, ConfigError::Unreadable { .. }), "{error}");
    let machine = Machine::new("", "").variable("RETRIEVER_CONFIG", "no/such.toml");
    assert!(matches!(machine.error(), ConfigError::Unreadable { .. }));
}

#[test]
fn a_named_file_replaces_the_usual_one() {
    let machine = Machine::new("[model]\nname = \"usual\"", "");
    machine.files.write("other.toml", "[model]\nretries = 9");
    let loaded = machine.load_with(Some(Path::new("other.toml"))).unwrap();
    assert_eq!((loaded.config.model.name.as_str(), loaded.config.model.retries), ("", 9));
}

#[test]
fn prompts_are_named_from_the_files_folder() {
    let machine = Machine::new("[prompts]\nsystem = \"mine.md\"", "");
    let expected = machine.files.root().join("home/.config/retriever/mine.md");
    assert_eq!(PathBuf::from(machine.load().config.prompts.system), expected);
}

#[test]
fn durations_are_taken_as_seconds_or_in_words() {
    let cases = [("90", 90), ("2m", 120), ("1m 30s", 90), ("10ms", 1), ("1h", 3600)];
    for (text, expected) in cases {
        let machine = Machine::new("", "").variable("RETRIEVER_TIMEOUT", text);
        assert_eq!(machine.load().config.budget.timeout_s, expected, "{text}");
    }
}

#[test]
fn a_workspace_may_add_and_lower() {
    let machine = Machine::new(
        "[workspace]\nignore = [\"a/**\"]\nsecrets = [\"mine\"]\n[budget]\nmax_steps = 8\n[report]\nmax_tokens = 900",
        "[workspace]\nignore = [\"b/**\"]\nsecrets = [\"theirs\"]\n\
         [budget]\neffort = \"quick\"\nmax_steps = 6\nobservation_tokens = 5000\n\
         [traits]\ntest = [\"checks/**\"]\n[roles]\nstate = [\"keep\"]\n[report]\nmax_tokens = 800",
    );
    let loaded = machine.load();
    assert_eq!(loaded.warnings, Vec::<String>::new());
    assert_eq!(loaded.config.workspace.ignore, ["a/**", "b/**"]);
    assert_eq!(loaded.config.workspace.secrets, ["mine", "theirs"]);
    assert_eq!(loaded.config.budget.effort, EffortPreset::Quick);
    assert_eq!(loaded.config.limits(&loaded.config.budget, 0).steps, 6);
    assert_eq!(loaded.config.limits(&loaded.config.budget, 0).tokens, 5000);
    assert_eq!(loaded.config.traits.test, ["checks/**"]);
    assert_eq!(loaded.config.roles["state"], ["keep"]);
    assert_eq!(loaded.config.limits(&loaded.config.budget, 0).map_tokens, 800);
}

#[test]
fn everything_else_in_a_workspace_is_refused_without_its_value() {
    let refused = "is refused: a workspace may only narrow";
    let lower = "is refused: a workspace may only lower it";
    let low = "is refused: it is too low for a map with places";
    let unfit = "is ignored: there is no such key, or it can't hold this value";
    let cases = [
        ("[model]\nbase_url = \"https://s3cret.example\"", "2: model.base_url", refused),
        ("model.name = \"s3cret\"", "1: model.name", refused),
        ("model = \"s3cret\"", "1: model", refused),
        ("[model.headers]\nX = \"s3cret\"", "2: model.headers.X", refused),
        ("[prompts]\nsystem = \"s3cret\"", "2: prompts.system", refused),
        ("[workspace]\nhidden = true", "2: workspace.hidden", refused),
        ("[workspace]\nmax_file_bytes = 1", "2: workspace.max_file_bytes", refused),
        ("[store]\nurl = \"s3cret\"", "2: store.url", refused),
        ("[report]\nsnippet_tokens = 1", "2: report.snippet_tokens", refused),
        ("[report]\nmax_tokens = 99999", "2: report.max_tokens", lower),
        ("[report]\nmax_tokens = 1", "2: report.max_tokens", low),
        ("[budget]\nmax_steps = 2", "2: budget.max_steps", low),
        ("[budget]\nmax_tool_calls = 1", "2: budget.max_tool_calls", low),
        ("[budget]\nobservation_tokens = 1", "2: budget.observation_tokens", low),
        ("[budget]\ntimeout_s = 1", "2: budget.timeout_s", low),
        ("[budget]\nmax_steps = 11", "2: budget.max_steps", lower),
        ("[budget]\nmax_steps = 0", "2: budget.max_steps", lower),
        ("[budget]\neffort = \"thorough\"", "2: budget.effort", lower),
        ("[budget]\neffort = \"s3cret\"", "2: budget.effort", unfit),
        ("[budget]\nsteps = 1", "2: budget.steps", unfit),
        ("[roles]\nnonsense = [\"s3cret\"]", "2: roles.nonsense", unfit),
        ("[workspace]\nignore = [\"a{\"]", "2: workspace.ignore", unfit),
        (
            "[workspace]\nsecrets = [\"!**/.env\"]",
            "2: workspace.secrets",
            "is refused: a workspace may only narrow, and \"!\" does not",
        ),
        ("\"a\\u001b[31m\" = 1", "1: a\\u{1b}[31m", refused),
    ];
    for (text, key, reason) in cases {
        let machine = Machine::new("", text);
        let loaded = machine.load();
        let place = machine.files.root().join("work/retriever.toml");
        assert_eq!(loaded.warnings, [format!("{}:{key} {reason}", place.display())]);
        assert_eq!(loaded.config, Config::default(), "{text}");
    }
}

#[test]
fn a_workspace_file_that_is_no_file_or_no_toml_is_one_warning() {
    let not_toml = Machine::new("", "s3cret = = 1");
    let huge = Machine::new("", &"# s3cret\n".repeat(10_000));
    let folder = Machine::new("", "");
    folder.files.write("work/retriever.toml/x", "");
    for (machine, expected) in [
        (not_toml, "retriever.toml:1 is not valid TOML; it is ignored"),
        (huge, "retriever.toml is larger than 64 KiB; it is ignored"),
        (folder, "retriever.toml is not a regular file; it is ignored"),
    ] {
        let loaded = machine.load();
        let [warning] = loaded.warnings.as_slice() else { panic!("{:?}", loaded.warnings) };
        assert!(warning.ends_with(expected) && !warning.contains("s3cret"), "{warning}");
        assert_eq!(loaded.config, Config::default());
    }
}

#[cfg(unix)]
#[test]
fn a_workspace_file_that_leads_elsewhere_is_not_followed() {
    let machine = Machine::new("", "");
    machine.files.write("elsewhere.toml", "[budget]\nmax_steps = 1");
    std::os::unix::fs::symlink(
        "../elsewhere.toml",
        machine.files.root().join("work/retriever.toml"),
    )
    .unwrap();
    let loaded = machine.load();
    assert_eq!(loaded.config, Config::default());
    assert_eq!(loaded.warnings.len(), 1);
}

#[test]
fn warnings_of_a_workspace_are_bounded() {
    let keys: String = (0..500).map(|n| format!("k{n} = 1\n")).collect();
    let warnings = Machine::new("", &keys).load().warnings;
    assert_eq!(warnings.len(), 21);
    assert!(warnings[20].ends_with("480 more keys are refused"));
}

#[test]
fn the_environment_may_raise_what_a_workspace_lowered() {
    let machine = Machine::new("", "[budget]\nmax_steps = 5").variable("RETRIEVER_MAX_STEPS", "20");
    assert_eq!(machine.load().config.budget.max_steps, 20);
}

#[test]
fn the_root_is_the_enclosing_top_level_unless_named() {
    let files = Fixture::new(
        "//- /a/.git/HEAD\n//- /a/b/c/x\n//- /d/.git\ngitdir: elsewhere\n//- /d/e/x\n//- /f/x\n",
    );
    let at = |path: &str| files.root().join(path);
    let find = |from: &str, named: Option<&str>| {
        let named: Vec<PathBuf> = named.into_iter().map(PathBuf::from).collect();
        let found = find_roots::find(&ProcessEnvironment::new(at(from), []), &named, &[]);
        found[0].path.clone()
    };
    assert_eq!(find("a/b/c", None), at("a"));
    assert_eq!(find("d/e", None), at("d"));
    assert_eq!(find("a/b", Some("c")), at("a/b/c"));
    assert_eq!(find("f", None), at("f"));
}

/// What a workspace lowers for one effort must not raise what a question of lower effort gets.
#[test]
fn a_workspace_widens_no_effort() {
    let workspace = "[budget]\nmax_steps = 9\nmax_tool_calls = 39\nobservation_tokens = 50000\ntimeout_s = 200\n[report]\nmax_tokens = 1600";
    let config = Machine::new("", workspace).load().config;
    for (effort, expected) in [
        (EffortPreset::Quick, RunBudget::preset(EffortPreset::Quick)),
        (
            EffortPreset::Thorough,
            RunBudget {
                steps: 9,
                calls: 39,
                tokens: 50_000,
                time: Duration::from_secs(200),
                map_tokens: 1_600,
            },
        ),
    ] {
        let budget = BudgetConfig { effort, ..config.budget.clone() };
        assert_eq!(config.limits(&budget, 0), expected);
    }
}
