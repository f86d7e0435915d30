"""Connects the official MCP client with each tool server in argv[2:], pairs of address and mode, and prints what each one answered.

argv[1] is the key. A connection that fails is printed as the code of its error.
"""

import asyncio
import json
import sys

from mcp import MCPError
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client


async def main(key, *targets):
    print(json.dumps([await answers(key, url, mode) for url, mode in zip(targets[::2], targets[1::2])]))


async def answers(key, url, mode):
    http = create_mcp_http_client(headers={"Authorization": f"Bearer {key}"})
    try:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            return await walk(client)
    except BaseExceptionGroup as error:
        while isinstance(error, BaseExceptionGroup):
            (error,) = error.exceptions
        if isinstance(error, MCPError):
            return error.code
        raise error


async def walk(client):
    read = await client.call_tool("list_observations", {"priority": "P0", "limit": 2})
    mistake = await client.call_tool("list_observations", {"priorty": "P0"})
    return {
        "revision": client.protocol_version,
        "tools": [tool.name for tool in (await client.list_tools()).tools],
        "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
        "priorities": [row["priority"] for row in read.structured_content["data"]],
        "mistake": [mistake.is_error, mistake.content[0].text.splitlines()[1]],
        "missing": await missing_arguments(client),
    }


async def missing_arguments(client):
    try:
        await client.get_prompt("triage_new_findings", {})
    except MCPError as error:
        return error.code


asyncio.run(main(*sys.argv[1:]))
