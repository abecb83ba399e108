//! Notebooks: the code of their cells, at the lines of the JSON.

use pretty_assertions::assert_eq;
use retriever_graph::{
    NodeKind,
    indexing::{Language, SourceFile, extract, resolve},
};

use crate::support::{check, graph_of};

/// As notebook programs write them: a line of code is a line of the file.
const NOTEBOOK: &str = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "metadata": {},
   "source": ["# def title(): pass\n"]
  },
  {
   "cell_type": "code",
   "execution_count": 1,
   "outputs": [{"text": ["def shown(): pass\n"]}],
   "source": [
    "%matplotlib inline\n",
    "!pip install shop\n",
    "from shop import price\n",
    "\n",
    "def total(items):\n",
    "    \"\"\"Adds \\n up.\"\"\"\n",
    "    return sum(price(it) for it in items)"
   ]
  },
  {
   "cell_type": "code",
   "source": [
    "%%bash\n",
    "total 1 2\n"
   ]
  },
  {
   "cell_type": "code",
   "source": "%%time\ntotal([1])\nprint(total('%d' \n  % 2))\n"
  }
 ],
 "metadata": {"kernelspec": {"display_name": "P", "language": "python", "name": "python3"}},
 "nbformat": 4
}
"##;

#[test]
fn cells_are_read_at_the_lines_of_the_file() {
    let project = format!(
        "//- /shop.py\ndef price(it):\n    return 1\n//- /notes/sums.ipynb\n{NOTEBOOK}//- /notes/use.py\nimport sums\nsums.total(1)\n"
    );
    check(&project, &["sums.cell 4 -> sums.total", "sums.total -> shop.price"]);
    let graph = graph_of(&project);
    let mut nodes: Vec<String> = graph
        .nodes()
        .filter(|node| node.path.ends_with(".ipynb") && node.kind != NodeKind::File)
        .map(|node| {
            format!("{:?} {} {}-{} {}", node.kind, node.name, node.start, node.end, node.doc)
        })
        .collect();
    nodes.sort();
    assert_eq!(
        nodes,
        [
            "Function total 17-19 Adds \\n up.",
            "Module cell 2 13-19 ",
            "Module cell 3 25-26 ",
            "Module cell 4 31-31 ",
        ]
    );
}

#[test]
fn a_notebook_on_one_line_has_everything_on_that_line() {
    let text =
        r#"{"cells":[{"cell_type":"code","source":["def f():\n","  g()\n","def g(): pass"]}]}"#;
    let graph = graph_of(&format!("//- /a.ipynb\n{text}"));
    let lines: Vec<(u32, u32)> = graph
        .nodes()
        .filter(|node| node.kind == NodeKind::Function)
        .map(|node| (node.start, node.end))
        .collect();
    assert_eq!(lines, [(1, 1), (1, 1)]);
    check(&format!("//- /a.ipynb\n{text}"), &["a.f -> a.g"]);
}

#[test]
fn other_kernels_and_broken_json_hold_nothing() {
    let cell = r#"{"cell_type": "code", "source": ["f <- function() 1\n"]}"#;
    let other = format!(
        "{{\"cells\": [{cell}], \"metadata\": {{\"language_info\": {{\"name\": \"R\"}}}}}}"
    );
    let samples = [
        other,
        String::new(),
        "[]".to_owned(),
        NOTEBOOK[..NOTEBOOK.len() / 2].to_owned(),
        format!("{{\"cells\": {}", "[".repeat(200_000)),
        format!("{{\"cells\": [{{\"source\": {}}}]}}", "[".repeat(50_000)),
        r#"{"cells": [{"cell_type": "code", "source": {"a": 1}}]}"#.to_owned(),
        r#"{"cells": [{"cell_type": "code", "source": [1, null, "\ud800", ""]}]}"#.to_owned(),
        r#"{"cells": 3, "metadata": null}"#.to_owned(),
    ];
    for text in samples {
        let facts = extract(Language::Notebook, &text);
        let graph = resolve(vec![SourceFile { path: "a.ipynb".into(), facts }], &[]).unwrap();
        assert_eq!(
            graph.nodes().filter(|node| node.kind != NodeKind::File).count(),
            0,
            "{text:.80}"
        );
    }
}
