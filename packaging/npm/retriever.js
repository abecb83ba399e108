#!/usr/bin/env node
// Starts the program of the package for this platform. There is no install script and nothing is downloaded here: npm brings
// the one package that fits, as an optional dependency.
"use strict";

const { spawn } = require("node:child_process");

/** Returns the package that holds the program for this platform. */
function platformPackage() {
  const libc = process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime ? "-musl" : "";
  return `retriever-code-map-${process.platform}-${process.arch}${libc}`;
}

function program() {
  const override = process.env.RETRIEVER_PROGRAM;
  if (override) return override;
  const name = platformPackage();
  const file = process.platform === "win32" ? "retriever.exe" : "retriever";
  try {
    return require.resolve(`${name}/bin/${file}`);
  } catch {
    console.error(`error: the package ${name}, which holds the program for this platform, is not installed`);
    console.error(`hint: npm install ${name}@${require("../package.json").version} (--omit=optional and lock files of another platform leave it out)`);
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), {
  stdio: "inherit",
  env: { ...process.env, RETRIEVER_INSTALLED_BY: "npm" },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    // A terminal sends Ctrl-C to the program, too, and a second one would end it without its answer.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  });
}
child.on("error", (error) => {
  console.error(`error: cannot start the program: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
