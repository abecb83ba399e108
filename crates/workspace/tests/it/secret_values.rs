//! Secret values in ordinary files: what is masked, what is left, and that lines and columns stay.

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever_test_support::Fixture;
use retriever_workspace::{
    FileTraitsConfig, RepoPath, TextFile, Workspace, WorkspaceConfig, mask_secret_values,
};

fn read(text: &str) -> TextFile {
    let fixture = Fixture::new("//- /other.rs\nx\n");
    fixture.write("a.py", text.as_bytes());
    let workspace =
        Workspace::open(fixture.root(), &WorkspaceConfig::default(), &FileTraitsConfig::default())
            .unwrap();
    workspace.read(&RepoPath::parse("a.py", "").unwrap()).unwrap()
}

/// Made up here, from parts, so that nobody's scanner takes this file for a leak.
fn secrets() -> Vec<(&'static str, String)> {
    let random = "q7Rt2LmX9vBn4KsW8dYc3HfJ6zPaGe5U1oTi";
    let hex = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
    vec![
        ("cloud key", format!("AK{}A7Q2L9XW4RTB8MZ3K", "I")),
        ("forge token", format!("gh{}_{random}", "p")),
        ("chat token", format!("xox{}-2401-{random}", "b")),
        ("model key", format!("s{}-proj-{random}", "k")),
        ("maps key", format!("AI{}{}", "za", &random[..35])),
        ("signed token", format!("ey{}.ey{}.{random}", "JhbGciOiJIUzI1NiJ9", "JzdWIiOiIxMjM0NTY3")),
        ("droplet token", format!("dop_{}_{hex}", "v1")),
    ]
}

#[test]
fn a_value_that_its_form_gives_away_is_masked_wherever_it_stands() {
    for (kind, secret) in secrets() {
        let before = format!("x = 1\ncall({secret}, 2)  # tail\ny = 2\n");
        let file = read(&before);
        assert_eq!(file.masked_values(), 1, "{kind}");
        assert!(!file.text().contains(&secret[6..]), "{kind}: {}", file.text());
        assert_eq!(file.text().len(), before.len(), "{kind}");
        assert!(file.line(2).unwrap().starts_with(&format!("call({}***", &secret[..4])), "{kind}");
        assert!(file.line(2).unwrap().ends_with(", 2)  # tail"), "{kind}");
        assert_eq!((file.line(1), file.line(3)), (Some("x = 1"), Some("y = 2")), "{kind}");
    }
}

#[test]
fn a_value_is_masked_by_the_name_it_is_given_to_when_it_looks_random() {
    let random = "q7Rt2LmX9vBn4KsW8dYc";
    for line in [
        format!("api_key = \"{random}\""),
        format!("  \"clientSecret\": \"{random}\","),
        format!("DB_PASSWORD='{random}'"),
        format!("access-key := `{random}`"),
        format!("url = \"postgres://app:{random}@db/main\""),
        format!("amqp://app:{}2p4ss@queue:5672/", &random[..3]),
        format!("  api_key: {random}"),
        format!("export API_KEY={random}"),
        format!("auth.token = {random}\r"),
        format!("ENV SECRET_KEY={random} PORT=80"),
        format!("curl 'https://example.org?page=1&access_token={random}&x=1'"),
        format!(r#"body = "{{\"apiKey\": \"{random}\"}}""#),
        format!("get(\"https://example.org/x?api_key={random}\")"),
        format!("get('https://example.org/x?page=1&access_token={random}')"),
        format!("get(`https://example.org/x?api_key={random}`)"),
        format!("see https://example.org/x?api_key={random}#top"),
        format!("see <https://example.org/x?api_key={random}>"),
        format!("see [the page](https://example.org/x?api_key={random})"),
        format!("say \"token: {random}\\n\""),
        format!("${{TOKEN:={random}}}"),
        format!("[token={random}]"),
    ] {
        let file = read(&line);
        assert_eq!(file.masked_values(), 1, "{line}");
        assert!(!file.text().contains(random) && !file.text().contains("2p4ss"), "{}", file.text());
    }
}

#[test]
fn a_named_value_that_holds_an_issued_key_is_masked_whole() {
    let (random, issued) = ("q7Rt2LmX9vBn4KsW8dYc", &secrets()[3].1);
    let file = read(&format!("password = \"{random}.{issued}.{random}\""));
    assert_eq!(file.masked_values(), 1);
    let hidden = "*".repeat(2 * random.len() + issued.len() + 2);
    assert_eq!(file.text(), format!("password = \"{hidden}\""));
}

#[test]
fn code_that_only_speaks_of_secrets_stays_as_it_is() {
    for line in [
        "token = \"a-name-for-the-authentication-token\"",
        "const PASSWORD_FIELD: &str = \"settings.password.confirmation\";",
        "secret = os.environ[\"CLIENT_SECRET_FOR_PRODUCTION\"]",
        "api_key = \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"",
        "token: \"src/components/token/TokenPicker1.tsx\"",
        "integrity = \"sha512-q7Rt2LmX9vBn4KsW8dYc3HfJ6zPaGe5U1oTi\"",
        "id = \"550e8400-e29b-41d4-a716-446655440000\"",
        "url = \"https://example.org:8080/path@1\"",
        "the password of user@host: see below",
        "postgres://user:password@localhost/db",
        "url = f'postgres://{user}:{settings.password1}@{host}'",
        "https://app:${DB_PASSWORD_2}@db.example/x",
        "let sk_learn = skewed(input);",
        "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
        "-----BEGIN PUBLIC KEY-----",
        "token = getAccessTokenForUserV2Dialog",
        "secret: process_incoming_secrets_of_2024",
        "const TOKEN_PICKER: &str = \"AccessTokenPickerV2Dialog\";",
        "marks = ['-----BEGIN RSA PRIVATE KEY-----', '-----END RSA PRIVATE KEY-----', '-----BEGIN EC PRIVATE KEY-----']",
        "w('-----BEGIN PRIVATE KEY-----')\n  encodeBase64Lines(keyPair.private)\n  w('-----END PRIVATE KEY-----')",
    ] {
        let file = read(line);
        assert_eq!((file.text(), file.masked_values()), (line, 0));
    }
}

#[test]
fn a_private_key_keeps_its_lines() {
    let body = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nq7Rt2LmX9vBn4KsW8dYc3HfJ6zPaGe5U\n";
    let text =
        format!("KEY = '''-----BEGIN {0}-----\n{body}-----END {0}-----'''\nx = 1\n", "PRIVATE KEY");
    let file = read(&text);
    assert_eq!((file.masked_values(), file.line_count()), (1, 5));
    assert_eq!(file.line(3), Some("*".repeat(32).as_str()));
    assert_eq!(file.line(5), Some("x = 1"));
}

#[test]
fn a_private_key_is_masked_in_strings_and_comments() {
    let body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "q7Rt2LmX9vBn4KsW8dYc3HfJ6zPaGe5U"];
    for (before, after) in [("\"", "\\n\" +"), ("# ", ""), (" * ", ""), ("'", "\\n'"), ("> ", "")] {
        let lines = body.map(|line| format!("{before}{line}{after}\n")).concat();
        let text = format!(
            "{before}-----BEGIN {0}-----{after}\n{lines}{before}-----END {0}-----{after}\nx = 1\n",
            "EC PRIVATE KEY"
        );
        let file = read(&text);
        assert_eq!((file.masked_values(), file.line_count()), (1, 5), "{text}");
        for line in body {
            assert!(!file.text().contains(&line[..8]), "{}", file.text());
        }
        assert_eq!(file.line(5), Some("x = 1"));
    }
}

/// Values of every kind that people generate, given to names in every form that they are written in.
#[test]
fn random_values_are_masked_nearly_always() {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let alphabets = [
        LETTERS.to_owned(),
        format!("{LETTERS}+/"),
        format!("{LETTERS}-_"),
        "0123456789abcdef".into(),
    ];
    let forms =
        ["api_key: {}", "token = \"{}\"", "export DB_PASSWORD={}", "\\\"secret\\\": \\\"{}\\\""];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    for alphabet in &alphabets {
        for length in [20, 24, 32, 40, 64] {
            let lines: Vec<String> = (0..200)
                .map(|at| {
                    let letter = |_| alphabet.as_bytes()[random(alphabet.len())] as char;
                    let value: String = (0..length).map(letter).collect();
                    forms[at % forms.len()].replace("{}", &value)
                })
                .collect();
            let masked = read(&lines.join("\n")).masked_values();
            let least = if length == 20 { 160 } else { 180 };
            assert!(masked >= least, "{masked} of 200 with {length} characters of {alphabet}");
        }
    }
}

#[test]
fn the_code_of_this_project_has_no_secret_values() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let workspace =
        Workspace::open(&root, &WorkspaceConfig::default(), &FileTraitsConfig::default()).unwrap();
    let walk = workspace.walk(&RepoPath::root());
    let code = walk.files.iter().filter(|file| file.path.as_str().ends_with(".rs"));
    let mut files = 0;
    for file in code {
        let Ok(file) = workspace.read(&file.path) else { continue };
        assert_eq!(file.masked_values(), 0, "{:?}", file.path);
        files += 1;
    }
    assert!(files > 300, "{files}");
}

proptest! {
    /// Whatever the text holds: masking moves nothing, and changes nothing but ASCII into `*`.
    #[test]
    fn masking_keeps_every_line_and_column(parts in prop::collection::vec(
        prop_oneof![
            "[ -~é\n]{0,40}",
            (0_usize..7).prop_map(|at| secrets()[at].1.clone()),
            Just("password = \"".to_owned()),
            Just("\"\n".to_owned()),
        ],
        0..12,
    )) {
        let text = parts.concat();
        prop_assume!(!text.is_empty());
        let file = read(&text);
        prop_assert_eq!(file.text().len(), text.len());
        for (before, after) in text.chars().zip(file.text().chars()) {
            prop_assert!(before == after || (after == '*' && before.is_ascii_graphic()));
        }
    }
}

#[test]
fn bytes_are_masked_as_a_file_is_and_left_alone_without_a_secret() {
    for (kind, secret) in secrets() {
        let text = format!("a({secret});\nb(2);\n{secret}\n");
        let masked = mask_secret_values(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(masked).unwrap(), read(&text).text(), "{kind}");
    }
    for text in ["", "let a = 1;\n", "password = input()\n"] {
        assert_eq!(mask_secret_values(text.as_bytes()), None, "{text}");
    }
}
