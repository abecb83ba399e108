#!/usr/bin/env node
// Talks to `retriever serve` with the official TypeScript SDK, a client that isn't ours.
//
//     node tests/mcp_client.mjs path/to/retriever
//
// Installs the SDK beside the program (needs npm, and its registry the first time), and exits with an error that says what failed.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const SDK = "@modelcontextprotocol/sdk@1.32.2";
const TOKEN = "a-token-of-these-tests";
const FILES = {
  "src/queue.rs":
    "/// Puts a job into the queue.\npub fn enqueue_job(job: Job) {\n    QUEUE.lock().push(job);\n}\n\n" +
    "pub fn enqueue_twice() {\n    enqueue_job(Job::new());\n}\n",
  "src/main.rs": "fn main() {\n    enqueue_job(Job::new());\n}\n",
};

const [program] = process.argv.slice(2).map((path) => resolve(path));
if (!program) {
  console.error("usage: node tests/mcp_client.mjs path/to/retriever");
  process.exit(2);
}
const { Client, StreamableHTTPClientTransport } = await sdk(join(dirname(program), "mcp-client-node"));
const root = mkdtempSync(join(tmpdir(), "retriever-"));
for (const [path, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
try {
  await withServer(async (address) => {
    await Promise.all([talk(address), talk(address)]);
    await refused(address);
  });
  console.log("mcp_client (node): passed");
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Installs the SDK unless it is there, and loads it. */
async function sdk(home) {
  mkdirSync(home, { recursive: true });
  const npm = process.platform === "win32" ? "npm.cmd" : "npm";
  const install = ["install", "--silent", "--no-audit", "--no-fund", "--prefix", home, SDK];
  if (spawnSync(npm, install, { stdio: "inherit", shell: process.platform === "win32" }).status !== 0) {
    console.error(`mcp_client: cannot install ${SDK}; is the package registry reachable?`);
    process.exit(1);
  }
  const require = createRequire(join(home, "package.json"));
  const load = (part) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/client/${part}.js`)));
  return { ...(await load("index")), ...(await load("streamableHttp")) };
}

/** Runs `work` with the address of a server that asks for the token, and stops the server, which ends with status 0. */
async function withServer(work) {
  const environment = { HOME: root, XDG_CACHE_HOME: join(root, ".cache"), RETRIEVER_SERVE_TOKEN: TOKEN };
  const args = ["serve", "--listen", "127.0.0.1:0", "--offline", "--root", root];
  const server = spawn(program, args, { env: environment, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => server.once("exit", (status) => done(status)));
  try {
    const [address] = await new Promise((done) => {
      const lines = createInterface({ input: server.stdout });
      lines.once("line", (line) => done([line.trim()]));
      ended.then(() => done([]));
    });
    assert.ok(address, "the server ended before it said where it listens");
    await work(address);
  } finally {
    server.kill("SIGTERM");
  }
  const status = await ended;
  assert.ok(status === 0 || process.platform === "win32", `the server ended with ${status}`);
}

function transport(address, token) {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } };
  return new StreamableHTTPClientTransport(new URL(`${address}/mcp`), { requestInit });
}

/** One session: the tools, a question with progress, the graph, wrong arguments, and an ID of one answer in the next call. */
async function talk(address) {
  const client = new Client({ name: "tests", version: "1" });
  await client.connect(transport(address, TOKEN));
  const { tools } = await client.listTools();
  const names = tools.map((tool) => tool.name);
  for (const name of ["ask", "explore", "context", "grep", "glob", "read", "graph"]) {
    assert.ok(names.includes(name), `${name} is not among ${names}`);
  }
  const progress = [];
  const options = { onprogress: (step) => progress.push(step.progress) };
  const question = { question: "how is a job put into the queue?" };
  const { structuredContent: map } = await client.callTool({ name: "ask", arguments: question }, undefined, options);
  const places = [...map.primary, ...(map.secondary ?? []), ...(map.read_targets ?? [])];
  assert.ok(places.some((place) => place.path === "src/queue.rs"), JSON.stringify(map));
  assert.ok(progress.length > 0, "no progress was told");
  assert.deepEqual(progress, progress.toSorted((a, b) => a - b));
  const callers = await client.callTool({
    name: "graph",
    arguments: { operation: "callers", target: "enqueue_job" },
  });
  const callersOf = callers.structuredContent.answers.map((answer) => answer.definition.path);
  assert.deepEqual(callersOf, ["src/queue.rs"]);
  const found = await client.callTool({ name: "grep", arguments: { pattern: "QUEUE" } });
  assert.match(found.content[0].text, /src\/queue\.rs/);
  const wrong = await client.callTool({ name: "read", arguments: { file: "src/nowhere.rs" } });
  assert.match(wrong.content[0].text, /nowhere/);
  await client.close();
}

/** A wrong token is refused with its status. */
async function refused(address) {
  const client = new Client({ name: "tests", version: "1" });
  await assert.rejects(client.connect(transport(address, "wrong")), { code: 401 });
}
