import { SYSTEM_ADDRESS } from '../../chain/constants.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { Execution } from '../interpreter.ts'
import { type ExecutionContext, removeAccounts } from '../transaction/run-message.ts'
import type { Executed, Writable } from '../types.ts'

/** EIP-4788, EIP-2935, EIP-7002, EIP-7251 */
const SYSTEM_CALL_GAS = 30_000_000n

const NOTHING: readonly never[] = Object.freeze([])

/** A protocol call: no fees, no nonce, and its gas does not count in the block. */
export function* executeSystemCall(context: ExecutionContext, to: Address, data: Bytes): Execution<Executed> {
  const outcome = yield {
    from: SYSTEM_ADDRESS,
    to,
    gasLimit: SYSTEM_CALL_GAS,
    value: 0n,
    data,
    gasPrice: 0n,
    blobVersionedHashes: NOTHING,
    accessList: NOTHING,
    warmAddresses: [to],
  }
  removeAccounts(context, outcome, [SYSTEM_ADDRESS])
  const gasUsed = Number(SYSTEM_CALL_GAS - outcome.gasLeft)
  const executed: Writable<Executed> = {
    kind: 'executed',
    status: outcome.status,
    gasUsed,
    maxUsedGas: gasUsed,
    output: outcome.output,
    logs: outcome.logs,
    contractAddress: null,
    effectiveGasPrice: 0n,
  }
  if (outcome.halt !== undefined) executed.halt = outcome.halt
  return executed
}
