#!/usr/bin/env bash
# Builds what is shipped for a target: build.sh x86_64-unknown-linux-gnu
set -euo pipefail
cd "$(dirname "$0")/.."
target=${1:?usage: build.sh TARGET}
. packaging/flags.sh
cargo build --locked --profile dist --features shipped --target "$target" --bin retriever
