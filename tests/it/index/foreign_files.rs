//! Files that are read without being named: what they say decides what calls elsewhere mean.

use super::{Machine, assert_current};

/// Files that stay, and one that becomes each of several texts.
struct Case {
    files: &'static [(&'static str, &'static str)],
    changing: &'static str,
    texts: &'static [&'static str],
}

/// Two traits, a type, and a call of what it is given by an `impl` block in `i.rs`.
const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"m\"\n"),
    ("src/lib.rs", "mod a;\nmod b;\nmod t;\nmod i;\nmod c;\n"),
    ("src/a.rs", "pub trait Tr { fn m(&self) {} }\npub fn f() {}\n"),
    ("src/b.rs", "pub trait Tr { fn m(&self) {} }\npub fn f() {}\n"),
    ("src/t.rs", "pub struct T;\nfn near(t: T) { t.own(); }\n"),
    (
        "src/c.rs",
        "use crate::t::T;\nuse crate::i::f;\nfn far(t: T, v: Vec<u8>) { t.m(); v.m(); t.own(); f(); }\n",
    ),
];

/// A field, its call, and what is assigned to it in `use.ts`.
const TYPESCRIPT: &[(&str, &str)] = &[
    ("src/box.ts", "export class Box { onClose?: () => void; close() { this.onClose?.(); } }\n"),
    ("src/a.ts", "export class Item { run() {} }\nexport function done() {}\n"),
    ("src/b.ts", "export class Item { run() {} }\nexport function done() {}\n"),
    ("src/main.ts", "import { make, Other } from './use';\nmake().run();\nnew Other().run();\n"),
];

const CASES: &[Case] = &[
    Case {
        files: RUST,
        changing: "src/i.rs",
        texts: &[
            "impl crate::a::Tr for crate::t::T {}\n",
            "impl crate::b::Tr for crate::t::T {}\n",
            "",
            "impl crate::t::T { pub fn own(&self) {} }\n",
        ],
    },
    Case {
        files: RUST,
        changing: "src/i.rs",
        texts: &[
            "use crate::a::Tr;\nuse crate::t::T;\nimpl Tr for T {}\n",
            "use crate::b::Tr;\nuse crate::t::T;\nimpl Tr for T {}\n",
        ],
    },
    Case {
        files: RUST,
        changing: "src/i.rs",
        texts: &[
            "use crate::a as x;\nimpl x::Tr for Vec<u8> {}\npub use x::*;\n",
            "use crate::b as x;\nimpl x::Tr for Vec<u8> {}\npub use x::*;\n",
        ],
    },
    Case {
        files: TYPESCRIPT,
        changing: "src/use.ts",
        texts: &[
            "import { Item, done } from './a';\nimport { Box } from './box';\nconst box = new Box();\nbox.onClose = done;\n\
             export function make(): Item { return new Item(); }\nexport { Item as Other };\n",
            "import { Item, done } from './b';\nimport { Box } from './box';\nconst box = new Box();\nbox.onClose = done;\n\
             export function make(): Item { return new Item(); }\nexport { Item as Other };\n",
            "import { Item } from './b';\nexport function make(): Item { return new Item(); }\nexport { Item as Other };\n",
        ],
    },
    Case {
        files: &[
            ("go.mod", "module example.com/m\n"),
            ("a.go", "package m\ntype T struct{}\nfunc near(t *T) { t.Own() }\n"),
        ],
        changing: "b.go",
        texts: &["package m\n", "package m\nfunc (t *T) Own() {}\n"],
    },
    Case {
        files: &[("a.kt", "package m\nclass T\nfun near(t: T) { t.own() }\n")],
        changing: "b.kt",
        texts: &["package m\n", "package m\nfun T.own() {}\n"],
    },
    Case {
        files: &[("Sources/M/a.swift", "class T {}\nfunc near(t: T) { t.own() }\n")],
        changing: "Sources/M/b.swift",
        texts: &["\n", "extension T { func own() {} }\n"],
    },
    Case {
        files: &[(
            "a.js",
            "function T() {}\nfunction near(t) { new T().own(); }\nmodule.exports = { T };\n",
        )],
        changing: "b.js",
        texts: &[
            "const { T } = require('./a');\n",
            "const { T } = require('./a');\nT.prototype.own = function () {};\n",
        ],
    },
];

#[test]
fn what_a_file_says_without_being_named_is_followed() {
    for case in CASES {
        let machine = Machine::new();
        for (path, text) in case.files {
            machine.write(path, text);
        }
        for text in case.texts.iter().chain(&case.texts[..1]) {
            machine.write(case.changing, text);
            assert_current(&machine, &machine.stored());
        }
    }
}
