#!/usr/bin/env python3
"""Talks to `retriever mcp` and `retriever serve` with the official Python SDK, a client that isn't ours.

    python3 tests/mcp_client.py path/to/retriever

Installs the SDK into a virtual environment beside the program (needs the package registry the first time), and exits with
an error that says what failed.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

SDK = "mcp==2.3.0"
FILES = {
    "src/queue.rs": "/// Puts a job into the queue.\npub fn enqueue_job(job: Job) {\n    QUEUE.lock().push(job);\n}\n\n"
    "pub fn enqueue_twice() {\n    enqueue_job(Job::new());\n}\n",
    "src/main.rs": "fn main() {\n    enqueue_job(Job::new());\n}\n",
}
PATIENCE = 60


def main() -> None:
    if len(sys.argv) == 5 and sys.argv[1] == "die":
        asyncio.run(die(*sys.argv[2:]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    program = Path(sys.argv[1]).resolve()
    home = program.parent / "mcp-client"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if Path(sys.prefix).resolve() != home.resolve():
        if not python.exists():
            venv.create(home, with_pip=True)
        install = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", SDK]
        if subprocess.run(install, check=False).returncode != 0:
            sys.exit(f"mcp_client: cannot install {SDK}; is the package registry reachable?")
        sys.exit(subprocess.run([python, __file__, program], check=False).returncode)
    with tempfile.TemporaryDirectory() as folder:
        for path, text in FILES.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)
        # The handshake of older clients and the discovery of newer ones.
        for mode in ["legacy", "auto"]:
            asyncio.run(asyncio.wait_for(over_stdio(program, Path(folder), mode), 2 * PATIENCE))
            asyncio.run(asyncio.wait_for(over_http(program, Path(folder), mode), 2 * PATIENCE))
            asyncio.run(asyncio.wait_for(cancel(program, Path(folder), mode), 2 * PATIENCE))
            print(f"mcp_client: {mode} passed")
        if os.name == "posix":
            asyncio.run(asyncio.wait_for(outlive(program, Path(folder)), 2 * PATIENCE))
            print("mcp_client: a client that dies passed")


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Caches go away with the folder."""
    return {"HOME": str(folder), "XDG_CACHE_HOME": str(folder / ".cache"), **more}


async def over_http(program: Path, root: Path, mode: str) -> None:
    """Two clients of one server at once; it ends with status 0 once it is asked to."""
    from mcp import Client

    server = await asyncio.create_subprocess_exec(
        program, "serve", "--listen", "127.0.0.1:0", "--offline", "--root", root,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL, env=environment(root),
    )
    try:
        address = (await server.stdout.readline()).decode().strip()
        clients = [Client(f"{address}/mcp", mode=mode) for _ in range(2)]
        await asyncio.gather(*(talk(client, f"{mode}-http-{at}") for at, client in enumerate(clients)))
    finally:
        server.terminate()
    status = await server.wait()
    assert status == 0 or os.name != "posix", status


async def over_stdio(program: Path, root: Path, mode: str) -> None:
    from mcp import Client, StdioServerParameters
    from mcp.types import ListRootsResult, Root

    async def roots(_context):
        return ListRootsResult(roots=[Root(uri=root.as_uri())])

    # Only clients of the older protocol are asked for roots; the newer one starts the server where it is to work.
    legacy = mode == "legacy"
    server = StdioServerParameters(
        command=str(program),
        args=["mcp", "--offline"],
        cwd=str(program.parent if legacy else root),
        env=environment(root),
    )
    await talk(Client(server, mode=mode, list_roots_callback=roots if legacy else None), mode)


async def talk(client, session: str) -> None:
    async with client:
        assert client.server_info.name == "retriever", client.server_info
        assert "confidence" in client.instructions, client.instructions

        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"ask", "explore", "context", "grep", "glob", "read", "graph"} <= tools.keys(), tools
        assert all(tool.annotations.read_only_hint for tool in tools.values()), tools

        told = []

        async def progress(done, _total, message):
            told.append((done, message))

        question = {"question": "how are jobs put into the queue?", "session": session, "snippets": True}
        answer = await client.call_tool("ask", question, progress_callback=progress)
        assert not answer.is_error, answer
        assert answer.structured_content["meta"]["author"] == "offline", answer
        assert "src/queue.rs:" in answer.content[0].text, answer
        assert "QUEUE.lock()" in answer.content[0].text, answer
        assert len(told) >= 2 and told == sorted(told, key=lambda note: note[0]), told

        again = await client.call_tool("ask", question)
        assert again.structured_content["meta"]["session"]["hit"], again

        source = await client.call_tool("explore", {"query": "enqueue_job"})
        assert "QUEUE.lock()" in source.content[0].text, source
        best = source.structured_content["results"][0]
        more = await client.call_tool("context", {"ids": [best["id"]]})
        assert more.structured_content["places"][0]["path"] == best["path"], more

        found = await client.call_tool("glob", {"pattern": "**/*.rs"})
        assert {file["path"] for file in found.structured_content["files"]} == set(FILES), found
        lines = await client.call_tool("read", {"file": "src/queue.rs", "start_line": 2, "num_lines": 1})
        assert "enqueue_job" in lines.content[0].text, lines
        callers = await client.call_tool("graph", {"operation": "callers", "target": "enqueue_job"})
        assert callers.structured_content["total"] == 1, callers

        # Two clients together ask less at once than a server lets wait (`serve.queue`); it refuses what is beyond.
        calls = [client.call_tool("grep", {"pattern": f"job|{n}"}) for n in range(50)]
        for found in await asyncio.gather(*calls):
            assert not found.is_error and found.structured_content["total_files"] == 2, found

        wrong = await client.call_tool("read", {"file": "src/queu.rs"})
        assert wrong.is_error and "src/queue.rs" in wrong.content[0].text, wrong


class Silent:
    """A model's endpoint that takes a question and never answers."""

    async def __aenter__(self):
        self.asked, self.left = asyncio.Event(), asyncio.Event()
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def serve(self, reader, writer):
        while await reader.read(4096):
            self.asked.set()
        self.left.set()
        writer.close()

    async def __aexit__(self, *_):
        self.server.close()

    def variables(self) -> dict[str, str]:
        return {"RETRIEVER_MODEL": "m", "RETRIEVER_BASE_URL": f"http://127.0.0.1:{self.port}/v1"}


async def cancel(program: Path, root: Path, mode: str) -> None:
    """A call that the client gives up is given up by the server, and the session goes on."""
    from mcp import Client, StdioServerParameters

    async with Silent() as model:
        server = StdioServerParameters(
            command=str(program), args=["mcp"], cwd=str(root), env=environment(root, **model.variables())
        )
        async with Client(server, mode=mode) as client:
            asked = asyncio.create_task(client.call_tool("ask", {"question": "how are jobs queued?"}))
            await asyncio.wait_for(model.asked.wait(), PATIENCE)
            asked.cancel()
            await asyncio.wait_for(model.left.wait(), PATIENCE)
            found = await client.call_tool("grep", {"pattern": "enqueue_job"})
            assert found.structured_content["total_files"] == 2, found


async def outlive(program: Path, root: Path) -> None:
    """A client that dies in the middle of a question takes its server along."""
    async with Silent() as model:
        note = root / "server.pid"
        client = await asyncio.create_subprocess_exec(
            sys.executable, __file__, "die", program, root, note, env={**os.environ, **model.variables()}
        )
        await asyncio.wait_for(model.asked.wait(), PATIENCE)
        client.kill()
        await client.wait()
        await asyncio.wait_for(model.left.wait(), PATIENCE)
        server = int(note.read_text())
        for _ in range(PATIENCE * 10):
            try:
                os.kill(server, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.1)
        sys.exit("mcp_client: the server outlives its client")


async def die(program: str, root: str, note: str) -> None:
    """The client that is killed; it says who its server is."""
    from mcp import Client, StdioServerParameters

    wanted = ("RETRIEVER_MODEL", "RETRIEVER_BASE_URL")
    server = StdioServerParameters(
        command="sh",
        args=["-c", 'echo $$ > "$1"; exec "$0" mcp', program, note],
        cwd=root,
        env=environment(Path(root), **{name: os.environ[name] for name in wanted}),
    )
    async with Client(server) as client:
        await client.call_tool("ask", {"question": "how are jobs queued?"})


main()
