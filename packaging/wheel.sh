#!/usr/bin/env bash
# Builds the wheel with man pages: wheel.sh MATURIN PROGRAM [OPTIONS OF MATURIN BUILD]
# PROGRAM runs on this machine, and writes the pages.
set -euo pipefail
maturin=${1:?usage: wheel.sh MATURIN PROGRAM [OPTIONS]}
program=${2:?usage: wheel.sh MATURIN PROGRAM [OPTIONS]}
shift 2
cd "$(dirname "$0")/.."
# maturin takes the folder that has the name of the project.
data=retriever-code-map.data
trap 'rm -rf "$data"' EXIT
mkdir -p "$data/data/share/man/man1"
"$program" man "$data/data/share/man/man1"
"$maturin" build --locked "$@"
