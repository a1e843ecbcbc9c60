import { createContract, parseAbi } from 'micro-eth-signer/abi.js'
import { type Address, type Bytes, bytesToHex, toAddress } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'

/** A call of a batch that an account makes of itself (`wallet_sendCalls`, contracts/BatchExecutor.sol). */
export interface BatchedCall {
  readonly to: Address
  /** Wei. */
  readonly value: bigint
  readonly data: Bytes
}

const SELECTOR = bytesToHex(keccak256(Buffer.from('execute((address,uint256,bytes)[])')).subarray(0, 4))
/** Arguments are encoded like results, which the library decodes. */
const BATCH = createContract(parseAbi(['function execute() returns ((address to, uint256 value, bytes data)[] calls)']))

interface BatchTransaction {
  readonly from: Address
  readonly to: Address | null
  readonly data: Bytes
}

/** The calls of a transaction that is a batch of its sender; `undefined` for others. */
export function batchedCalls({ from, to, data }: BatchTransaction): readonly BatchedCall[] | undefined {
  if (to !== from || bytesToHex(data.subarray(0, 4)) !== SELECTOR) return undefined
  try {
    const calls = BATCH.execute!.decodeOutput(data.subarray(4)) as readonly (BatchedCall & { readonly to: string })[]
    return calls.map(({ to, value, data }) => ({ to: toAddress(to), value, data }))
  } catch {
    // The selector fits, the arguments do not.
    return undefined
  }
}
