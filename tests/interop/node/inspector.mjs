// The MCP Inspector's command line against the bench arm: one process, and
// over stdio one server, for each request.

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { main } from './bench-arm.mjs';

const PACKAGE = new URL('node_modules/@modelcontextprotocol/inspector/', import.meta.url);
const LAUNCHER = fileURLToPath(new URL('clients/launcher/build/index.js', PACKAGE));

// The exit status of the Inspector for a result with isError.
const TOOL_ERROR = 5;

function inspect(words, env) {
  const limits = { timeout: 30_000, maxBuffer: 1 << 20, env };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [LAUNCHER, '--cli', ...words], limits, (error, stdout, stderr) => {
      if (error && error.code !== TOOL_ERROR) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout).result);
    });
  });
}

await main(async ({ era, http, stdio }) => {
  // Whatever it stores goes here, not into the home folder of the user.
  const folder = mkdtempSync(join(tmpdir(), 'inspector-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    MCP_STORAGE_DIR: folder,
    MCP_CATALOG_PATH: join(folder, 'mcp.json'),
    MCP_CLIENT_CONFIG_PATH: join(folder, 'client.json'),
    MCP_INSPECTOR_OAUTH_STATE_PATH: join(folder, 'oauth.json'),
    MCP_INSPECTOR_SECRET_STORE: 'memory',
  };
  const target = http ? [http] : ['--', ...stdio];
  const run = (...words) =>
    inspect(['--protocol-era', era, '--format', 'json', '--quiet', ...words, ...target], env);
  return {
    version: undefined,
    listTools: async () => (await run('--method', 'tools/list')).tools,
    callTool: (name, args) => {
      const call = ['--method', 'tools/call', '--tool-name', name];
      return run(...call, '--tool-args-json', JSON.stringify(args));
    },
    close: async () => {},
  };
});
