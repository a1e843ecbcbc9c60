import { executeWitness, type WitnessExecution } from '../../src/node/tools/witness/execute-witness.ts'
import { readWitness } from '../../src/node/tools/witness/witness-file.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
import type { RpcNode } from './rpc-node.ts'

/** The result of `debug_executionWitness`. */
export interface WitnessJson {
  readonly state: readonly string[]
  readonly codes: readonly string[]
  readonly keys: readonly string[]
  readonly headers: readonly string[]
}

type Requests = Pick<RpcNode, 'result' | 'node'>

/** A block of a node in the form that `tickertape execute --witness` reads. */
export async function witnessFileOf(node: Requests, number: number) {
  const block = toQuantity(number)
  return {
    block: await node.result('debug_getRawBlock', block),
    receipts: await node.result('debug_getRawReceipts', block),
    witness: (await node.result('debug_executionWitness', block)) as unknown as WitnessJson,
  }
}

/** Executes a block of a node from its witness alone. */
export async function executedFromWitness(node: Requests, number: number): Promise<WitnessExecution> {
  return executeWitness(readWitness(await witnessFileOf(node, number), node.node.config))
}
