import { SYSTEM_ADDRESS } from '../chain/constants.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import type { Execution } from './interpreter.ts'
import { type ExecutionContext, removeAccounts } from './run-message.ts'
import type { Executed } from './types.ts'

/** EIP-4788, EIP-2935, EIP-7002, EIP-7251 */
const SYSTEM_CALL_GAS = 30_000_000n

/** A call of the protocol itself: it pays nothing, has no nonce, and its gas does not count in the block. */
export function* executeSystemCall(context: ExecutionContext, to: Address, data: Bytes): Execution<Executed> {
  const outcome = yield {
    from: SYSTEM_ADDRESS,
    to,
    gasLimit: SYSTEM_CALL_GAS,
    value: 0n,
    data,
    gasPrice: 0n,
    blobVersionedHashes: [],
    accessList: [],
    warmAddresses: [to],
  }
  removeAccounts(context, outcome, [SYSTEM_ADDRESS])
  const gasUsed = Number(SYSTEM_CALL_GAS - outcome.gasLeft)
  return {
    kind: 'executed',
    status: outcome.status,
    ...(outcome.halt !== undefined && { halt: outcome.halt }),
    gasUsed,
    maxUsedGas: gasUsed,
    output: outcome.output,
    logs: outcome.logs,
    contractAddress: null,
    effectiveGasPrice: 0n,
  }
}
