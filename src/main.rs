//! The program: parse, run, exit. Nothing else.

mod cli;

/// Questions and refreshes make and drop many small things on all threads at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::main()
}
