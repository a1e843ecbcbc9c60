import { type Address, type Bytes, EMPTY_BYTES, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import artifact from './batch-executor.json' with { type: 'json' }

/** Where development nodes put the code that accounts delegate to for batches. */
export const BATCH_EXECUTOR_ADDRESS = toAddress('0x5792000000000000000000000000000000007702')

/** Runtime code of contracts/BatchExecutor.sol. */
export const BATCH_EXECUTOR_CODE: Bytes = hexToBytes(artifact.deployedBytecode)

/** One call of a batch. */
export interface BatchCall {
  /** Absent creates a contract, which is not possible within a batch of several calls. */
  readonly to?: Address | undefined
  readonly data?: Bytes | undefined
  /** Wei. */
  readonly value?: bigint | undefined
}

const SELECTOR = keccak256(Buffer.from('execute((address,uint256,bytes)[])')).subarray(0, 4)
const WORD = 32

/** Calldata of `execute` of the executor. */
export function encodeExecute(calls: readonly (BatchCall & { readonly to: Address })[]): Bytes {
  const tuples = calls.map(encodeCall)
  const offsets: Bytes[] = []
  let offset = WORD * calls.length
  for (const tuple of tuples) {
    offsets.push(bigintToWord(BigInt(offset)))
    offset += tuple.length
  }
  const head = [bigintToWord(BigInt(WORD)), bigintToWord(BigInt(calls.length))]
  return Buffer.concat([SELECTOR, ...head, ...offsets, ...tuples])
}

function encodeCall({ to, value = 0n, data = EMPTY_BYTES }: BatchCall & { readonly to: Address }): Bytes {
  const padding = new Uint8Array((WORD - (data.length % WORD)) % WORD)
  return Buffer.concat([
    bigintToWord(BigInt(to)),
    bigintToWord(value),
    bigintToWord(BigInt(3 * WORD)),
    bigintToWord(BigInt(data.length)),
    data,
    padding,
  ])
}
