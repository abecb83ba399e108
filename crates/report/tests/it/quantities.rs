//! Which numbers and units of a text are those of its lines, in the spellings of prose and of code.

use retriever_report::Verdict;
use serde_json::json;

use crate::{cases::check, evidence::Evidence};

/// (a line of code, what is said of it, whether that stays)
const AMOUNTS: &[(&str, &str, bool)] = &[
    // Units of time: the one of the name, and others of its kind.
    ("wait_ns = 40", "`wait_ns` is 40 nanoseconds.", true),
    ("wait_ms = 40", "`wait_ms` is 40 ns.", false),
    ("waitMicros = 40", "`waitMicros` is 40 µs.", true),
    ("wait_ms = 40", "`wait_ms` is 40 µs.", false),
    ("wait_ms = 40", "`wait_ms` is 0.04 seconds.", true),
    ("wait_secs = 40", "`wait_secs` is 40 ms.", false),
    ("wait_ms = 40", "`wait_ms` is 40 s.", false),
    ("wait_hours = 40", "`wait_hours` is 40 min.", false),
    ("wait_minutes = 120", "`wait_minutes` is 2 hours.", true),
    ("wait_minutes = 2", "`wait_minutes` is 2 hours.", false),
    ("ttl_days = 2", "`ttl_days` is 48 hours.", true),
    ("ttl_hours = 2", "`ttl_hours` is 2 days.", false),
    ("ttl_weeks = 2", "`ttl_weeks` is 14 days.", true),
    ("ttl_days = 2", "`ttl_days` is 2 weeks.", false),
    // Units of size, decimal and binary.
    ("size_bytes = 2_000", "`size_bytes` is 2 kB.", true),
    ("size_bytes = 2_048", "`size_bytes` is 2 kB.", true),
    ("size_bytes = 2_048", "`size_bytes` is 2 KiB.", true),
    ("size_bytes = 2_000", "`size_bytes` is 2 KiB.", false),
    ("size_bytes = 2", "`size_bytes` is 2 kB.", false),
    ("size_bytes = 2_000_000", "`size_bytes` is 2 MB.", true),
    ("size_bytes = 2", "`size_bytes` is 2 MB.", false),
    ("size_bytes = 2", "`size_bytes` is 2 MiB.", false),
    ("size_bytes = 2_000_000_000", "`size_bytes` is 2 GB.", true),
    ("size_bytes = 2", "`size_bytes` is 2 GB.", false),
    ("size_gib = 2", "`size_gib` is 2 GiB.", true),
    ("read(1024)", "`read` takes a 1,024-byte block.", true),
    ("read(1_024)", "`read` takes a 1024-byte block.", true),
    ("read(kSize - 1024)", "`read` takes 1,024-byte blocks.", true),
    ("read(2048)", "`read` takes a 1,024-byte block.", false),
    ("read(24)", "`read` takes a 1,024-byte block.", false),
    ("read(16)", "`read` fills 16-bit words.", true),
    ("size_bytes = 2", "`size_bytes` is 2 GiB.", false),
    ("size_kib = 2", "`size_kib` is 2 bytes.", false),
    ("width = 3 * 4", "`width` is 12 px.", true),
    ("width = 3 * 4", "`width` is 3 px.", false),
    ("delay = 250", "`delay` is 250 seconds.", true),
    ("delay = 250", "`delay` is 250 ms.", true),
    ("delay = 250", "`delay` is 250 minutes.", false),
    ("TimeInterval delay = 250", "`delay` is 250 ms.", false),
    ("nanosleep(250)", "`nanosleep` takes 250 seconds.", false),
    ("start(30s)", "`start` waits 30 minutes.", false),
    ("start(30s)", "`start` waits 30 seconds.", true),
    ("min(30, delay)", "`delay` is 30 seconds.", true),
    ("readBytes(3)", "`readBytes` reads 3 KiB.", false),
    ("wait_ms(8)", "`wait_ms` takes 8 and seconds pass.", true),
    ("wait_ms(8)", "`wait_ms` waits 8 long seconds.", false),
    // What a text computes of two numbers of its lines.
    ("keep(100, 5)", "`keep` leaves 95 (100 − 5).", true),
    ("keep(100, 5)", "`keep` leaves 95 = 100 - 5.", true),
    ("keep(100, 5)", "`keep` leaves 105, that is 100 plus 5.", true),
    ("keep(100, 5)", "`keep` leaves 95.", false),
    ("keep(100, 5)", "`keep` leaves 96 = 100 − 5.", false),
    ("keep(100, 5)", "`keep` leaves 95 = 97 − 2.", false),
    ("keep(100, 5)", "`keep` leaves 95 = 95 + 0.", false),
    // Products, powers and shifts are what they amount to; their literals are said too.
    ("limit = 1 << 20", "`limit` is 1048576.", true),
    ("limit = 1 << 20", "`limit` is 1 MiB.", true),
    ("limit = 1 << 20", "`limit` is 1 KiB.", false),
    ("limit = 1 << 20", "`limit` is 20.", true),
    ("limit = 1 << 20", "`limit` is 21.", false),
    ("limit = 2 ** 10", "`limit` is 1024.", true),
    ("limit = 2 ** 10", "`limit` is 1025.", false),
    ("limit = 3 * 7", "`limit` is 21.", true),
    ("limit = 3 * 7", "`limit` is 10.", false),
    ("limit = 0x1F", "`limit` is 31.", true),
    ("limit = 0b101", "`limit` is 5.", true),
    ("limit = 0b101", "`limit` is 6.", false),
    // A choice of literals in parentheses, times others.
    ("delay = (fast ? 5 : 0.5) * 60 * 1000", "`delay` is 5 minutes.", true),
    ("delay = (fast ? 5 : 0.5) * 60 * 1000", "`delay` is 30 seconds.", true),
    ("delay = (fast ? 5 : 0.5) * 60 * 1000", "`delay` is 5 of them.", true),
    ("delay = (fast ? 5 : 0.5) * 60 * 1000", "`delay` is 6 minutes.", false),
    ("delay = (fast ? 5 : 0.5) * 60 * 1000", "`delay` is 5 hours.", false),
    ("delay = 60 * (fast() ? 5 : 8)", "`delay` is 8 minutes.", true),
    ("delay = 60 * (fast() ? 5 : 8)", "`delay` is 8 hours.", false),
    ("delay = (wait ?? 5) * 60", "`delay` is 5 minutes.", true),
    ("delay = (5 if fast else 8) * 60", "`delay` is 5 minutes.", true),
    ("delay = (5 if fast else 8) * 60", "`delay` is 8 minutes.", true),
    ("delay = (5) * 60", "`delay` is 5 minutes.", true),
    ("delay = wait(5) * 60", "`delay` is 5 minutes.", false),
    ("delay = (wait + 5) * 60", "`delay` is 5 minutes.", false),
    ("delay = (fast ? 5 : 8) + 60", "`delay` is 5 minutes.", false),
    // A mask of bits that are all set is a period.
    ("if (tick & 255) return;", "`tick` is done every 256 rounds.", true),
    ("if (tick & 255) return;", "`tick` is done every 255 rounds.", false),
    ("if (tick & 255) return;", "`tick` is done every 512 rounds.", false),
    ("if (tick & 255) return;", "`tick` is masked by 255.", true),
    ("if (tick & 255) return;", "`tick` is masked by 256.", false),
    ("tick &= 0xFF;", "`tick` is done once in 256 rounds.", true),
    ("if (0xFF & tick) return;", "`tick` is done each 256 rounds.", true),
    ("if (tick & 254) return;", "`tick` is done every 255 rounds.", false),
    ("if (tick && 255) return;", "`tick` is done every 256 rounds.", false),
    ("tick(&255);", "`tick` is done every 256 rounds.", false),
    ("if (tick % 256) return;", "`tick` is done every 256 rounds.", true),
    ("if (tick % 256) return;", "`tick` is done every 257 rounds.", false),
    // What a comparison says of the number next to its own.
    ("if (count < 300) add(count);", "`add` takes up to 299.", true),
    ("if (count < 300) add(count);", "`add` takes up to 298.", false),
    ("if (count < 300) add(count);", "`add` takes at least 301.", false),
    ("if (count >= 300) drop(count);", "`drop` takes more than 299.", true),
    ("if (count >= 300) drop(count);", "`drop` takes more than 298.", false),
    ("if (count >= 300) drop(count);", "`drop` takes fewer than 301.", false),
    ("if (count > 300) drop(count);", "`drop` takes at least 301.", true),
    ("if (count > 300) drop(count);", "`drop` takes at least 302.", false),
    ("if (count > 300) drop(count);", "`drop` takes up to 299.", false),
    ("if (count <= 300) add(count);", "`add` takes fewer than 301.", true),
    ("if (count <= 300) add(count);", "`add` takes fewer than 302.", false),
    ("if (count <= 300) add(count);", "`add` takes more than 299.", false),
    ("if (300 <= count) drop(count);", "`drop` takes more than 299.", true),
    ("if (300 <= count) drop(count);", "`drop` takes at least 301.", false),
    ("if (300 > count) add(count);", "`add` takes up to 299.", true),
    ("if (300 > count) add(count);", "`add` takes at least 301.", false),
    ("if (300 >= count) add(count);", "`add` takes fewer than 301.", true),
    ("if (300 >= count) add(count);", "`add` takes up to 299.", false),
    ("if (300 < count) drop(count);", "`drop` takes at least 301.", true),
    ("if (300 < count) drop(count);", "`drop` takes up to 299.", false),
    ("mask = count << 300", "`mask` takes up to 299.", false),
    ("mask = count >> 300", "`mask` takes at least 301.", false),
    ("mask = 300 << count", "`mask` takes at least 301.", false),
    ("count => 300", "`count` is at least 301.", false),
    ("count -> 300", "`count` is at least 301.", false),
    ("count = 300", "`count` is at least 301.", false),
    // Signs.
    ("rest = list[-6:]", "`rest` is the last 6 of `list`.", true),
    ("rest = list[-6:]", "`rest` starts at -6.", true),
    ("rest = list[-6:]", "`rest` has at most 6.", false),
    ("rest = count - 6", "`rest` starts at -6.", false),
    ("rest = count-6", "`rest` starts at -6.", false),
    ("-6", "It is -6.", true),
    ("rest = 6", "`rest` starts at -6.", false),
    // Names of states of HTTP.
    ("return Forbidden(user)", "It answers 403 to the `user`.", true),
    ("return StatusRequestEntityTooLarge(user)", "It answers 413 to the `user`.", true),
    ("return NOT_FOUND(user)", "It answers 404 to the `user`.", true),
    ("return Forbidden(user)", "It answers 404 to the `user`.", false),
    ("return NotFound(user)", "It waits 404 ms for the `user`.", false),
    ("return Forbidden(user)", "It answers 403.5 to the `user`.", false),
    // Digits of names.
    ("mode = SQL_2003", "`mode` is that of SQL 2003.", true),
    ("mode = SQL_20031", "`mode` is that of SQL 2003.", false),
    ("mode = SQL_2003", "`mode` lasts 2003 ms.", false),
    ("mode = SQL_9", "`mode` is 9 times set.", false),
    ("mode = Oracle12_1", "`mode` is that of 12.1.", true),
    ("mode = Oracle12_10", "`mode` is that of 12.1.", false),
];

/// (a line of code, what is said of it in words, whether that stays)
const SPELLED: &[(&str, &str, bool)] = &[
    ("if (count > 2) add(count);", "`add` takes more than two.", true),
    ("if (count >= 3) add(count);", "`add` takes more than two.", true),
    ("if (count > 5) add(count);", "`add` takes more than two.", false),
    ("add(args[2])", "`add` takes the third element of `args`.", true),
    ("add(args[3])", "`add` takes the third element of `args`.", true),
    ("add(args[1])", "`add` takes the third element of `args`.", false),
    ("add(args[6])", "`add` takes the third element of `args`.", false),
    ("add(args[1])", "`add` takes the second argument of `args`.", true),
    ("wait(5)", "`wait` takes five seconds.", true),
    ("wait(5)", "`wait` takes six seconds.", false),
    ("wait_ms(5)", "`wait_ms` takes five seconds.", false),
    ("wait(5)", "`wait` ends five rounds later.", true),
    ("wait(5)", "`wait` ends six rounds later.", false),
    ("delay = delay * 2", "`delay` doubles each time.", true),
    ("delay = delay << 1", "`delay` doubles each time.", true),
    ("delay = delay * 5", "`delay` doubles each time.", false),
    ("delay = delay * 5", "`delay` is doubled.", false),
    ("delay = delay * 3", "`delay` triples each time.", true),
    ("delay = delay * 2", "`delay` triples each time.", false),
    ("delay = delay / 2", "`delay` halves each time.", true),
    ("delay = delay * 0.5", "`delay` halves each time.", true),
    ("delay = delay * 1", "`delay` halves each time.", false),
    ("delay = parse(text)", "`parse` turns `text` into doubles.", true),
    ("retry(12)", "`retry` runs twelve times.", true),
    ("retry(13)", "`retry` runs twelve times.", false),
    ("retry(12)", "`retry` runs sixty times.", false),
    // A small ordinal is a place in a list, and a word that begins with digits is a name.
    ("retry(12)", "`retry` is the 3rd of them.", true),
    ("retry(128)", "`retry` takes the 128th.", true),
    ("retry(12)", "`retry` takes the 128th.", false),
    ("retry(12)", "`retry` reads the 4len form.", true),
    ("retry(12)", "`retry` speaks 1.2.3 of it.", true),
    ("retry(12)", "`retry` speaks part-3 of it.", true),
    ("retry(12)", "`retry` takes 12-3 of them.", false),
    ("retry(alpha, beta, gamma)", "`retry` runs 3 times, for `alpha`, `beta` and `gamma`.", true),
    ("retry(alpha, beta, gamma)", "`retry` runs 2 times, for `alpha`, `beta` and `gamma`.", false),
    ("retry(alpha)", "`retry` runs 1 time, for `alpha`.", false),
];

fn stays(code: &str, fact: &str) -> bool {
    let source = format!("//- /src/a.py read=1\n{code}\n");
    let submitted = json!({"findings": [{"fact": fact, "refs": ["src/a.py:1"]}]});
    check(&mut Evidence::new(&source), &submitted).map.findings.len() == 1
}

#[test]
fn a_number_is_that_of_its_line_in_any_unit_and_spelling() {
    let wrong: Vec<_> = AMOUNTS
        .iter()
        .chain(SPELLED)
        .filter(|(code, fact, wanted)| stays(code, fact) != *wanted)
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// (how another file gives the number, whether a fact about `MAX_WAIT` may cite it)
const CONSTANTS: &[(&str, bool)] = &[
    ("MAX_WAIT = 40", true),
    ("const MAX_WAIT: u32 = 40;", true),
    ("'MAX_WAIT' => 40,", true),
    ("MAX_WAIT -> 40", true),
    ("max_wait: 40", true),
    ("define MAX_WAIT 40", true),
    ("#define MAX_WAIT (40000 /* 40 seconds */)", true),
    ("#define OTHER_WAIT (MAX_WAIT + 40)", false),
    ("Limits::MAX_WAIT = 40", true),
    ("{ other: 3 } MAX_WAIT = 40", true),
    ("MAX_WAIT { other: 40 }", true),
    ("const DEFAULT_MAX_WAIT: u32 = 40;", true),
    ("maxWaitDefault = 40", true),
    ("DEFAULT_WAIT = 40", false),
    ("DEFAULT_MAX_WAIT_DAYS = 40", false),
    ("other = 40", false),
    ("MAX_WAIT = 41", false),
    ("if MAX_WAIT == 40", false),
    ("if MAX_WAIT >= 40", false),
    ("if MAX_WAIT < 40", false),
    ("if MAX_WAIT > 40", false),
    ("MAX_WAIT += 40", false),
];

#[test]
fn a_number_may_be_that_of_a_constant_which_the_lines_name() {
    let fact = "`wait` takes at most 40.";
    let mut wrong = Vec::new();
    for (line, wanted) in CONSTANTS {
        let source =
            format!("//- /src/a.py read=1\nwait(MAX_WAIT)\n//- /src/limits.py read=1\n{line}\n");
        let submitted = json!({"findings": [{"fact": fact, "refs": ["src/a.py:1"]}]});
        let map = check(&mut Evidence::new(&source), &submitted).map;
        let refs: Vec<_> = map.findings.iter().flat_map(|found| &found.refs).collect();
        let is_cited = refs.iter().any(|place| place.path == "src/limits.py" && place.start == 1);
        if is_cited != *wanted || refs.is_empty() == *wanted {
            wrong.push((line, refs.len()));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// (the file, whose last line is cited, the fact, its verdict; `None` where nothing of it stays)
const UNITS: &[(&str, &str, Option<Verdict>)] = &[
    ("wait_secs(delay)", "`delay` is in seconds.", Some(Verdict::AsSubmitted)),
    ("wait_ms(delay)", "`delay` is in seconds.", None),
    ("wait(delay)", "`delay` is in seconds.", Some(Verdict::Unconfirmed)),
    ("wait_bytes(delay)", "`delay` is in seconds.", Some(Verdict::Unconfirmed)),
    ("delay_secs = 1\nwait(delay)", "`delay` is in seconds.", Some(Verdict::Recited)),
    ("delay_ms = 1\nwait(delay)", "`delay` is in seconds.", Some(Verdict::Unconfirmed)),
    (
        "def wait_secs(delay):\n    wait(delay)",
        "`delay` is in seconds.",
        Some(Verdict::AsSubmitted),
    ),
    ("def wait_ms(delay):\n    wait(delay)", "`delay` is in seconds.", None),
];

#[test]
fn a_unit_without_a_number_is_that_of_the_lines() {
    let mut wrong = Vec::new();
    for (code, fact, wanted) in UNITS {
        let lines = code.lines().count();
        let name = code.strip_prefix("def ").and_then(|def| def.split('(').next());
        let known = name.map(|name| format!("decl={name}:1-{lines}")).unwrap_or_default();
        // Lines of other files with the unit say nothing of these.
        let source = format!(
            "//- /src/a.py read=1-{lines} {known}\n{code}\n//- /src/other.py read=1\nsleep_secs = 2\n"
        );
        let submitted =
            json!({"findings": [{"fact": fact, "refs": [format!("src/a.py:{lines}")]}]});
        let map = check(&mut Evidence::new(&source), &submitted).map;
        let verdict = map.findings.first().map(|finding| finding.verdict);
        if verdict != *wanted {
            wrong.push((code, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
