// A client on the official TypeScript SDK: does what standard input asks for, and prints what it saw as one JSON object.
//
//   PEERS=FOLDER_WITH_NODE_MODULES node client.mjs <task.json
//
// Task: {"stdio": {"command", "args", "cwd"} or "http": {"url", "token"},
//        "calls": [{"tool", "arguments"}], "cancel": {"tool", "arguments"}?}
// The SDK checks every structured answer against the schema that the server listed, and throws where it does not fit.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';

const require = createRequire(`${process.env.PEERS}/package.json`);
const load = (path) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${path}`)));
const { Client } = await load('client/index.js');
const { StdioClientTransport } = await load('client/stdio.js');
const { StreamableHTTPClientTransport } = await load('client/streamableHttp.js');

const task = JSON.parse(readFileSync(0, 'utf8'));
const transport = task.stdio
  ? new StdioClientTransport({ ...task.stdio, env: process.env, stderr: 'inherit' })
  : new StreamableHTTPClientTransport(new URL(task.http.url), {
      requestInit: { headers: { authorization: `Bearer ${task.http.token}` } },
    });
const client = new Client({ name: 'typescript-sdk', version: '1' }, { capabilities: {} });
await client.connect(transport);

const seen = { server: client.getServerVersion(), tools: [], calls: [] };
seen.tools = (await client.listTools()).tools;
for (const { tool, arguments: given } of task.calls) {
  try {
    const answer = await client.callTool({ name: tool, arguments: given });
    seen.calls.push({
      tool,
      refused: answer.isError === true,
      structured: answer.structuredContent ?? null,
      text: answer.content?.[0]?.text ?? null,
    });
  } catch (error) {
    seen.calls.push({ tool, thrown: String(error) });
  }
}
if (task.cancel) seen.cancelled = await takenBack(task.cancel);
await client.close();
console.log(JSON.stringify(seen));

// Takes a call back when it first tells of itself, then asks for something else.
async function takenBack({ tool, arguments: given }) {
  const controller = new AbortController();
  let progress = 0;
  const onprogress = () => {
    progress += 1;
    controller.abort('no longer wanted');
  };
  let thrown = null;
  try {
    await client.callTool({ name: tool, arguments: given }, undefined, { signal: controller.signal, onprogress });
  } catch (error) {
    thrown = String(error);
  }
  const before = performance.now();
  await client.ping();
  return { progress, thrown, pingMillis: performance.now() - before };
}
