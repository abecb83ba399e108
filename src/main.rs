//! The program: everything is in `cli`.

mod cli;

/// Faster than the system allocator when many threads allocate many small objects.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::main()
}
