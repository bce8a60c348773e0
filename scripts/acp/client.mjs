// A client on the official TypeScript SDK: one session, two prompts; what it saw as JSON. The task comes on standard input:
// {"command": [...], "cwd": "...", "answer": "once" | "no" | "cancel"}. PEERS is the folder with node_modules.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";

const task = JSON.parse(readFileSync(0, "utf8"));
const require = createRequire(`${process.env.PEERS}/package.json`);
const found = require.resolve("@agentclientprotocol/sdk");
const { client, methods, ndJsonStream, PROTOCOL_VERSION } = await import(pathToFileURL(found).href);

const [command, ...args] = task.command;
const agent = spawn(command, args, { cwd: task.cwd, stdio: ["pipe", "pipe", "inherit"] });
const stream = ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout));
const seen = { asked: [], updates: [], stops: [] };
let answer = task.answer;

await client({ name: "taffrail-tests" })
  .onRequest(methods.client.session.requestPermission, async (ctx) => {
    const { toolCall, options, sessionId } = ctx.params;
    seen.asked.push({ kind: toolCall.kind, options: options.map((option) => option.kind) });
    if (answer === "cancel") {
      answer = "no";
      await seen.connection.notify(methods.agent.session.cancel, { sessionId });
      return { outcome: { outcome: "cancelled" } };
    }
    return { outcome: { outcome: "selected", optionId: answer } };
  })
  .onNotification(methods.client.session.update, (ctx) => {
    seen.updates.push(ctx.params.update.sessionUpdate);
  })
  .connectWith(stream, async (ctx) => {
    Object.defineProperty(seen, "connection", { value: ctx, enumerable: false });
    const hello = await ctx.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    seen.version = hello.protocolVersion;
    seen.name = hello.agentInfo.name;
    const { sessionId } = await ctx.request(methods.agent.session.new, { cwd: task.cwd, mcpServers: [] });
    for (let turn = 0; turn < 2; turn += 1) {
      const prompt = [{ type: "text", text: "go" }];
      const { stopReason } = await ctx.request(methods.agent.session.prompt, { sessionId, prompt });
      seen.stops.push(stopReason);
    }
  });
agent.stdin.end();
console.log(JSON.stringify(seen));
