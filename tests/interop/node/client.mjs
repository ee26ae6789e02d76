// The official TypeScript client against the bench arm.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { main } from './bench-arm.mjs';

const MODES = { legacy: 'legacy', modern: { pin: '2026-07-28' }, auto: 'auto' };

await main(async ({ era, http, stdio }) => {
  const [command, ...args] = stdio ?? [];
  const transport = http
    ? new StreamableHTTPClientTransport(new URL(http))
    : new StdioClientTransport({ command, args, env: process.env });
  const identity = { name: 'interop', version: '1.0.0' };
  const client = new Client(identity, { versionNegotiation: { mode: MODES[era] } });
  await client.connect(transport);
  return {
    version: client.getNegotiatedProtocolVersion(),
    listTools: async () => (await client.listTools()).tools,
    callTool: (name, args) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
});
