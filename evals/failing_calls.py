#!/usr/bin/env python3
"""What a cache survives whose system calls fail, each in turn: whether anything wrong is answered, then or afterwards.

    evals/failing_calls.py PROGRAM FOLDER [--every N] [--kinds KIND...] [--questions FILE] [--below cache|remote]

Copies FOLDER, and makes its index, refreshes it after an edit, and asks it when nothing has changed, each time with one call
on the files of the cache that fails: for want of space, by an error of the device, without the right to it, interrupted, or with half of
the bytes; and with all calls failing from one on. The exported graph and the answers have to be those of a machine without a fault, or the
process has to end with an error that it says; and so does the next process on what the fault has left. Every N-th call fails,
1 is all. With `--below remote` calls on the files of a remote index fail, from which each cache begins. KIND is the name of an error or `short`, with a `+` behind it when all calls fail from one on. Needs a C compiler; Linux only.
"""
import argparse, collections, os, shutil, subprocess, tempfile

KINDS = [("ENOSPC", ""), ("ENOSPC", "1"), ("EIO", ""), ("EIO", "1"), ("EACCES", ""), ("EINTR", ""), ("short", "")]


class Machine:
    """One copy of the folder, its cache, and what is right of it."""

    def __init__(self, arguments, folder):
        self.program, self.folder = os.path.abspath(arguments.program), folder
        self.kinds = [kind for kind in KINDS if not arguments.kinds or kind[0] + "+" * bool(kind[1]) in arguments.kinds]
        self.questions = open(arguments.questions).read().splitlines() if arguments.questions else ["what does the main function do"]
        self.library = os.path.join(folder, "failing_calls.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests/failing_calls.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, source, "-ldl"], check=True)
        self.tree, self.cache, self.saved = (os.path.join(folder, name) for name in ("tree", "cache", "saved"))
        shutil.copytree(arguments.folder, self.tree, ignore=shutil.ignore_patterns(".git"))
        self.faulty, self.environment = {"cache": self.cache, "remote": os.path.join(folder, "remote")}[arguments.below], {}
        if arguments.below == "remote":
            self.publish()

    def publish(self):
        """Makes the tree a repository whose index is in the remote."""
        os.mkdir(self.faulty)
        for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b.c", "commit", "-qm", "all"],
                        ["remote", "add", "origin", "https://example.com/team/repository.git"]):
            subprocess.run(["git", "-C", self.tree, *command], check=True)
        self.environment = {"RETRIEVER_REMOTE": "file://" + self.faulty}
        self.run({}, "index", "--quiet", "--publish").check_returncode()
        shutil.rmtree(self.cache)

    def run(self, fault, *arguments):
        environment = {"HOME": self.folder, "PATH": os.environ["PATH"], "XDG_CACHE_HOME": self.cache, **self.environment, **fault}
        return subprocess.run([self.program, *arguments], cwd=self.tree, env=environment, capture_output=True, timeout=120)

    def answer(self, fault):
        """Returns the graph with the answers, or `None` and what was said of the error."""
        export = os.path.join(self.folder, "export.jsonl")
        done = [self.run(fault, "index", "--quiet", "--export", export)]
        done += [self.run(fault, "explore", question, "--format", "json") for question in self.questions]
        failed = [process for process in done if process.returncode]
        if failed:
            return None, b"\n".join(process.stderr.strip() for process in failed)
        with open(export, "rb") as file:
            return (file.read(), [process.stdout for process in done[1:]]), b""

    def restore(self):
        shutil.rmtree(self.cache, ignore_errors=True)
        if os.path.isdir(self.saved):
            shutil.copytree(self.saved, self.cache)

    def calls(self):
        """Returns how many calls the longest of the processes makes."""
        self.restore()
        count, most = os.path.join(self.folder, "count"), 0
        fault = {"LD_PRELOAD": self.library, "FAULT_BELOW": self.faulty, "FAULT_COUNT": count}
        for arguments in (["index", "--quiet"], ["explore", self.questions[0]]):
            self.run(fault, *arguments)
            most = max(most, int(open(count).read()))
        return most

    def check(self, what, every):
        self.restore()
        right, said = self.answer({})
        if not right:
            raise SystemExit(f"without a fault: {said.decode()}")
        calls, wrong = self.calls(), []
        for kind, lasts in self.kinds:
            counts = collections.Counter()
            for at in range(1, calls + 1, every):
                self.restore()
                fault = {"LD_PRELOAD": self.library, "FAULT_BELOW": self.faulty, "FAULT_AT": str(at), "FAULT_KIND": kind, "FAULT_LASTS": lasts}
                for when, answer in (("then", self.answer(fault)), ("afterwards", self.answer({}))):
                    found, said = answer
                    verdict = "right" if found == right else "wrong" if found else "error" if said.strip() and b"panicked" not in said else "silent or panicked"
                    if verdict in ("wrong", "silent or panicked") or (when == "afterwards" and verdict == "error"):
                        wrong.append(f"{what}: call {at} {kind} {lasts}: {when} {verdict}: {said.decode()[:300]}")
                    counts[f"{when} {verdict}"] += 1
            print(f"{what:<14} {calls} calls  {kind + (' from there on' if lasts else ''):<22} {dict(counts)}", flush=True)
        return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--kinds", metavar="KIND", nargs="+")
    parser.add_argument("--questions", metavar="FILE")
    parser.add_argument("--below", choices=["cache", "remote"], default="cache")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(arguments, folder)
        wrong = machine.check("first index", arguments.every)
        machine.restore()
        machine.answer({})
        shutil.copytree(machine.cache, machine.saved)
        wrong += machine.check("unchanged", arguments.every)
        edit(machine.tree)
        wrong += machine.check("after an edit", arguments.every)
        print("\n".join(wrong) or "nothing wrong")
        raise SystemExit(bool(wrong))


def edit(tree):
    """Moves everything in the largest source file, and removes the smallest one."""
    sources = [os.path.join(folder, file) for folder, _, files in os.walk(tree) for file in files
               if file.endswith((".py", ".rs", ".go", ".ts", ".js", ".java", ".c", ".cs", ".rb"))]
    sources.sort(key=lambda path: (os.path.getsize(path), path))
    with open(sources[-1]) as file:
        text = file.read()
    with open(sources[-1], "w") as file:
        file.write("\n\n" + text)
    os.remove(sources[0])


if __name__ == "__main__":
    main()
