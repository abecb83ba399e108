//! The program: parse, run, exit. Nothing else.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}
