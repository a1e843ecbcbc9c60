import { createContract, parseAbi } from 'micro-eth-signer/abi.js'
import { MULTICALL3 } from '../../../chain/predeploys/preinstalls.ts'
import { type Address, type Bytes, bytesToHex, hexToBytes } from '../../../primitives/hex.ts'
import type { BlockName } from '../terms/block-name.ts'
import { StockError } from '../terms/stock-error.ts'
import type { ContractFunction } from './contracts.ts'
import type { JsonRpc } from './json-rpc.ts'
import { wireBytes } from './wire.ts'

/** One read: a contract and its calldata. */
export interface Read {
  readonly to: Address
  readonly data: Bytes
  readonly of: ContractFunction
}

/** The block at which the reads were made. */
export interface ReadBlock {
  readonly number: number
  /** Unix seconds. */
  readonly timestamp: number
}

export interface ReadResults {
  readonly block: ReadBlock
  /** In the order of the reads; undefined for a failed read. */
  readonly values: readonly unknown[]
}

interface Aggregated {
  readonly success: boolean
  readonly returnData: Bytes
}

interface Aggregate3 {
  readonly aggregate3: { encodeInput(calls: readonly object[]): Bytes; decodeOutput(data: Bytes): Aggregated[] }
}

const CODEC = createContract(
  parseAbi([
    'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[])',
  ]) as never,
) as unknown as Aggregate3

/** `getBlockNumber()` and `getCurrentBlockTimestamp()` of Multicall3, which return those of the call's block. */
const HEADER = ['0x42cbb15c', '0x0f28c97d'].map((selector) => ({ to: MULTICALL3.address, data: hexToBytes(selector) }))

/** Maximum reads per call, so that a call stays far below the gas limit of nodes. */
const READS_PER_CALL = 1_000
const ATTEMPTS = 5

/** The call carries the contract's code as an override, so that it also works on chains without it. */
export const MULTICALL_OVERRIDE = { [MULTICALL3.address]: { code: bytesToHex(MULTICALL3.code) } }

/** A call that makes all of these reads. */
export function multicall(reads: readonly Read[]): { readonly to: Address; readonly data: Bytes } {
  const calls = [...HEADER, ...reads].map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))
  return { to: MULTICALL3.address, data: CODEC.aggregate3.encodeInput(calls) }
}

/**
 * Decodes the result of such a call.
 *
 * @throws StockError `NODE_ERROR` when it is not a result of Multicall3
 */
export function multicallResults(reads: readonly Read[], output: Bytes): ReadResults {
  const [number, timestamp, ...results] = aggregated(output, HEADER.length + reads.length)
  const block = { number: toNumber(number!), timestamp: toNumber(timestamp!) }
  return { block, values: reads.map(({ of }, index) => decoded(of, results[index])) }
}

/**
 * Makes all reads at one block. On any node, a call runs at one block; several calls are repeated until their blocks
 * agree.
 *
 * @throws StockError
 */
export async function readAll(rpc: JsonRpc, block: BlockName, reads: readonly Read[]): Promise<ReadResults> {
  const pages = pagesOf(reads)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const results = await readPages(rpc, block, pages)
    const first = results[0]!.block
    const agree = results.every(
      (page) => page.block.number === first.number && page.block.timestamp === first.timestamp,
    )
    if (agree) return { block: first, values: results.flatMap(({ values }) => values) }
  }
  throw new StockError('NODE_ERROR', 'the chain moves on between the parts of one read: name a block with --block')
}

async function readPages(rpc: JsonRpc, block: BlockName, pages: readonly Read[][]): Promise<ReadResults[]> {
  const requests = pages.map((page) => {
    const { to, data } = multicall(page)
    return ['eth_call', { to, data: bytesToHex(data) }, block, MULTICALL_OVERRIDE] as const
  })
  const outputs = requests.length === 1 ? [await rpc.request(requests[0]!)] : await rpc.batch(requests)
  return outputs.map((output, index) => multicallResults(pages[index]!, wireBytes(output, 'answer to eth_call')))
}

function pagesOf(reads: readonly Read[]): Read[][] {
  const count = Math.max(1, Math.ceil(reads.length / READS_PER_CALL))
  return Array.from({ length: count }, (_, page) => reads.slice(page * READS_PER_CALL, (page + 1) * READS_PER_CALL))
}

/** Nodes without support ignore the override silently: then the contract at the address responds, or none does. */
function aggregated(output: Bytes, count: number): readonly Aggregated[] {
  const results = decodeAggregated(output)
  const isComplete = results?.length === count && HEADER.every((_, index) => results[index]!.returnData.length === 32)
  if (isComplete) return results
  throw new StockError(
    'NODE_ERROR',
    `the node cannot read several things at once: its chain has no Multicall3 at ${MULTICALL3.address}, and its eth_call takes no state overrides; name another node with --rpc-url`,
  )
}

function decodeAggregated(output: Bytes): readonly Aggregated[] | undefined {
  try {
    return CODEC.aggregate3.decodeOutput(output)
  } catch {
    return undefined
  }
}

/** Undefined if no contract responds: a call to an account without code succeeds with empty output. */
function decoded(of: ContractFunction, result: Aggregated | undefined): unknown {
  if (!result?.success || result.returnData.length === 0) return undefined
  try {
    return of.decode(result.returnData)
  } catch {
    return undefined
  }
}

function toNumber({ returnData }: Aggregated): number {
  return Number(BigInt(bytesToHex(returnData)))
}
