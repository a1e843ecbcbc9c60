import { DENIM_BLOCKS } from '../../src/node/production/building/schedule.ts'
import { RPC_METHODS } from '../../src/rpc/methods/all-methods.ts'
import type { Json } from '../../src/rpc/protocol/json.ts'
import type { MethodDescription, MethodExample } from '../../src/rpc/protocol/method-description.ts'
import type { Method } from '../../src/rpc/registry/method.ts'
import { exampleOf, loadMethodExamples } from '../../src/rpc/registry/open-rpc.ts'
import { startExampleNode } from './example-scene.ts'
import type { RpcNode } from './rpc-node.ts'

export const EXAMPLES = await loadMethodExamples()

export const EXAMPLE_ACCOUNT = String(EXAMPLES.eth_getBalance!.params[0])
export const EXAMPLE_CONTRACT = String(EXAMPLES.eth_getCode!.params[0])
/** Hash of the open block. */
export const EXAMPLE_BLOCK_HASH = String(EXAMPLES.eth_getBlockByHash!.params[0])

export const EXAMPLE_TRANSACTION_HASH = String(EXAMPLES.eth_getTransactionByHash!.params[0])
export const EXAMPLE_RAW_TRANSACTION = String(EXAMPLES.eth_sendRawTransaction!.params[0])

export function methodExample(method: MethodDescription): MethodExample {
  return exampleOf(method, EXAMPLES)
}

/** The parameters of a method's example, on a chain where another block has the place of the example's. */
export function exampleParams(method: MethodDescription, blockHash: string): Json[] {
  return JSON.parse(JSON.stringify(methodExample(method).params).replaceAll(EXAMPLE_BLOCK_HASH, blockHash))
}

const NOT_REQUESTED = new Set([
  // The example has no block to decode: a block is long and specific to one genesis.
  'debug_traceBlock',
  // A layer-2 chain rejects them.
  'testing_buildBlockV1',
  'testing_commitBlockV1',
])

/** Methods whose responses vary, or are too long to show. */
const NOT_COMPARED = new Set([
  ...NOT_REQUESTED,
  'anvil_dumpState',
  'debug_executionWitness',
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

/** Methods of which the example is what the example chain responds. */
export function isCompared({ name, development }: Method): boolean {
  return !NOT_COMPARED.has(name) && !DEPENDENT.has(name) && development?.aliasOf === undefined
}

/** Methods that change the chain come last, and of those the other names of a method. */
export const PLAYED_METHODS = RPC_METHODS.filter(
  ({ name, writes }) => !NOT_REQUESTED.has(name) && !(writes && NOT_COMPARED.has(name)),
).sort((a, b) => order(a) - order(b) || b.name.localeCompare(a.name))

function order({ name, writes, development: traits }: Method): number {
  // They describe the chain before others change it.
  if (name === 'anvil_nodeInfo' || name === 'anvil_metadata') return 0
  if (traits?.aliasOf !== undefined) return 2
  return writes ? 1 : 0
}

/** The nodes that respond to the examples. */
export interface ExampleNodes {
  of(method: Method): RpcNode
  /** Of the open block. */
  readonly blockHash: string
  stop(): Promise<void>
}

export async function startExampleNodes(): Promise<ExampleNodes> {
  const node = await startExampleNode()
  const development = await startExampleNode({ development: true })
  /** The same chain, for methods that exist in the other dialect only. */
  const other = await startExampleNode({ dialect: 'ethereum' })
  /** The same transactions on a chain of the OP stack, for the methods that only those have. */
  const rollup = await startExampleNode({}, { network: { upgrade: 'jovian' } })
  const denim = await startExampleNode(
    { development: true },
    { network: { upgrade: 'denim', timestamp: 1_767_225_600n }, schedule: DENIM_BLOCKS },
  )
  return {
    of({ dialect, profiles, development: traits }) {
      const isOfDenim = profiles !== undefined && !profiles.includes('op')
      if (isOfDenim) return denim
      if (traits !== undefined) return development
      if (profiles !== undefined) return rollup
      return dialect === 'ethereum' ? other : node
    },
    blockHash: String((await node.result('eth_getBlockByNumber', 'pending', false)).hash),
    async stop() {
      for (const started of [node, development, other, rollup, denim]) await started.stop()
    },
  }
}
