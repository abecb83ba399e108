//! Prints the figures of a checkout's crates: files, lines, functions over 60 lines, functions with more than five
//! parameters, public items, and modules in cycles. `cargo run -p retriever-tidy --example figures [ROOT]`

use std::{collections::BTreeSet, env, error::Error, path::PathBuf};

use retriever_tidy::{crate_source, function_sizes, module_cycles, public_items};

#[expect(clippy::print_stdout, reason = "prints figures")]
fn main() -> Result<(), Box<dyn Error>> {
    let root = env::args().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    println!(
        "| crate | files | lines | functions | > 60 lines | > 5 parameters | public items | modules in cycles |"
    );
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut total = [0; 7];
    for crate_ in crate_source::read_workspace(&root)? {
        let files: BTreeSet<_> =
            crate_.modules.iter().map(|it| (&it.file, it.text.lines().count())).collect();
        let functions = function_sizes::functions(&crate_);
        let cycles = module_cycles::cycles(&crate_, |_| false);
        let figures = [
            files.len(),
            files.iter().map(|(_, lines)| lines).sum(),
            functions.len(),
            functions.iter().filter(|it| it.lines > 60).count(),
            functions.iter().filter(|it| it.parameters > 5).count(),
            public_items::count(&public_items::public_items(&crate_)),
            cycles.iter().map(|it| it.members.len()).sum(),
        ];
        println!("| {} | {} |", crate_.name, figures.map(|it| it.to_string()).join(" | "));
        for (sum, figure) in total.iter_mut().zip(figures) {
            *sum += figure;
        }
        if env::args().any(|it| it == "-v") {
            for cycle in cycles {
                println!(
                    "{}: {}\n    {}",
                    cycle.folder,
                    cycle.members.join(" "),
                    cycle.uses.join("\n    ")
                );
            }
            for it in
                functions.iter().filter(|it| it.lines > 60 || it.parameters > 5 || it.booleans > 0)
            {
                println!(
                    "{}:{}: {} {} lines {} parameters {} bools",
                    it.file, it.line, it.name, it.lines, it.parameters, it.booleans
                );
            }
        }
    }
    println!("| total | {} |", total.map(|it| it.to_string()).join(" | "));
    Ok(())
}
