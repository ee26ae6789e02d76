// The official A2A JavaScript SDK against the bench arm.
//
//   a2a.mjs --wire 1.0|0.3 URL
//
// URL is where the agent's card is found.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual, parseArgs } from 'node:util';

import { Role, TaskState } from '@a2a-js/sdk';
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from '@a2a-js/sdk/client';

const SECONDS = 60;
const CARDS = { '1.0': '/.well-known/agent-card.json', 0.3: '/.well-known/agent.json' };

let asserted = 0;

function check(what, found, wanted) {
  if (!isDeepStrictEqual(found, wanted)) {
    console.log(`not ok: ${what}: ${JSON.stringify({ found, wanted })}`);
    process.exit(1);
  }
  asserted += 1;
  console.log(`ok ${asserted} ${what}`);
}

const state = (task) => TaskState[task.status.state];

function message(text, { task, returnImmediately = false } = {}) {
  return {
    message: {
      messageId: randomUUID(),
      role: Role.ROLE_USER,
      taskId: task?.id ?? '',
      contextId: '',
      parts: [{ content: { $case: 'text', value: text } }],
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: { acceptedOutputModes: [], returnImmediately },
  };
}

async function until(client, task, wanted) {
  for (let look = 0; look < SECONDS * 20; look += 1) {
    task = await client.getTask({ id: task.id });
    if (state(task) === wanted) return task;
    await sleep(50);
  }
  check(`${task.id} became ${wanted}`, state(task), wanted);
}

async function refused(what, promise, code) {
  try {
    await promise;
  } catch (error) {
    const text = `${error.name} ${error.message} ${error.code ?? ''}`;
    check(what, code.test(text), true);
    return;
  }
  check(what, 'an answer', String(code));
}

async function run(url, wire) {
  const legacyCompat = { enabled: wire === '0.3' };
  const transports = [new JsonRpcTransportFactory({ legacyCompat })];
  const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, { transports, legacyCompat });
  let client;
  if (wire === '1.0') {
    client = await new ClientFactory(options).createFromUrl(url, CARDS[wire]);
  } else {
    // The SDK takes the newer wire of a card that has both.
    const resolved = await new ClientFactory(options).createFromUrl(url);
    const card = await resolved.getAgentCard();
    card.supportedInterfaces = card.supportedInterfaces.filter((one) => one.protocolVersion === '0.3');
    client = await new ClientFactory(options).createFromAgentCard(card);
  }
  check('the wire', client.protocolVersion, wire);
  const card = await client.getAgentCard();
  check('skills', card.skills.map((skill) => skill.id), ['calibrate', 'home']);

  // Send, poll, answer the question, read the artifact.
  let task = await client.sendMessage(message('calibrate the arm', { returnImmediately: true }));
  check('a new task', state(task), 'TASK_STATE_SUBMITTED');
  task = await until(client, task, 'TASK_STATE_INPUT_REQUIRED');
  check('who asks', Role[task.status.message.role], 'ROLE_AGENT');
  check('about which task', task.status.message.taskId, task.id);
  const done = await client.sendMessage(message('yes', { task }));
  check('the same task', [done.id, done.contextId], [task.id, task.contextId]);
  check('done', state(done), 'TASK_STATE_COMPLETED');
  const [artifact] = done.artifacts;
  check('its artifact', artifact.name, 'calibration');
  check('what was measured', artifact.parts[0].content.value.joints, 6);
  const said = done.history.map((one) => Role[one.role]);
  check('who spoke', said, ['ROLE_USER', 'ROLE_AGENT', 'ROLE_USER']);

  // Cancel while the arm moves.
  task = await client.sendMessage(message('calibrate the arm'));
  check('it asks', state(task), 'TASK_STATE_INPUT_REQUIRED');
  await client.sendMessage(message('yes', { task, returnImmediately: true }));
  const stopped = await client.cancelTask({ id: task.id });
  check('it stopped', state(stopped), 'TASK_STATE_CANCELED');
  await refused('a second cancel', client.cancelTask({ id: task.id }), /cancel|-32002/i);
  await refused('no such task', client.getTask({ id: 'no-such-task' }), /not ?found|-32001/i);

  // Streams, of a message and of a task that goes on.
  const kinds = [];
  let last;
  for await (const event of client.sendMessageStream(message('home the arm'))) {
    kinds.push(event.payload.$case);
    last = event.payload.value;
  }
  check('the task first', kinds[0], 'task');
  check('an artifact', kinds.includes('artifactUpdate'), true);
  check('the end last', [kinds.at(-1), state(last)], ['statusUpdate', 'TASK_STATE_COMPLETED']);

  task = await client.sendMessage(message('calibrate the arm'));
  const reports = [];
  const watching = (async () => {
    for await (const event of client.resubscribeTask({ id: task.id })) {
      if (event.payload.$case === 'statusUpdate') {
        const text = event.payload.value.status.message?.parts[0].content.value;
        reports.push(text ?? state(event.payload.value));
      }
    }
  })();
  await sleep(100);
  await client.sendMessage(message('yes', { task }));
  await watching;
  check('each joint was told', reports.filter((text) => text.startsWith('joint')).length, 6);
  check('up to the end', reports.at(-1), 'TASK_STATE_COMPLETED');

  if (wire === '1.0') {
    const listed = await client.listTasks({ contextId: '', status: 0, pageSize: 1, pageToken: '' });
    check('the newest first', [listed.tasks.length, listed.tasks[0].id], [1, task.id]);
    check('all of them', listed.totalSize >= 3, true);
  }
  console.log(`done: ${asserted} assertions`);
}

const { values, positionals } = parseArgs({
  options: { wire: { type: 'string' } },
  allowPositionals: true,
});
const timer = setTimeout(() => {
  console.log('not ok: no end');
  process.exit(1);
}, SECONDS * 1000);
await run(positionals[0], values.wire);
clearTimeout(timer);
