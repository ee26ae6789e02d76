// The older official TypeScript SDK against the bench arm. It knows the
// legacy era only.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

import { main } from './bench-arm.mjs';

await main(async ({ era, http, stdio }) => {
  if (era !== 'legacy') throw new Error(`this client has no ${era} era`);
  const [command, ...args] = stdio ?? [];
  const transport = http
    ? new StreamableHTTPClientTransport(new URL(http))
    : new StdioClientTransport({ command, args, env: process.env });
  let version;
  // The client tells the negotiated version to its transport only.
  const told = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (found) => {
    version = found;
    told?.(found);
  };
  const client = new Client({ name: 'interop', version: '1.0.0' });
  await client.connect(transport);
  return {
    version,
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
});
