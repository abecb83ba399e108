#!/usr/bin/env python3
"""Asks one `retriever serve` from many clients at once while files change, and prints its memory and descriptors every minute.

    python3 benches/serve_load.py path/to/retriever [--clients 64] [--minutes 10] [--moments 200]

Every client has a repository of its own among those that are served, and a word that no other has. Half of the clients speak MCP
over HTTP, half plain JSON. An answer that names another repository's files or words, or a status that is not 200, is an
error; that the server is busy is counted, and the client waits. At as many moments a file changes, and what the server then
answers has to be what a new process with a cache of its own answers. Linux only: memory is read from /proc.
"""

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

TOKEN = "a-token-of-this-bench"
ROOTS = 3
FILES = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--moments", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        config = write_roots(home)
        environment = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/.cache", "RETRIEVER_SERVE_TOKEN": TOKEN}
        command = [options.program, "serve", "--listen", "127.0.0.1:0", "--offline", "--quiet", "--config", config]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True, cwd=home / "root0")
        try:
            address = server.stdout.readline().strip().removeprefix("http://")
            load = Load(address, time.monotonic() + options.minutes * 60)
            clients = [threading.Thread(target=load.run, args=(at,)) for at in range(options.clients)]
            clients.append(threading.Thread(target=Editor(load, home, options).run))
            for client in clients:
                client.start()
            minutes = watch(server.pid, load)
            for client in clients:
                client.join()
        finally:
            server.terminate()
        status = server.wait()
    report(load, minutes, status)


def write_roots(home: Path) -> Path:
    """Repositories that share all names but one word each."""
    lines = []
    for root in range(ROOTS):
        for file in range(FILES):
            write(home, root, file)
        lines += ["[[serve.roots]]", f'name = "root{root}"', f'path = "{home}/root{root}"', ""]
    config = home / "config.toml"
    config.write_text("\n".join(lines))
    return config


def write(home: Path, root: int, file: int, edit: str = "") -> None:
    path = home / f"root{root}/src/part{file}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"{edit}def handle_{file}(request):\n    return send_{file}(request, '{word(root)}')\n\n\n"
        f"def send_{file}(request, to):\n    return (request, to)\n"
    )


def word(root: int) -> str:
    return f"secretword{root}x"


class Load:
    """What all clients share."""

    def __init__(self, address: str, end: float) -> None:
        self.address, self.end = address, end
        self.counts: Counter[str] = Counter()
        self.errors: list[str] = []
        self.times: list[float] = []
        self.lock = threading.Lock()

    def is_over(self) -> bool:
        return time.monotonic() >= self.end

    def run(self, number: int) -> None:
        client = (McpClient if number % 2 else JsonClient)(self, number)
        while not self.is_over():
            started = time.monotonic()
            try:
                client.ask()
                took = time.monotonic() - started
                with self.lock:
                    self.counts[type(client).__name__] += 1
                    self.times.append(took)
            except Busy as busy:
                with self.lock:
                    self.counts["busy"] += 1
                time.sleep(busy.wait)
            except Exception as error:  # every failure is a finding
                with self.lock:
                    self.errors.append(f"client {number}: {type(error).__name__}: {error}")
                if len(self.errors) > 20:
                    return


class Editor:
    """Changes files, and compares what the server answers then with what a new process answers."""

    def __init__(self, load: "Load", home: Path, options: argparse.Namespace) -> None:
        self.load, self.home, self.program = load, home, options.program.resolve()
        self.pause = options.minutes * 60 / (options.moments + 1)
        self.random = random.Random(0)

    def run(self) -> None:
        moment, started = 0, time.monotonic()
        while not self.load.is_over():
            moment += 1
            file = self.random.randrange(FILES)
            lines = "".join(f"    {word(moment % ROOTS)}_{line} = {line}\n" for line in range(self.random.randrange(5)))
            edit = f"def edited_{moment}(request):\n{lines}    return handle_{file}(request)\n\n\n"
            write(self.home, moment % ROOTS, file, edit)
            for verb, arguments, command in [
                ("graph", {"operation": "callers", "target": f"handle_{file}"}, ["callers", f"handle_{file}"]),
                ("explore", {"query": f"what does edited_{moment} do"}, [f"what does edited_{moment} do"]),
            ]:
                try:
                    self.compare(moment % ROOTS, verb, arguments, command)
                except Exception as error:
                    with self.load.lock:
                        self.load.errors.append(f"moment {moment}: {type(error).__name__}: {error}")
            time.sleep(max(0.0, min(started + moment * self.pause, self.load.end) - time.monotonic()))

    def compare(self, root: int, verb: str, arguments: dict, command: list[str]) -> None:
        client = JsonClient(self.load, root)
        _, served = client.patiently(f"/v1/{verb}", {"root": f"root{root}", **arguments})
        with tempfile.TemporaryDirectory() as cache:
            environment = {"HOME": cache, "PATH": os.environ["PATH"]}
            arguments = [self.program, verb, *command, "--format", "json"]
            new = subprocess.run(arguments, capture_output=True, env=environment, cwd=self.home / f"root{root}")
        with self.load.lock:
            self.load.counts["compared"] += 1
        if json.loads(served) != json.loads(new.stdout):
            raise ValueError(f"{verb} {command} differs: {served[:2000]!r} is not {new.stdout[:2000]!r}")


class Busy(Exception):
    def __init__(self, wait: float) -> None:
        super().__init__("busy")
        self.wait = wait


class JsonClient:
    """Plain JSON over one connection."""

    def __init__(self, load: Load, number: int) -> None:
        self.number, self.root = number, number % ROOTS
        self.random = random.Random(number)
        self.connection = http.client.HTTPConnection(load.address, timeout=120)

    def post(self, path: str, body: dict, **headers: str) -> tuple[http.client.HTTPResponse, bytes]:
        headers |= {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        self.connection.request("POST", path, json.dumps(body), headers)
        response = self.connection.getresponse()
        answer = response.read()
        if response.status in (429, 503):
            raise Busy(float(response.headers["Retry-After"]))
        if response.status not in (200, 202):
            raise ValueError(f"{path}: {response.status}: {answer[:200]!r}")
        return response, answer

    def patiently(self, path: str, body: dict) -> tuple[http.client.HTTPResponse, bytes]:
        """Comes again while the server is busy."""
        while True:
            try:
                return self.post(path, body)
            except Busy as busy:
                time.sleep(busy.wait)

    def ask(self) -> None:
        file = self.random.randrange(FILES)
        verb, body = self.random.choice([
            ("explore", {"query": f"where does handle_{file} send {word(self.root)}", "limit": 3}),
            ("graph", {"operation": "callers", "target": f"send_{file}"}),
            ("ask", {"question": f"how does handle_{file} send a request?", "effort": "quick"}),
        ])
        _, answer = self.post(f"/v1/{verb}", {"root": f"root{self.root}", **body})
        self.check(answer.decode(), file)

    def check(self, answer: str, file: int) -> None:
        if f"part{file}.py" not in answer:
            raise ValueError(f"part{file}.py is not in {answer[:300]}")
        for other in range(ROOTS):
            if other != self.root and word(other) in answer:
                raise ValueError(f"{word(other)} is in an answer about root{self.root}")


class McpClient(JsonClient):
    """MCP over HTTP with a session of its own, which is opened anew now and then."""

    def __init__(self, load: Load, number: int) -> None:
        super().__init__(load, number)
        self.session, self.calls = "", 0

    def call(self, method: str, parameters: dict) -> str:
        self.calls += 1
        body = {"jsonrpc": "2.0", "id": self.calls, "method": method, "params": parameters}
        headers = {"Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        response, answer = self.post(f"/mcp/root{self.root}", body, **headers)
        self.session = response.headers.get("Mcp-Session-Id", self.session)
        text = answer.decode()
        if "the server is busy" in text:
            raise Busy(1.0)
        if f'"id":{self.calls}' not in text.replace(" ", ""):
            raise ValueError(f"no answer to call {self.calls}: {text[:300]}")
        if '"error":{' in text.replace(" ", ""):
            raise ValueError(text[:300])
        return text

    def ask(self) -> None:
        if self.calls % 50 == 0:
            self.session = ""
            hello = {"name": "load", "version": "1"}
            self.call("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": hello})
            headers = {"Accept": "application/json, text/event-stream", "Mcp-Session-Id": self.session}
            self.post(f"/mcp/root{self.root}", {"jsonrpc": "2.0", "method": "notifications/initialized"}, **headers)
        file = self.random.randrange(FILES)
        tool, arguments = self.random.choice([
            ("explore", {"query": f"where does handle_{file} send {word(self.root)}", "limit": 3}),
            ("graph", {"operation": "callers", "target": f"send_{file}"}),
            ("grep", {"pattern": f"handle_{file}\\b"}),
        ])
        self.check(self.call("tools/call", {"name": tool, "arguments": arguments}), file)


def watch(pid: int, load: Load) -> list[tuple[int, int, int, int, int]]:
    """Seconds, memory in KiB, threads, descriptors and answers, at the start and every minute."""
    minutes, started = [], time.monotonic()
    while load.end - time.monotonic() > 0.5:
        status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
        number = lambda name: int(status[name].split()[0])  # noqa: E731
        answers = sum(count for name, count in load.counts.items() if name.endswith("Client"))
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        row = (round(time.monotonic() - started), number("VmRSS"), number("Threads"), descriptors, answers)
        minutes.append(row)
        print(f"{row[0]:>5} s  {row[1] / 1024:>7.1f} MB  {row[2]:>3} threads  {row[3]:>4} descriptors  {row[4]:>7} answers", flush=True)
        # The last look is just before the end.
        time.sleep(max(0.1, min(60.0 - (time.monotonic() - started) % 60.0, load.end - time.monotonic() - 0.6)))
    return minutes


def report(load: Load, minutes: list[tuple[int, int, int, int, int]], status: int) -> None:
    times = sorted(load.times) or [0.0]
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1000  # noqa: E731
    # The first minute fills caches.
    first, last = minutes[min(1, len(minutes) - 1)], minutes[-1]
    print(f"{dict(load.counts)}; median {at(0.5):.0f} ms, p99 {at(0.99):.0f} ms; the server ended with {status}")
    print(f"memory {first[1] / 1024:.1f} MB after {first[0]} s, {last[1] / 1024:.1f} MB after {last[0]} s"
          f" ({last[1] / first[1]:.3f}, {(last[1] - first[1]) / max(1, last[4] - first[4]):+.1f} kB an answer); {len(load.errors)} errors, among them any answer about another repository")
    print("\n".join(load.errors[:20]))
    if load.errors or not load.times or status != 0:
        sys.exit(f"{len(load.errors)} errors")


if __name__ == "__main__":
    os.environ.setdefault("PYTHONUNBUFFERED", "1")
    main()
