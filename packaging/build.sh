#!/usr/bin/env bash
# Builds what is shipped for a target: build.sh x86_64-unknown-linux-gnu
# No path of this machine is left in the program, so that two machines with the same tools build the same bytes.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?usage: build.sh TARGET}
cargo_home=${CARGO_HOME:-$HOME/.cargo}
map="--remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$PWD=/src"
case $target in
    # C of grammars and of SQLite takes the same prefixes, by the flags that these compilers share.
    *msvc) ;;
    *) export CFLAGS="-ffile-prefix-map=$cargo_home=/cargo -ffile-prefix-map=$PWD=/src" ;;
esac
CARGO_INCREMENTAL=0 RUSTFLAGS="$map" cargo build --locked --profile dist --features shipped --target "$target" --bin retriever
