"""A client on the official Python SDK: one session, two prompts; what it saw as JSON.

The task comes on standard input: {"command": [...], "cwd": "...", "answer": "once" | "no" | "cancel"}.
"""

import asyncio
import json
import sys

from acp import PROTOCOL_VERSION, spawn_agent_process, text_block
from acp.schema import (
    AllowedOutcome,
    DeniedOutcome,
    RequestPermissionResponse,
)

TASK = json.load(sys.stdin)


class Client:
    def __init__(self):
        self.asked = []
        self.updates = []
        self.agent = None
        self.answer = TASK["answer"]

    def on_connect(self, agent):
        self.agent = agent

    async def request_permission(self, options, session_id, tool_call, **kwargs):
        self.asked.append({"kind": tool_call.kind, "options": [option.kind for option in options]})
        if self.answer == "cancel":
            self.answer = "no"
            await self.agent.cancel(session_id=session_id)
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        outcome = AllowedOutcome(outcome="selected", option_id=self.answer)
        return RequestPermissionResponse(outcome=outcome)

    async def session_update(self, session_id, update, **kwargs):
        self.updates.append(update.session_update)


async def main():
    client = Client()
    command, *args = TASK["command"]
    async with spawn_agent_process(client, command, *args, cwd=TASK["cwd"]) as (agent, process):
        client.agent = agent
        hello = await agent.initialize(protocol_version=PROTOCOL_VERSION)
        session = await agent.new_session(cwd=TASK["cwd"], mcp_servers=[])
        stops = []
        for _ in range(2):
            turn = await agent.prompt(session_id=session.session_id, prompt=[text_block("go")])
            stops.append(turn.stop_reason)
    print(json.dumps({
        "version": hello.protocol_version,
        "name": hello.agent_info.name,
        "stops": stops,
        "asked": client.asked,
        "updates": client.updates,
    }))


asyncio.run(main())
