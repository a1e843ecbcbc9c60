import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startExampleNode } from '../../../test/support/example-scene.ts'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import type { RpcNode } from '../../../test/support/rpc-node.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { EXAMPLE_BLOCK_HASH } from './examples.ts'
import type { Method } from './method.ts'

const NOT_REQUESTED = new Set([
  // The example has no block to decode: a block is long and specific to one genesis.
  'debug_traceBlock',
  // A node with a running sequencer rejects it.
  'testing_buildBlockV1',
])

/** Methods whose responses vary, or are too long to show. */
const NOT_COMPARED = new Set([
  ...NOT_REQUESTED,
  'anvil_dumpState',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getProof',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_sendRawTransactionSync',
  'eth_sendTransactionSync',
  'eth_subscribe',
  'eth_uninstallFilter',
  'eth_unsubscribe',
  'evm_increaseTime',
  'evm_mine_detailed',
  'hardhat_dumpState',
  'optimism_version',
  'rpc.discover',
  'web3_clientVersion',
])

/** Development methods whose responses depend on those requested before, such as anvil_reset. */
const DEPENDENT = new Set(['anvil_metadata', 'anvil_nodeInfo', 'eth_signTransaction'])

let node: RpcNode
/** The same chain, for methods that exist in the other dialect only. */
let other: RpcNode
/** The same transactions on a chain of the OP stack, for the methods that only those have. */
let rollup: RpcNode
/** Likewise on a chain with Denim. */
let denim: RpcNode
/** The same chain on a development node. */
let development: RpcNode
let blockHash: string
beforeAll(async () => {
  node = await startExampleNode()
  development = await startExampleNode({ development: true })
  other = await startExampleNode({ dialect: 'ethereum' })
  rollup = await startExampleNode({}, { network: { upgrade: 'jovian' } })
  denim = await startExampleNode(
    { development: true },
    { network: { upgrade: 'denim', timestamp: 1_767_225_600n }, schedule: DENIM_BLOCKS },
  )
  blockHash = String((await node.result('eth_getBlockByNumber', 'pending', false)).hash)
})
afterAll(async () => {
  await node.stop()
  await other.stop()
  await rollup.stop()
  await denim.stop()
  await development.stop()
})

describe.each(RPC_METHODS.map((method) => [method.name, method] as const))('%s', (_, method) => {
  const { example, params, result, summary, cost } = method

  test('has a summary, a positive cost, and optional parameters last', () => {
    expect(summary).toMatch(/^[A-Z].*\.$/)
    expect(summary.length).toBeLessThan(130)
    expect(cost).toBeGreaterThan(0)
    expect(new Set(params.map((parameter) => parameter.name)).size).toBe(params.length)
    const firstOptional = params.findIndex(({ required }) => !required)
    if (firstOptional >= 0) expect(params.slice(firstOptional).some(({ required }) => required)).toBe(false)
  })

  test('has an example whose parameters and result match their schemas', () => {
    expect(example.params.length).toBeLessThanOrEqual(params.length)
    expect(example.params.length).toBeGreaterThanOrEqual(params.filter(({ required }) => required).length)
    for (const [index, value] of example.params.entries()) {
      const parameter = params[index]!
      expect(() => parameter.read(value)).not.toThrow()
      expect(schemaViolations(parameter.schema, value, parameter.name)).toEqual([])
    }
    if (example.error === undefined) expect(schemaViolations(result, wire(example.result))).toEqual([])
  })
})

/** Methods that change the chain come last, and of those the other names of a method. */
const ASKED = RPC_METHODS.filter(
  ({ name, writes }) => !NOT_REQUESTED.has(name) && !(writes && NOT_COMPARED.has(name)),
).sort((a, b) => order(a) - order(b) || b.name.localeCompare(a.name))

test.each(ASKED.map((method) => [method.name, method] as const))(
  '%s responds as its schema and example say',
  async (name, method) => {
    const { example, result: schema } = method
    const params = JSON.parse(JSON.stringify(example.params).replaceAll(EXAMPLE_BLOCK_HASH, blockHash))
    const { result, error } = await nodeOf(method).request(name, ...params)
    // The other names of a method respond as the node of their namespace.
    const isAlias = method.development?.aliasOf !== undefined
    if (!isAlias) expect(error).toEqual(example.error)
    if (error !== undefined) return
    expect(schemaViolations(schema, result)).toEqual([])
    if (!NOT_COMPARED.has(name) && !DEPENDENT.has(name) && !isAlias)
      expect(masked(result)).toEqual(masked(wire(example.result)))
  },
)

function order({ name, writes, development: traits }: Method): number {
  // They describe the chain before others change it.
  if (name === 'anvil_nodeInfo' || name === 'anvil_metadata') return 0
  if (traits?.aliasOf !== undefined) return 2
  return writes ? 1 : 0
}

function nodeOf({ dialect, profiles, development: traits }: Method): RpcNode {
  const isOfDenim = profiles !== undefined && !profiles.includes('op')
  if (isOfDenim) return denim
  if (traits !== undefined) return development
  if (profiles !== undefined) return rollup
  return dialect === 'ethereum' ? other : node
}

test('eth_sendRawTransactionSync responds as its example says', async () => {
  const { example } = RPC_METHODS.find(({ name }) => name === 'eth_sendRawTransactionSync')!
  const fresh = await startExampleNode()
  const answering = fresh.result('eth_sendRawTransactionSync', ...example.params)
  // Resolves when the transaction is in the pool: then the method listens.
  await new Promise<void>((resolve) => fresh.node.events.once('pooled', () => setImmediate(resolve)))
  await fresh.nextFlashblock()
  const response = await answering.finally(() => fresh.stop())
  expect(masked(response)).toEqual(masked(wire(example.result)))
})

/** As encoded in JSON: without members that are undefined. */
function wire(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

/** Hashes, roots and signatures depend on the whole genesis, which the examples do not show. */
function masked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/0x[0-9a-f]{62,}|(?<="forkId":")0x[0-9a-f]{8}/g, 'bytes'))
}
