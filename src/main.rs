//! The program: parse, run, exit. Nothing else.

fn main() {}
