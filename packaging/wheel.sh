#!/usr/bin/env bash
# Builds the wheel with man pages and completions: wheel.sh MATURIN PROGRAM [OPTIONS OF MATURIN BUILD]
# PROGRAM runs on this machine, and writes them.
set -euo pipefail
maturin=${1:?usage: wheel.sh MATURIN PROGRAM [OPTIONS]}
program=${2:?usage: wheel.sh MATURIN PROGRAM [OPTIONS]}
shift 2
cd "$(dirname "$0")/.."
# maturin takes the folder that has the name of the project.
data=retriever-code-map.data
trap 'rm -rf "$data"' EXIT
share=$data/data/share
mkdir -p "$share"/{man/man1,bash-completion/completions,zsh/site-functions,fish/vendor_completions.d}
"$program" man "$share/man/man1"
"$program" completions bash >"$share/bash-completion/completions/retriever"
"$program" completions zsh >"$share/zsh/site-functions/_retriever"
"$program" completions fish >"$share/fish/vendor_completions.d/retriever.fish"
# `uvx` and `pipx run` start the command that has the package's name.
mkdir -p "$data/scripts"
cat >"$data/scripts/retriever-code-map" <<'END'
#!python
import os
import sys

program = os.path.join(os.path.dirname(os.path.realpath(__file__)), "retriever")
os.execv(program, [program, *sys.argv[1:]])
END
"$maturin" build --locked "$@"
