"""Lists and calls all features of a server with the Python SDK.

Usage: client.py stdio FABER WORKSPACE | client.py http URL TOKEN
"""

import asyncio
import sys

import mcp.client.streamable_http as streamable
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

CALLS = {
    "search_context": {"query": "review of a change", "role": "reviewer"},
    "get_context": {"topic": "how are changes reviewed", "role": "reviewer", "max_tokens": 800},
    "expand_context": {"id": "specialist/security", "role": "reviewer"},
    "list_contexts": {"limit": 3, "role": "reviewer"},
    "get_context_details": {"ids": ["specialist/security", "pattern/spans"], "role": "reviewer"},
    "assemble_prompt": {"role": "reviewer", "request": "Review this change"},
    "list_roles": {},
}


async def drive(session):
    hello = await session.initialize()
    info = getattr(hello, "serverInfo", None) or hello.server_info
    assert info.name == "faber", info
    assert "list_contexts" in hello.instructions
    tools = (await session.list_tools()).tools
    assert {tool.name for tool in tools} == set(CALLS), tools
    for name, arguments in CALLS.items():
        # The SDK validates the data with the schema of the tool.
        result = await session.call_tool(name, arguments)
        data = result.model_dump(by_alias=True)
        assert not data["isError"], (name, data)
        assert data["structuredContent"], name
        assert data["content"][0]["text"], name
    refused = (await session.call_tool("search_context", {"nonsense": 1})).model_dump(by_alias=True)
    assert refused["isError"] and "nonsense" in refused["content"][0]["text"], refused
    resources = (await session.list_resources()).resources
    assert resources
    contents = (await session.read_resource(resources[0].uri)).contents
    assert "<context id=" in contents[0].text
    templates = (await session.list_resource_templates()).model_dump(by_alias=True)
    assert templates["resourceTemplates"][0]["uriTemplate"].startswith("faber://")
    prompts = (await session.list_prompts()).prompts
    assert {"reviewer", "rust-engineer"} <= {prompt.name for prompt in prompts}
    prompt = await session.get_prompt("reviewer", {"request": "Review this change"})
    assert "Review this change" in prompt.messages[0].content.text
    await session.send_ping()


async def over_stdio(faber, workspace):
    server = StdioServerParameters(command=faber, args=["serve"], cwd=workspace)
    async with stdio_client(server) as (reads, writes), ClientSession(reads, writes) as session:
        await drive(session)


async def over_http(url, token):
    headers = {"Authorization": f"Bearer {token}"}
    async with streamable.create_mcp_http_client(headers=headers) as client:
        async with streamable.streamable_http_client(url, http_client=client) as ends:
            async with ClientSession(ends[0], ends[1]) as session:
                await drive(session)


if __name__ == "__main__":
    way, *rest = sys.argv[1:]
    asyncio.run(over_stdio(*rest) if way == "stdio" else over_http(*rest))
    print(f"the Python SDK, over {way}: everything was listed and called")
