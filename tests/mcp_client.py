#!/usr/bin/env python3
"""Talks to `retriever mcp` with the official Python SDK, a client that isn't ours.

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
    "src/queue.rs": "/// Puts a job into the queue.\npub fn enqueue_job(job: Job) {\n    QUEUE.lock().push(job);\n}\n",
    "src/main.rs": "fn main() {\n    enqueue_job(Job::new());\n}\n",
}


def main() -> None:
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
            asyncio.run(asyncio.wait_for(talk(program, Path(folder), mode), 120))
            print(f"mcp_client: {mode} passed")


async def talk(program: Path, root: Path, mode: str) -> None:
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
    )
    client = Client(server, mode=mode, list_roots_callback=roots if legacy else None)
    async with client:
        assert client.server_info.name == "retriever", client.server_info
        assert "confidence" in client.instructions, client.instructions

        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert {"ask", "grep", "glob", "read"} <= tools, tools

        told = []

        async def progress(done, _total, message):
            told.append((done, message))

        question = {"question": "how are jobs put into the queue?"}
        answer = await client.call_tool("ask", question, progress_callback=progress)
        assert not answer.is_error, answer
        assert answer.structured_content["meta"]["author"] == "offline", answer
        assert "src/queue.rs" in answer.content[0].text, answer
        assert len(told) >= 2 and told == sorted(told, key=lambda note: note[0]), told

        calls = [client.call_tool("grep", {"pattern": f"job|{n}"}) for n in range(50)]
        for found in await asyncio.gather(*calls):
            assert found.structured_content["total_files"] == 2, found

        wrong = await client.call_tool("read", {"file": "src/queu.rs"})
        assert wrong.is_error and "src/queue.rs" in wrong.content[0].text, wrong


main()
