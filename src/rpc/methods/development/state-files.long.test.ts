import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { conformanceJson, conformancePath, hasConformanceData } from '../../../../test/support/conformance-data.ts'
import { COUNTER_RUNTIME } from '../../../../test/support/contracts.ts'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { AUTO } from '../../../node/development/mining-mode.ts'
import { loadState } from '../../state-files/load.ts'

const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const COUNTER = `0x${'00'.repeat(18)}c0de`
const FUNDED = `0x${'00'.repeat(18)}beef`
const HISTORY_STORAGE = '0x0000f90827f1c53a10cb7a02335b175320002935'
const SAMPLES = 'dev-node/data/anvil'

const nodes: RpcNode[] = []
afterEach(async () => {
  for (const node of nodes.splice(0)) {
    expect(node.logged).toEqual([])
    await node.stop()
  }
})

async function start(): Promise<RpcNode> {
  const node = await startRpcNode({ development: true }, { development: { mining: AUTO } })
  nodes.push(node)
  return node
}

function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`
}

function hexOf(dump: unknown): string {
  return `0x${Buffer.from(typeof dump === 'string' ? dump : JSON.stringify(dump)).toString('hex')}`
}

async function dumpOf(node: RpcNode) {
  const dump = String(await node.result('anvil_dumpState'))
  return { dump, json: JSON.parse(gunzipSync(Buffer.from(dump.slice(2), 'hex')).toString()) }
}

/** A chain with blocks, storage in the store and above it, and changes from outside that no block has yet. */
async function startScene(): Promise<RpcNode> {
  const node = await start()
  await node.result('anvil_setCode', COUNTER, `0x${COUNTER_RUNTIME}`)
  await node.result('eth_sendTransaction', { from: SENDER, to: COUNTER })
  await node.node.idle()
  await node.result('eth_sendTransaction', { from: SENDER, to: COUNTER })
  await node.result('anvil_setStorageAt', COUNTER, '0x7', word(9))
  await node.result('anvil_setBalance', FUNDED, '0x1234')
  return node
}

test('a dump has the accounts at latest with their storage, and blocks and transactions', async () => {
  const node = await startScene()

  const { json } = await dumpOf(node)

  expect(json.best_block_number).toBe(2)
  expect(json.accounts[COUNTER]).toEqual({
    nonce: 0,
    balance: '0x0',
    code: `0x${COUNTER_RUNTIME}`,
    storage: { [word(0)]: word(2), [word(7)]: word(9) },
  })
  expect(json.accounts[FUNDED]).toEqual({ nonce: 0, balance: '0x1234', code: '0x', storage: {} })
  expect(json.accounts[SENDER]).toMatchObject({ nonce: 2, balance: await node.result('eth_getBalance', SENDER) })
  const latest = await node.result('eth_getBlockByNumber', 'latest', false)
  expect(json.blocks.map(({ header }: { header: { number: string } }) => header.number)).toEqual(['0x2', '0x1', '0x0'])
  expect(json.blocks[0].header).toMatchObject({ parentHash: latest.parentHash, stateRoot: latest.stateRoot })
  expect(json.block).toMatchObject({ number: '0x2', timestamp: latest.timestamp, gas_limit: Number(latest.gasLimit) })
  expect(json.transactions).toHaveLength(2)
  expect(json.transactions[1]).toMatchObject({
    info: { transaction_hash: (latest.transactions as string[])[0], from: SENDER, to: COUNTER, nonce: 1 },
    receipt: { status: '0x1', logs: [] },
    block_hash: latest.hash,
    block_number: 2,
  })
})

test('a dump of a node is loaded by another one, at its height', async () => {
  const { dump } = await dumpOf(await startScene())
  const other = await start()

  expect(await other.result('anvil_loadState', dump)).toBe(true)

  expect(await other.result('eth_blockNumber')).toBe('0x2')
  expect(await other.result('eth_getBalance', FUNDED, 'latest')).toBe('0x1234')
  expect(await other.result('eth_getStorageAt', COUNTER, '0x7', 'latest')).toBe(word(9))
  expect(await other.result('eth_getTransactionCount', SENDER, 'latest')).toBe('0x2')
  await other.result('eth_sendTransaction', { from: SENDER, to: COUNTER })
  expect(await other.result('eth_getStorageAt', COUNTER, '0x0', 'latest')).toBe(word(3))
})

test('a dump names the senders of impersonated transactions, whose signatures are none', async () => {
  const node = await start()
  await node.result('anvil_setBalance', FUNDED, '0xde0b6b3a7640000')
  await node.result('anvil_impersonateAccount', FUNDED)
  await node.result('eth_sendTransaction', { from: FUNDED, to: COUNTER })
  await node.result('eth_sendTransaction', { from: SENDER, to: COUNTER })

  const { json } = await dumpOf(node)

  const blocks = json.blocks as { transactions: { impersonated_sender: string | null }[] }[]
  expect(blocks.map(({ transactions }) => transactions.map((sent) => sent.impersonated_sender))).toEqual([
    [null],
    [FUNDED],
    [],
  ])
})

test('a dump that equals the state changes nothing', async () => {
  const node = await startScene()
  const { dump } = await dumpOf(node)
  const { sequence } = node.node.view().head

  expect(await node.result('anvil_loadState', dump)).toBe(true)

  expect(node.node.view().head.sequence).toBe(sequence)
})

test('a dump of accounts alone changes these, and keeps the height and other accounts', async () => {
  const node = await start()
  const before = await node.result('eth_getBalance', SENDER, 'latest')
  const accounts = { [FUNDED]: { nonce: 5, balance: '0x7', code: '0x', storage: { '0x1': '0x2' } } }

  await node.result('anvil_loadState', hexOf({ block: null, accounts, best_block_number: null }))

  expect(await node.result('eth_blockNumber')).toBe('0x0')
  expect(await node.result('eth_getTransactionCount', FUNDED, 'latest')).toBe('0x5')
  expect(await node.result('eth_getStorageAt', FUNDED, '0x1', 'latest')).toBe(word(2))
  expect(await node.result('eth_getBalance', SENDER, 'latest')).toBe(before)
})

test('a dump with more values than fit in memory ends at a higher block with all of them', async () => {
  const node = await start()
  const slots = Object.fromEntries(Array.from({ length: 100 }, (_, slot) => [`0x${slot.toString(16)}`, '0x9']))
  const dump = JSON.stringify({ block: null, accounts: { [FUNDED]: { storage: slots } }, best_block_number: null })
  const { development } = node.node
  const open = async function* () {
    yield Buffer.from(dump)
  }

  await loadState(open, { node: node.node, development: development! }, { valuesPerBlock: 32 })

  expect(await node.result('eth_blockNumber')).toBe('0x3')
  for (const slot of ['0x0', '0x4f', '0x50', '0x63']) {
    expect(await node.result('eth_getStorageAt', FUNDED, slot, 'latest')).toBe(word(9))
  }
})

test.each([
  [
    'no JSON',
    'hello',
    /^Failed to decode state dump: the dump is no JSON: unexpected "h"; dumps are what anvil_dumpSt/,
  ],
  ['an incomplete text', '{"accounts":{', /the text ends before its last value/],
  [
    'a balance that is none',
    { accounts: { [FUNDED]: { balance: 'x' } } },
    /invalid value at accounts\.0x0+beef\.balance/,
  ],
  ['a number in place of an object', '"1000"', /the dump is no object/],
  ['no accounts', '{"best_block_number":1}', /the dump has no accounts/],
  ['more blocks than a request may mine', { accounts: {}, best_block_number: 100_001 }, /at most 100000 can be/],
  ['no address', { accounts: { hello: { nonce: 1 } } }, /"hello" is no address/],
  ['code that is no hex', { accounts: { [FUNDED]: { code: '0xz' } } }, /invalid value at accounts/],
  ['an account that is no object', { accounts: { [FUNDED]: 7 } }, /invalid value at accounts/],
  ['a height far above the chain', { accounts: {}, best_block_number: 5_000_000 }, /5000000 blocks ahead of the chain/],
])('a dump with %s is refused and changes nothing', async (_, dump, message) => {
  const node = await start()
  const valid = { [`0x${'00'.repeat(19)}aa`]: { balance: '0x1' } }
  const both = typeof dump === 'string' ? dump : { ...dump, accounts: { ...valid, ...dump.accounts } }

  const { error } = await node.request('anvil_loadState', hexOf(both))

  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(message) })
  expect(await node.result('eth_getBalance', `0x${'00'.repeat(19)}aa`, 'latest')).toBe('0x0')
  expect(await node.result('eth_blockNumber')).toBe('0x0')
})

test('historical states are refused, because a dump of this node has none', async () => {
  const node = await start()

  expect((await node.request('anvil_dumpState', true)).error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^a dump has no historical states/),
  })
  expect(await node.result('anvil_dumpState', false)).toMatch(/^0x1f8b/)
})

test('a small request whose dump is too large when decompressed is refused', async () => {
  const node = await start()
  const dump = gzipSync(Buffer.concat([Buffer.from('{"accounts":{}'), Buffer.alloc(2 ** 28, ' '), Buffer.from('}')]))

  expect((await node.request('anvil_loadState', `0x${dump.toString('hex')}`)).error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/more than 268435456 bytes: load it from a file with --load-state/),
  })
})

test('a nonce beyond the numbers of JavaScript survives a dump', async () => {
  const node = await start()
  await node.result('anvil_setNonce', FUNDED, '0x7fffffffffffffff')
  const { dump } = await dumpOf(node)
  const other = await start()

  await other.result('anvil_loadState', dump)

  expect(await other.result('eth_getTransactionCount', FUNDED, 'latest')).toBe('0x7fffffffffffffff')
})

test.skipIf(!hasConformanceData(SAMPLES, 'dumps of Anvil')).each([
  ['state-dump.json', 2],
  ['state-dump-legacy.json', 2],
  ['state-dump-legacy-stress.json', 5],
  ['tiny-dump.json', 1],
  ['tiny-dump-historical.json', 2],
])('loads %s of Anvil: accounts, storage and height', async (name, height) => {
  expect(conformancePath(SAMPLES)).toBeTruthy()
  const node = await start()
  const dump = conformanceJson(`${SAMPLES}/${name}`) as {
    accounts: Record<string, { nonce: number; balance: string; code: string; storage: Record<string, string> }>
  }

  await node.result('anvil_loadState', hexOf(dump))

  expect(Number(await node.result('eth_blockNumber'))).toBe(height)
  for (const [address, { nonce, balance, code, storage }] of Object.entries(dump.accounts)) {
    expect(BigInt(String(await node.result('eth_getBalance', address, 'latest')))).toBe(BigInt(balance))
    expect(Number(await node.result('eth_getTransactionCount', address, 'latest'))).toBe(Number(nonce))
    expect(await node.result('eth_getCode', address, 'latest')).toBe(code)
    // Blocks write the hashes of their parents there (EIP-2935).
    if (address === HISTORY_STORAGE) continue
    for (const [slot, value] of Object.entries(storage)) {
      const wide = `0x${BigInt(slot).toString(16).padStart(64, '0')}`
      expect(BigInt(String(await node.result('eth_getStorageAt', address, wide, 'latest')))).toBe(BigInt(value))
    }
  }
})
