// Lists and calls all features of a server with the TypeScript SDK.
//
// Usage: client.mjs stdio FABER WORKSPACE | client.mjs http URL TOKEN, in a folder with the SDK.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// From the current folder.
const require = createRequire(pathToFileURL(`${process.cwd()}/`));
const load = (name) => import(pathToFileURL(require.resolve(`@modelcontextprotocol/sdk/${name}`)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const { StreamableHTTPClientTransport } = await load("client/streamableHttp.js");

const CALLS = {
  search_context: { query: "review of a change", role: "reviewer" },
  get_context: { topic: "how are changes reviewed", role: "reviewer", max_tokens: 800 },
  expand_context: { id: "specialist/security", role: "reviewer" },
  list_contexts: { limit: 3, role: "reviewer" },
  get_context_details: { ids: ["specialist/security", "pattern/spans"], role: "reviewer" },
  assemble_prompt: { role: "reviewer", request: "Review this change" },
  list_roles: {},
};

const [way, ...rest] = process.argv.slice(2);
const transport =
  way === "stdio"
    ? new StdioClientTransport({ command: rest[0], args: ["serve"], cwd: rest[1] })
    : new StreamableHTTPClientTransport(new URL(rest[0]), {
        requestInit: { headers: { Authorization: `Bearer ${rest[1]}` } },
      });
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
assert.equal(client.getServerVersion().name, "faber");
assert.match(client.getInstructions(), /list_contexts/);
const { tools } = await client.listTools();
assert.deepEqual(new Set(tools.map((tool) => tool.name)), new Set(Object.keys(CALLS)));
for (const [name, args] of Object.entries(CALLS)) {
  // The SDK holds the data against the schema of the tool.
  const result = await client.callTool({ name, arguments: args });
  assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
  assert.ok(result.structuredContent && result.content[0].text, name);
}
const refused = await client.callTool({ name: "search_context", arguments: { nonsense: 1 } });
assert.ok(refused.isError && refused.content[0].text.includes("nonsense"));
const { resources } = await client.listResources();
const { contents } = await client.readResource({ uri: resources[0].uri });
assert.match(contents[0].text, /<context id=/);
const { resourceTemplates } = await client.listResourceTemplates();
assert.match(resourceTemplates[0].uriTemplate, /^faber:/);
const { prompts } = await client.listPrompts();
assert.ok(prompts.some((prompt) => prompt.name === "reviewer"));
const prompt = await client.getPrompt({ name: "reviewer", arguments: { request: "Review this" } });
assert.match(prompt.messages[0].content.text, /Review this/);
await client.ping();
await client.close();
console.log(`the TypeScript SDK, over ${way}: everything was listed and called`);
