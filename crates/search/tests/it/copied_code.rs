//! Copies of one piece of code in several files take one of the first places of an answer; code that only has the name of
//! another keeps its own.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the files of the places of an answer, the best first.
fn files(loaders: [&str; 3]) -> Vec<String> {
    let fixture = Fixture::new("");
    for (at, loader) in loaders.iter().enumerate() {
        fixture.write(&format!("raw/loader_{at}.js"), loader);
    }
    fixture.write(
        "src/store.js",
        "function keepCompiled(name, output) {\n  cache[name] = output;\n  return output;\n}\n",
    );
    let question = Question::new("how is a module compiled from its content?");
    let found = candidates(&fixture, &[question]).remove(0);
    found.candidates.iter().map(|it| it.file.path.as_str().to_owned()).collect()
}

#[test]
fn copies_of_a_function_take_one_of_the_first_places() {
    let copied = "function compileModule(module, content) {\n  const wrapped = wrapModule(content);\n  \
        const compiled = compile(wrapped, module.name);\n  if (!compiled) {\n    \
        throw new Error('module cannot be compiled');\n  }\n  module.compiled = compiled;\n  \
        return compiled;\n}\n";
    let copies = files([copied; 3]);
    assert_eq!(copies[1], "src/store.js", "{copies:?}");
    assert_eq!(copies.len(), 4, "{copies:?}");
    let other = "function compileModule(module) {\n  const text = readModule(module.path);\n  \
        for (const part of text.split('\\n')) {\n    visit(part, module);\n  }\n  \
        report(module, 'compiled');\n  return module.compiled;\n}\n";
    let different = files([copied, other, copied]);
    let apart = different[..2].iter().all(|path| path.starts_with("raw/"));
    assert!(apart, "{different:?}");
}
