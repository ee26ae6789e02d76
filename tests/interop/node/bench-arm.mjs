// What every JavaScript client must find at the bench arm, and the command
// line that they share:
//
//   CLIENT.mjs --era legacy|modern|auto (--http URL | --stdio COMMAND...)
//
// A client is an object with `version` (the revision in use, or undefined
// where the client does not tell), `listTools()`, `callTool(name, arguments)`
// and `close()`.

import { isDeepStrictEqual } from 'node:util';

const VERSIONS = { legacy: '2025-11-25', modern: '2026-07-28', auto: '2026-07-28' };

const none = { properties: {}, required: [] };

// Member by member what the server advertises, apart from the words in it.
const SCHEMAS = {
  arm_move: {
    properties: {
      joint: { type: 'integer', minimum: 0, maximum: 5 },
      deg: { type: 'number', minimum: -90, maximum: 90 },
      speed: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
    },
    required: ['joint', 'deg'],
  },
  arm_home: none,
  arm_stop: none,
  note_set: { properties: { text: { type: 'string', maxLength: 32 } }, required: ['text'] },
  temp_read: none,
};

const CALLS = [
  ['arm_move', { joint: 2, deg: 10 }],
  ['arm_home', {}],
  ['arm_stop', {}],
  ['note_set', { text: 'bench' }],
];

const SECONDS = 60;

let asserted = 0;

function check(what, found, wanted) {
  if (!isDeepStrictEqual(found, wanted)) {
    const shown = JSON.stringify({ found, wanted });
    console.log(`not ok: ${what}: ${shown}`);
    process.exit(1);
  }
  asserted += 1;
  console.log(`ok ${asserted} ${what}`);
}

// A parameter's schema without the words for people.
function rules({ title, description, ...rest }) {
  return rest;
}

function texts(result) {
  return result.content.filter((block) => block.type === 'text').map((block) => block.text);
}

async function checkAll(client, era) {
  if (client.version !== undefined) check('version', client.version, VERSIONS[era]);
  const tools = await client.listTools();
  check('tool names in order', tools.map((tool) => tool.name), Object.keys(SCHEMAS));
  for (const tool of tools) {
    const { properties, required = [], ...rest } = tool.inputSchema;
    const found = Object.entries(properties).map(([name, rule]) => [name, rules(rule)]);
    const wanted = SCHEMAS[tool.name];
    check(`${tool.name} parameters`, Object.fromEntries(found), wanted.properties);
    check(`${tool.name} required`, required, wanted.required);
    check(`${tool.name} schema`, rest, { type: 'object', additionalProperties: false });
  }
  for (const [name, args] of CALLS) {
    const result = await client.callTool(name, args);
    check(`${name} succeeds`, [result.isError ?? false, texts(result).length > 0], [false, true]);
  }
  const temperature = await client.callTool('temp_read', {});
  const celsius = { celsius: 24.5 };
  check('temp_read succeeds', temperature.isError ?? false, false);
  check('temp_read structured', temperature.structuredContent, celsius);
  check('temp_read as text', texts(temperature).map((text) => JSON.parse(text)), [celsius]);
  const refused = await client.callTool('arm_move', { joint: 7, deg: 10 });
  const told = texts(refused).some((text) => text.includes('joint: 7 is above the maximum 5'));
  check('arm_move joint 7 is refused', [refused.isError, told], [true, true]);
  console.log(`done: ${asserted} assertions`);
}

function options(words) {
  const found = {};
  for (let at = 0; at < words.length; at += 1) {
    if (words[at] === '--era') found.era = words[(at += 1)];
    else if (words[at] === '--http') found.http = words[(at += 1)];
    else if (words[at] === '--stdio') {
      found.stdio = words.slice(at + 1);
      break;
    } else throw new Error(`unknown option ${words[at]}`);
  }
  if (!(found.era in VERSIONS)) throw new Error('--era legacy|modern|auto is needed');
  if (!found.http && !found.stdio?.length) throw new Error('--http or --stdio is needed');
  return found;
}

// Runs every check on the client that `connect(options)` gives.
export async function main(connect) {
  const timer = setTimeout(() => {
    console.log(`not ok: no end after ${SECONDS} s`);
    process.exit(1);
  }, SECONDS * 1000);
  try {
    const chosen = options(process.argv.slice(2));
    const client = await connect(chosen);
    await checkAll(client, chosen.era);
    await client.close();
  } catch (error) {
    console.log(`not ok: ${error?.stack ?? error}`);
    process.exit(1);
  }
  clearTimeout(timer);
}
