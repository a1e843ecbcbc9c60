// Records the conversations of test/hardhat/conversations.mjs with the nodes of Hardhat 2 and 3, which
// `npm run bench:peers` installs, into test/hardhat/*.json. `node scripts/record-hardhat.mjs 3` records one of them.
import { writeFileSync } from 'node:fs'
import { startAutominingHardhat } from '../bench/support/development-peers.mjs'
import { startHardhat } from '../bench/support/peers.mjs'
import { DEVELOPMENT, REFUSALS, REVERTS, TRACES } from '../test/hardhat/conversations.mjs'

const NODES = {
  2: { file: 'hardhat-2.29.1.json', start: startAutominingHardhat, conversations: TRACES },
  3: {
    file: 'hardhat-3.18.0.json',
    start: () => startHardhat({ gasLimit: 60_000_000n, automine: true }),
    conversations: { ...REVERTS, ...REFUSALS, ...DEVELOPMENT },
  },
}

async function send(port, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
  const { result, error } = await response.json()
  return error === undefined ? { result } : { error }
}

/** A conversation as it was, on a state that is restored afterwards. */
async function recorded(port, title, steps) {
  const { result: snapshot } = await send(port, 'evm_snapshot', [])
  const done = []
  for (const [method, ...given] of steps) {
    const params = given.map((param) => resolved(param, done))
    done.push({ method, params: given, ...(await send(port, method, params)) })
  }
  await send(port, 'evm_revert', [snapshot])
  return { title, steps: done }
}

function resolved(param, done) {
  const [, step] = /^\$(\d+)$/.exec(param) ?? []
  return step === undefined ? param : done[step].result
}

const chosen = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(NODES)
for (const version of chosen) {
  const { file, start, conversations } = NODES[version]
  const node = await start()
  try {
    const done = []
    for (const [title, steps] of Object.entries(conversations)) done.push(await recorded(node.port, title, steps))
    const lines = done.map((conversation) => JSON.stringify(conversation)).join(',\n')
    const text = `{"node":${JSON.stringify(node.version)},"conversations":[\n${lines}\n]}\n`
    writeFileSync(new URL(`../test/hardhat/${file}`, import.meta.url), text)
    console.log(`${file}: ${done.length} conversations with ${node.version}`)
  } finally {
    await node.stop()
  }
}
