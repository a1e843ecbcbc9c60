import { LATEST_STATES, type LatestState } from '../rpc/protocol/latest-state.ts'
import { flag } from './flag.ts'
import { integer } from './values.ts'

/** What reads see of the state: pre-confirmations for clients that do not know them (docs/clients.md), and proofs. */
export const PRECONFIRMATION_FLAGS = {
  latestState: flag<LatestState>({
    value: 'state',
    description:
      'state that calls, estimates and reads of accounts see at latest and without a block: of the newest sealed block, or with everything pre-confirmed, as after a receipt; a client chooses for itself with ?latest=preconfirmed in its URL; blocks, logs, heights and proofs stay sealed',
    choices: LATEST_STATES,
    fallback: 'sealed',
    env: 'TICKERTAPE_LATEST_STATE',
  }),
  receiptWait: flag<number | undefined>({
    value: 'ms',
    description:
      'time that eth_getTransactionReceipt, outside of batches, waits for the flashblock with a pending transaction of the pool, at most --sync-timeout-ms; 0: it answers null at once, as where blocks are built on demand',
    parse: integer(0),
    fallback: undefined,
    shown: 'one and a half times the flashblock interval',
  }),
  proofWindow: flag<number | 'all'>({
    value: 'seconds|all',
    description:
      'age up to which blocks have proofs (eth_getProof, eth_getAccount), or all with state (--history); the newest 128 blocks always have them',
    parse: (text) => (text === 'all' ? 'all' : integer(0)(text)),
    fallback: 3_600,
  }),
}
