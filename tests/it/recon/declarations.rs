//! Which declarations are found, and which of their lines stand for them.

use retriever::{
    evidence_ledger::LineRange,
    search::{Question, declarations},
    workspace::Cancellation,
};

use crate::support::fixture::Fixture;

use super::ask;

/// Kind, name, first and last line.
type Row = (&'static str, &'static str, u32, u32);

#[test]
fn declarations_are_found_in_every_common_language() {
    let cases: &[(&str, &str, &[Row])] = &[
        (
            "rs",
            "/// Doc {\n#[derive(Debug)]\npub struct A {\n    b: u8,\n}\n\nimpl<'a> Send for A {\n    pub async fn send(&'a self) -> Result<(), ()> {\n        let c = '{';\n        let s = \"}\";\n        Ok(())\n    }\n}\npub const LIMIT: u8 = 1;\n",
            &[
                ("struct", "A", 3, 5),
                ("impl", "A", 7, 13),
                ("method", "send", 8, 12),
                ("const", "LIMIT", 14, 14),
            ],
        ),
        (
            "go",
            "type Server struct {\n\tmux *Mux\n}\n\nfunc (s *Server) Serve(w W) error {\n\tif true {\n\t\treturn nil\n\t}\n\treturn nil // }\n}\n\nfunc New() interface{} {\n\treturn 1\n}\n",
            &[("struct", "Server", 1, 3), ("method", "Serve", 5, 10), ("func", "New", 12, 14)],
        ),
        (
            "ts",
            "export const useThing = (a: string) => {\n  return a;\n};\nexport class Box<T> extends Base {\n  private async open(\n    key: string,\n  ): Promise<{ ok: boolean }> {\n    if (key) {\n      call(key);\n    }\n  }\n}\ninterface Props { a: 1 }\nconst limit = 3\nfunction last() {}\n",
            &[
                ("function", "useThing", 1, 3),
                ("class", "Box", 4, 12),
                ("method", "open", 5, 11),
                ("interface", "Props", 13, 13),
                ("const", "limit", 14, 14),
                ("function", "last", 15, 15),
            ],
        ),
        (
            "py",
            "LIMIT = {\n    1: 2,\n}\n\n@decorator\nclass A(B):\n    \"\"\"Doc\ndef not_one(): pass\n    \"\"\"\n\n    async def go(\n        self,\n    ) -> int:\n        return 1\n\n\ndef last():\n    pass\n",
            &[
                ("variable", "LIMIT", 1, 3),
                ("class", "A", 6, 14),
                ("method", "go", 11, 14),
                ("def", "last", 17, 18),
            ],
        ),
        (
            "java",
            "public final class A {\n    private static final int MAX = 3;\n    @Override\n    public <T> List<T> read(String name) throws E {\n        return parse(name);\n    }\n    A(int x) { }\n}\n",
            &[("class", "A", 1, 8), ("constant", "MAX", 2, 2), ("method", "read", 4, 6)],
        ),
        (
            "kt",
            "data class A(val x: Int)\n\nfun A.twice(): Int = x * 2\n\nobject B {\n  override fun run() {\n    go()\n  }\n}\n",
            &[
                ("class", "A", 1, 1),
                ("fun", "twice", 3, 3),
                ("object", "B", 5, 9),
                ("method", "run", 6, 8),
            ],
        ),
        (
            "c",
            "int later(int a);\nstatic int\nnow(int a)\n{\n  return later(a);\n}\nstatic void go(void) {\n}\n",
            &[("function", "go", 7, 8)],
        ),
        (
            "rb",
            "module A\n  class B\n    def call(x)\n      if x\n        1\n      end\n    end\n  end\nend\n",
            &[("module", "A", 1, 9), ("class", "B", 2, 8), ("method", "call", 3, 7)],
        ),
        ("sh", "deploy() {\n  echo '}'\n}\n", &[("function", "deploy", 1, 3)]),
        ("sql", "CREATE TABLE IF NOT EXISTS users (\n  id int\n);\n", &[("TABLE", "users", 1, 3)]),
        (
            "md",
            "# A\ntext\n## B\nmore\n# C\n",
            &[("section", "A", 1, 4), ("section", "B", 3, 4), ("section", "C", 5, 5)],
        ),
        ("bin", "fn a() {}", &[]),
    ];
    for (extension, source, expected) in cases {
        let found: Vec<(String, String, u32, u32)> =
            declarations(extension, source, &Cancellation::new())
                .into_iter()
                .map(|found| found.declaration)
                .map(|d| (d.kind, d.name, d.range.start(), d.range.end()))
                .collect();
        for (kind, name, start, end) in *expected {
            let wanted = ((*kind).to_owned(), (*name).to_owned(), *start, *end);
            assert!(found.contains(&wanted), "{extension}: no {wanted:?} in {found:?}");
        }
        if expected.is_empty() {
            assert!(found.is_empty());
        }
    }
}

#[test]
fn a_wide_declaration_is_narrowed_to_the_lines_that_fit() {
    let filler: String = (0..300).map(|n| format!("    x{n} = {n}\n")).collect();
    let source = format!("//- /a.py\ndef enormous():\n{filler}    flush_journal(x1)\n{filler}");
    let found = ask(&Fixture::new(&source), &Question::new("when is the journal flushed"));
    let best = &found.candidates[0];
    let range = best.range.unwrap();
    assert!(range.width() <= 40 && range.contains(302), "{range}");
    let whole = best.part_of.as_ref().unwrap();
    assert_eq!((whole.name.as_str(), whole.range), ("enormous", LineRange::new(1, 602).unwrap()));
    let (line, shown) = best.signature.as_ref().unwrap();
    assert!(range.contains(*line) && shown.contains("flush_journal"), "{line} {shown}");
}
