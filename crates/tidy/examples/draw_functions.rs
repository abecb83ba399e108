//! Prints random functions without their paths, to test whether a reader who knows only the folder tree can guess their
//! files. The answers go to stderr. `cargo run -p retriever-tidy --example draw_functions SEED [COUNT [ROOT]] 2>
//! answers`

use std::{env, error::Error, path::PathBuf};

use retriever_tidy::{crate_source, function_sizes};

/// Least number of lines of a function that is drawn.
const MIN_LINES: usize = 6;

#[expect(clippy::print_stdout, clippy::print_stderr, reason = "prints functions and answers")]
fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let mut seed: u64 = arguments.next().ok_or("give a number as a seed")?.parse()?;
    let count: usize = arguments.next().map_or(Ok(30), |it| it.parse())?;
    let root = arguments.next().map_or_else(|| PathBuf::from("."), PathBuf::from);
    let mut all = Vec::new();
    for crate_ in crate_source::read_workspace(&root)? {
        let mut drawable = function_sizes::functions(&crate_);
        drawable.retain(|it| it.lines >= MIN_LINES);
        for function in drawable {
            let module = crate_.modules.iter().find(|it| it.file == function.file);
            let text =
                module.map(|it| it.text.lines().skip(function.line - 1).take(function.lines));
            all.push((text.into_iter().flatten().collect::<Vec<_>>().join("\n"), function));
        }
    }
    for number in 1..=count.min(all.len()) {
        // Knuth's linear congruential generator; its high bits are the random ones.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (text, drawn) = all.swap_remove((seed >> 33) as usize % all.len());
        println!("## {number}\n\n```rust\n{text}\n```\n");
        eprintln!("{number}. {}:{} {}", drawn.file, drawn.line, drawn.name);
    }
    Ok(())
}
