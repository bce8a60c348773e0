"""What the MCP server costs: start, memory, and the three calls of slates, with 0 to 10,000 closed slates in the project.

    python3 scripts/mcp/bench.py [--most N] PATH_OF_TAFFRAIL

Prints a table for docs/performance.md: medians and 95th percentiles as a client sees them, over standard input and
output, on the file system of BENCH_DIR (without it, of the temporary directory). Each write is synced. In the same run
and folder: what one write, fsync, rename and fsync of the folder costs by itself, with bytes as many as a slate of 25 seeds.

BENCH_KERYX names the command of keryx's server (`bun …/cli.js mcp serve`), to be measured beside; without it, and
without a keryx on PATH, that part is skipped with a message.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CLOSED = (0, 100, 1_000, 10_000)
STARTS = 31
TEXT = "The {} harbour keeps its tide table in the north shed, and seed {} says where the key hangs on weekdays."


class Server:
    """A client of one server process at its standard input and output."""

    def __init__(self, command, folder, env):
        self.begun = time.perf_counter_ns()
        self.process = subprocess.Popen(
            command, cwd=folder, env=env, bufsize=0,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )
        self.reader = os.fdopen(os.dup(self.process.stdout.fileno()), "rb")
        self.number = 0
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", hello)
        self.started = (time.perf_counter_ns() - self.begun) / 1e6
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        while True:
            line = self.reader.readline()
            if not line:
                sys.exit(f"the server ended at {method} {json.dumps(params)[:200]}")
            answer = json.loads(line)
            if answer.get("id") == self.number:
                return answer

    def call(self, tool, **arguments):
        """Milliseconds of one call; a refusal ends the benchmark."""
        begun = time.perf_counter_ns()
        answer = self.ask("tools/call", {"name": tool, "arguments": arguments})
        took = (time.perf_counter_ns() - begun) / 1e6
        if "result" not in answer or answer["result"].get("isError"):
            sys.exit(f"{tool}: {json.dumps(answer)[:400]}")
        return took

    def rss(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.reader.close()


def figures(samples):
    ordered = sorted(samples)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return f"{statistics.median(ordered):.2f} / {p95:.2f} ms"


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def floor(folder):
    """One durable whole-file write, as the file system gives it."""
    data, samples = os.urandom(8_000), []
    handle = os.open(folder, os.O_RDONLY)
    for number in range(60):
        begun = time.perf_counter_ns()
        new = Path(folder, "floor.new")
        with open(new, "wb") as file:
            file.write(data)
            os.fsync(file.fileno())
        os.rename(new, Path(folder, "floor"))
        os.fsync(handle)
        samples.append((time.perf_counter_ns() - begun) / 1e6)
    os.close(handle)
    return samples


def start_and_memory(name, command, folder, env):
    starts, sizes = [], []
    for _ in range(STARTS):
        server = Server(command, folder, env)
        starts.append(server.started)
        sizes.append(server.rss())
        server.end()
    row(f"{name}: start to the answer of initialize", "–", figures(starts))
    row(f"{name}: resident after initialize", "–", f"{statistics.median(sizes):.1f} MiB")
    server = Server(command, folder, env)
    for slate in range(4):
        ident = f"memory-{slate}"
        server.call("slate.open", externalSessionId=ident)
        for seed in range(63):
            server.call("slate.writeSeed", externalSessionId=ident, text=TEXT.format(ident, seed))
        server.call("slate.close", externalSessionId=ident)
    row(f"{name}: resident after 260 calls", "–", f"{server.rss():.1f} MiB")
    server.end()


def slates(name, server, closed):
    """The three calls with so many closed slates in the project."""
    opens, few, many, closes = [], [], [], []
    for slate in range(6):
        ident = f"few-{closed}-{slate}"
        opens.append(server.call("slate.open", externalSessionId=ident))
        for seed in range(50):
            few.append(server.call("slate.writeSeed", externalSessionId=ident, text=TEXT.format(ident, seed)))
        closes.append(server.call("slate.close", externalSessionId=ident))
    ident = f"many-{closed}"
    opens.append(server.call("slate.open", externalSessionId=ident))
    for seed in range(199):
        took = server.call("slate.writeSeed", externalSessionId=ident, text=TEXT.format(ident, seed))
        if seed >= 149:
            many.append(took)
    server.call("slate.close", externalSessionId=ident)
    for slate in range(30):
        ident = f"one-{closed}-{slate}"
        opens.append(server.call("slate.open", externalSessionId=ident))
        server.call("slate.writeSeed", externalSessionId=ident, text=TEXT.format(ident, 1))
        closes.append(server.call("slate.close", externalSessionId=ident))
    for call, samples in (
        ("slate.open", opens), ("slate.writeSeed, 1 to 50 seeds", few),
        ("slate.writeSeed, 150 to 199 seeds", many), ("slate.close, 1 or 50 seeds", closes),
    ):
        row(f"{name}: {call}", f"{closed:,}", figures(samples))


def measured(name, command, folder, env, most):
    start_and_memory(name, command, folder, env)
    server = Server(command, folder, env)
    made = 0
    for closed in (count for count in CLOSED if count <= most):
        while made < closed:
            ident = f"old-{made}"
            server.call("slate.open", externalSessionId=ident)
            server.call("slate.close", externalSessionId=ident)
            made += 1
        slates(name, server, closed)
    server.end()


def project(work, name):
    folder = Path(work, name)
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return folder


def main():
    asked = argparse.ArgumentParser()
    asked.add_argument("--most", type=int, default=CLOSED[-1])
    asked.add_argument("taffrail")
    asked = asked.parse_args()
    taffrail = str(Path(asked.taffrail).resolve())
    work = tempfile.mkdtemp(prefix="bench-mcp-", dir=os.environ.get("BENCH_DIR"))
    home = Path(work, "home")
    home.mkdir(mode=0o700)
    env = {"PATH": os.environ["PATH"], "HOME": work, "TAFFRAIL_HOME": str(home), "LANG": "C.UTF-8"}
    row("what", "closed slates", "median / p95")
    row("---", "---", "---")
    row("bare write, fsync, rename, fsync of the folder", "–", figures(floor(work)))
    measured("taffrail", [taffrail, "serve-mcp"], project(work, "ours"), env, asked.most)
    other = os.environ.get("BENCH_KERYX") or (shutil.which("keryx") and "keryx mcp serve")
    if other:
        folder = project(work, "theirs")
        Path(folder, ".metaproject").mkdir()
        modules = {name: {"enabled": True} for name in ("mcp", "sac", "slate")}
        Path(folder, ".metaproject/metaproject.json").write_text(json.dumps({"modules": modules}))
        measured("keryx", shlex.split(other), folder, env | {"KERYX_DATA_DIR": f"{work}/data"}, min(asked.most, 1_000))
    else:
        print("keryx: skipped, neither BENCH_KERYX nor a keryx on PATH", file=sys.stderr)
    shutil.rmtree(work)


main()
