"""A client on the official Python SDK: does what standard input asks for, and prints what it saw as one JSON object.

    python client.py <task.json

Task: as for client.mjs. "auto": true lets the SDK choose the protocol's newest revision that both sides speak.
The SDK checks every structured answer against the schema that the server listed, and raises where it does not fit.
"""

import json
import os
import sys
import time
from contextlib import AsyncExitStack

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def main():
    task = json.load(sys.stdin)
    async with AsyncExitStack() as stack:
        if "stdio" in task:
            server = StdioServerParameters(**task["stdio"], env=dict(os.environ))
        else:
            headers = {"authorization": f"Bearer {task['http']['token']}"}
            http = await stack.enter_async_context(httpx2.AsyncClient(headers=headers, timeout=60))
            server = streamable_http_client(task["http"]["url"], http_client=http)
        mode = "auto" if task.get("auto") else "legacy"
        client = await stack.enter_async_context(Client(server, mode=mode))
        print(json.dumps(await work(client, task)))


async def work(client, task):
    listed = await client.list_tools()
    seen = {
        "server": client.server_info.model_dump(exclude_none=True),
        "protocol": client.protocol_version,
        "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools],
        "calls": [await call(client, each) for each in task["calls"]],
    }
    if "cancel" in task:
        seen["cancelled"] = await taken_back(client, task["cancel"])
    return seen


async def call(client, each):
    try:
        answer = await client.call_tool(each["tool"], each["arguments"])
    except Exception as error:
        return {"tool": each["tool"], "thrown": repr(error)}
    return {
        "tool": each["tool"],
        "refused": answer.is_error,
        "structured": answer.structured_content,
        "text": answer.content[0].text if answer.content else None,
    }


async def taken_back(client, each):
    """Takes a call back when it first tells of itself, then asks for something else."""
    progress, answered = 0, False
    with anyio.CancelScope() as scope:

        async def on_progress(*_):
            nonlocal progress
            progress += 1
            scope.cancel()

        await client.call_tool(each["tool"], each["arguments"], progress_callback=on_progress)
        answered = True
    before = time.monotonic()
    await client.list_tools()
    millis = (time.monotonic() - before) * 1000
    return {"progress": progress, "thrown": None if answered else "cancelled", "pingMillis": millis}


anyio.run(main)
