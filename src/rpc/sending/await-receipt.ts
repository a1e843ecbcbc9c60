import { chainProfile } from '../../chain/forks/chain-profile.ts'
import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { SendContext } from '../context/sending.ts'
import type { EncodedJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { awaitInclusion, shownReceipt } from '../queries/inclusion.ts'

/**
 * Base rejects a timeout above the maximum of the node since Denim; other chains wait for the maximum.
 *
 * @throws RpcError
 */
export function assertTimeout(timeout: number | undefined, { config, options }: SendContext): void {
  const { syncTimeoutMs } = options
  if (timeout === undefined || timeout <= syncTimeoutMs || chainProfile(config) !== 'denim') return
  throw new RpcError(RPC_CODES.invalidParams, `timeout of ${timeout} ms exceeds the maximum of ${syncTimeoutMs} ms`)
}

/**
 * The receipt of an accepted transaction once a flashblock includes it (EIP-7966). Call in the step in which it was
 * accepted, so that no event is missed.
 *
 * @param timeout milliseconds; `undefined` or 0: the default
 * @throws RpcError when it is behind a nonce gap, dropped, or not included in time
 */
export async function awaitReceipt(
  transaction: PoolTransaction,
  timeout: number | undefined,
  { node, clock, memoizedBlocks, options }: SendContext,
): Promise<EncodedJson> {
  const wait = Math.min(timeout || options.syncTimeoutMs, options.syncTimeoutMs)
  const outcome = await awaitInclusion(transaction, wait, { node, clock })
  switch (outcome.kind) {
    case 'included':
      return shownReceipt(outcome.found, { node, memoizedBlocks })
    case 'queued':
      // An earlier transaction of the sender left the pool after this one was accepted.
      throw new RpcError(
        RPC_CODES.timeout,
        'The transaction was added to the transaction pool but cannot run yet: expected nonce ' +
          `${outcome.expected}, tx nonce ${transaction.nonce}`,
        transaction.hash,
      )
    case 'dropped':
      throw new RpcError(
        RPC_CODES.server,
        'The transaction was added to the transaction pool but left it without being processed',
        transaction.hash,
      )
    case 'timeout':
      throw new RpcError(
        RPC_CODES.timeout,
        `The transaction was added to the transaction pool but wasn't processed in ${wait / 1000}s`,
        transaction.hash,
      )
  }
}
