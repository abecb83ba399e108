//! Where variables and fields are used: what names them is resolved when it is asked for, in each language.

use pretty_assertions::assert_eq;
use serde_json::json;

use super::{Asked, ask};

/// A project, the value that is asked about, and who uses it on which lines.
type Case = (&'static str, &'static str, &'static [(&'static str, &'static [u64])]);

const TYPESCRIPT: &str = "\
//- /src/state.ts
export let state = { depth: 0 }
export const enter = () => { state.depth += 1 }
export function reset() {
  state = { depth: 0 }
}
//- /src/index.ts
export * from './state'
export { state as current } from './state'
//- /src/run.ts
import { state } from './index'
import { current } from './index'
// state in a comment
export function run() {
  if (state.depth > 0) return current
  const label = 'state'
  return { label, state }
}
export function apart(state: number) { return state + 1 }
//- /src/other.ts
const state = 1
export function mine() { return state }
//- /src/cache.ts
export class Cache {
  private entries = new Map<string, number>()
  size() { return this.entries.size }
  other(entries: number) { return entries }
}
export function peek(cache: Cache) { return cache.entries }
";

const PYTHON: &str = "\
//- /app/limits.py
MISSING = object()
FILTERS = {'a': 1}

def is_missing(value):
    return value is MISSING
//- /app/defaults.py
from .limits import FILTERS as DEFAULT_FILTERS
//- /app/run.py
from . import limits
from .defaults import DEFAULT_FILTERS

class Environment:
    def __init__(self):
        self.filters = DEFAULT_FILTERS.copy()

    def get(self, name):
        MISSING = 3
        return MISSING

    def find(self, name):
        return self.filters.get(name, limits.MISSING)
";

const KOTLIN: &str = "\
//- /src/a/Limits.kt
package a
const val LIMIT = 3
class Config {
    companion object {
        const val KEY = \"key\"
    }
    fun own() = KEY
}
//- /src/a/Beside.kt
package a
fun beside(): Int = LIMIT
//- /src/b/Far.kt
package b
import a.Config
import a.LIMIT
class Far {
    val most = LIMIT
    fun key() = Config.KEY
}
//- /src/c/Other.kt
package c
fun other(LIMIT: Int) = LIMIT
";

const GO: &str = "\
//- /go.mod
module example.com/m
//- /pkg/pkg.go
package pkg
var Default = 1
func Own() int { return Default }
//- /pkg/beside.go
package pkg
func Beside() int { return Default + 1 }
//- /main.go
package main
import \"example.com/m/pkg\"
func main() { println(pkg.Default) }
";

const JAVA: &str = "\
//- /src/a/Limits.java
package a;
public class Limits {
    public static final int MOST = 3;
    private int count;
    int more() { this.count++; return count; }
    int most() { return MOST; }
}
//- /src/b/User.java
package b;
import a.Limits;
class User {
    int all() { return Limits.MOST; }
}
";

const RUST: &str = "\
//- /Cargo.toml
[package]
name = \"m\"
version = \"0.1.0\"
//- /src/lib.rs
mod limits;
use limits::MOST;
pub fn all() -> usize { MOST + limits::LEAST }
//- /src/limits.rs
pub const MOST: usize = 3;
pub static LEAST: usize = 1;
pub fn own() -> usize { MOST }
";

const RUST_FIELDS: &str = "\
//- /Cargo.toml
[package]
name = \"m\"
//- /src/lib.rs
mod pool;
pub struct Client { config: pool::Config, limit: usize }
pub struct Other { limit: usize }
pub fn made() -> pool::Config { pool::Config { limit: 3 } }
pub fn short(limit: usize) -> pool::Config { pool::Config { limit } }
pub fn apart(limit: usize) -> Other { Other { limit: limit } }
impl Client {
    fn taken(&self) -> usize { let pool::Config { limit: most } = self.config; most }
    fn within(&mut self) {
        self.config.limit = 4;
        self.limit = 5;
        self
            .config.limit += 1;
    }
    fn beside(&self) -> usize { self.limit }
}
//- /src/pool.rs
pub struct Config { pub limit: usize }
";

const GO_FIELDS: &str = "\
//- /go.mod
module m
//- /a.go
package a
type Config struct { Limit int }
func Made() Config { return Config{Limit: 3} }
type Client struct { config Config; Limit int }
func (c *Client) Within() int { return c.config.Limit }
func Apart(Limit int) map[int]int { return map[int]int{Limit: 1} }
";

const C_FIELDS: &str = "\
//- /a.c
struct config { int limit; };
struct other { int limit; };
struct config made(void) { struct config it = { .limit = 3 }; return it; }
struct other apart(void) { struct other it = { .limit = 3 }; return it; }
int within(struct config *it) { return it->limit; }
";

const PHP: &str = "\
//- /a.php
<?php
class Bag {
    private $items = [];
    private static $most = 3;
    public function add($item) { $this->items[] = $item; }
    public function size() { return count($this->items) + self::$most; }
}
";

const CONSTANTS: &str = "\
//- /a.h
#define LIMIT 4
#define PLAIN other
#define OPENS_BODY {
#define CALLED (*other)
//- /a.c
#include \"a.h\"
int one(void) { return LIMIT; }
int three(int LIMIT) { return LIMIT; }
//- /b.cc
namespace k { enum class Kind { Odd }; }
bool five(k::Kind kind) { return kind == k::Kind::Odd; }
//- /b.php
<?php
class Limits { const MOST = 3; public static $count = 0; }
enum Mode { case Fast; case Slow; }
function six() { return Limits::MOST; }
function seven(Mode $mode) { return match($mode) { Mode::Fast => 1, default => Other::Fast }; }
//- /b.py
class Level:
    LOW = 1
    HIGH = 2
def eight(level):
    match level:
        case Level.LOW | Level.HIGH: return 1
        case LOW: return LOW
//- /b.scala
package b
enum Shade { case Dark, Light }
object Sizes { val Big = 1 }
class Uses {
  def nine(shade: Shade, n: Int) = shade match { case Shade.Dark => 1 }
  def ten(n: Int) = n match { case Sizes.Big => 1 }
}
//- /b.swift
enum Way { case north, south }
struct Sized { static let most = 3 }
func eleven(way: Way) -> Int {
  switch way {
  case .south: return 2
  case .north: return 1
  default: return Sized.most
  }
}
func twelve() -> Way { return .north }
//- /b.ts
export enum Shape { Round, Square = 2 }
export function thirteen(shape: Shape) { return shape === Shape.Round }
";

const RUST_METHODS: &str = "\
//- /Cargo.toml
[package]
name = \"demo\"
//- /src/lib.rs
pub mod post;
pub struct Sent { pub weight: u32 }
//- /src/post.rs
use crate::Sent;
pub struct Post {}
impl Post {
    pub const LIMIT: u32 = 4;
    pub fn send(&self) -> Sent { Sent { weight: 1 } }
}
fn two(post: &Post) -> u32 { let sent = post.send(); sent.weight + Post::LIMIT }
impl Post { fn own(&self) -> u32 { Self::LIMIT } }
";

const GO_METHODS: &str = "\
//- /go.mod
module demo
//- /post.go
package demo
type Sent struct { Weight int }
type Post struct {}
func (p Post) Send() Sent { return Sent{} }
func Two(p Post) int { s := p.Send(); return s.Weight }
";

const SWIFT_EXTENSION: &str = "\
//- /Package.swift
//- /Sources/Theme.swift
struct Theme { let name: String }
extension Theme { static var all: [Theme] = [] }
func none() {}
func paint() { _ = Theme.all }
";

const CASES: &[Case] = &[
    (CONSTANTS, "LIMIT", &[("one", &[2])]),
    (CONSTANTS, "PLAIN", &[]),
    (CONSTANTS, "OPENS_BODY", &[]),
    (CONSTANTS, "CALLED", &[]),
    (CONSTANTS, "Kind.Odd", &[("five", &[2])]),
    (CONSTANTS, "Limits.MOST", &[("six", &[4])]),
    (CONSTANTS, "Mode.Fast", &[("seven", &[5])]),
    (CONSTANTS, "Level.LOW", &[("eight", &[6])]),
    (CONSTANTS, "Shade.Dark", &[("nine", &[5])]),
    (CONSTANTS, "Sizes.Big", &[("ten", &[6])]),
    (CONSTANTS, "Way.north", &[("eleven", &[6]), ("twelve", &[10])]),
    (CONSTANTS, "Sized.most", &[("eleven", &[7])]),
    (CONSTANTS, "Shape.Round", &[("thirteen", &[2])]),
    (PHP, "Bag.$items", &[("add", &[5]), ("size", &[6])]),
    (PHP, "Bag.$most", &[("size", &[6])]),
    (TYPESCRIPT, "src/state.state", &[("enter", &[2]), ("reset", &[4]), ("run", &[5, 7])]),
    (TYPESCRIPT, "src/other.state", &[("mine", &[2])]),
    (TYPESCRIPT, "Cache.entries", &[("size", &[3]), ("peek", &[6])]),
    (PYTHON, "limits.MISSING", &[("is_missing", &[5]), ("find", &[13])]),
    (PYTHON, "limits.FILTERS", &[("__init__", &[6])]),
    (PYTHON, "Environment.filters", &[("find", &[13])]),
    (KOTLIN, "a.LIMIT", &[("beside", &[2]), ("Far", &[5])]),
    (KOTLIN, "KEY", &[("own", &[7]), ("key", &[6])]),
    (GO, "Default", &[("Own", &[3]), ("main", &[3]), ("Beside", &[2])]),
    (JAVA, "Limits.MOST", &[("most", &[6]), ("all", &[4])]),
    (JAVA, "Limits.count", &[("more", &[5])]),
    (RUST, "MOST", &[("own", &[3]), ("all", &[3])]),
    (RUST, "LEAST", &[("all", &[3])]),
    (
        RUST_FIELDS,
        "Config.limit",
        &[("made", &[4]), ("short", &[5]), ("within", &[10, 13]), ("taken", &[8])],
    ),
    (RUST_METHODS, "Sent.weight", &[("send", &[5]), ("two", &[7])]),
    (RUST_METHODS, "Post.LIMIT", &[("two", &[7]), ("own", &[8])]),
    (GO_METHODS, "Sent.Weight", &[("Two", &[5])]),
    (SWIFT_EXTENSION, "Theme.all", &[("paint", &[4])]),
    (GO_FIELDS, "Config.Limit", &[("Made", &[3]), ("Within", &[5])]),
    (C_FIELDS, "config.limit", &[("made", &[3]), ("within", &[5])]),
];

fn users(asked: &Asked) -> Vec<(String, Vec<u64>)> {
    let answers = asked.result.typed["answers"].as_array().unwrap();
    let user = |answer: &serde_json::Value| {
        let qname = answer["definition"]["qname"].as_str().unwrap();
        let name = qname.rsplit(['.', ':', '/', '\\']).next().unwrap().to_owned();
        let lines = answer["lines"].as_array().unwrap();
        (name, lines.iter().map(|line| line.as_u64().unwrap()).collect())
    };
    answers.iter().map(user).collect()
}

#[test]
fn a_value_is_used_where_its_name_means_it() {
    let mut wrong = Vec::new();
    for (project, target, wanted) in CASES {
        let asked = ask(project, &json!({"operation": "usages", "target": target}));
        let mut wanted: Vec<(String, Vec<u64>)> =
            wanted.iter().map(|(name, lines)| ((*name).to_owned(), lines.to_vec())).collect();
        let mut found = users(&asked);
        wanted.sort();
        found.sort();
        if found != wanted {
            wrong.push(format!("{target}: {found:?}, not {wanted:?}\n{}", asked.text));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn callers_of_a_value_are_its_uses_and_a_page_of_them_says_how_many_there_are() {
    let target = "src/state.state";
    let asked = ask(TYPESCRIPT, &json!({"operation": "callers", "target": target, "limit": 1}));
    assert!(asked.text.contains("1-1 of 3 usages of src/state.state"), "{}", asked.text);
    let unused = ask(TYPESCRIPT, &json!({"operation": "usages", "target": "cache.Cache.none"}));
    assert!(unused.text.starts_with("no definition"), "{}", unused.text);
}

#[test]
fn an_operation_by_another_name_and_a_name_in_another_spelling_are_told_once() {
    let asked = ask(GO, &json!({"operation": "imports", "target": "pkg/pkg.go"}));
    assert!(asked.text.contains("usages of a file are the files that import it"), "{}", asked.text);
    let source =
        "//- /a.py\ndef config(): pass\nclass Config: pass\n_config = 1\ndef configs(): pass\n";
    let asked = ask(source, &json!({"operation": "usages", "target": "confgi"}));
    assert!(asked.text.contains("did you mean Config, configs?"), "{}", asked.text);
}
