import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import { consecutive } from '../../pool/sender-queue.ts'
import type { Address } from '../../primitives/hex.ts'
import type { ReadContext } from '../context/reading.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { Json, JsonRecord } from '../protocol/json.ts'

type Context = Pick<ReadContext, 'view' | 'options' | 'yieldIfDue' | 'grown'>

/** The two parts of go-ethereum's pool: executable transactions, and those behind a nonce gap. */
export interface PendingAndQueued<T> {
  readonly pending: T
  readonly queued: T
}

/** The pooled transactions of a sender, in nonce order. */
export function splitPool(
  sender: Address,
  { view }: Pick<Context, 'view'>,
): PendingAndQueued<readonly PoolTransaction[]> {
  const entries = view.pool.bySender(sender)
  const nonce = view.account(view.head.pending.state, sender)?.nonce ?? 0n
  const pending = consecutive(entries, nonce)
  const transactions = entries.map(({ transaction }) => transaction).filter((transaction) => transaction.nonce >= nonce)
  return { pending: transactions.slice(0, pending), queued: transactions.slice(pending) }
}

/** Formats transactions by decimal nonce, within a bound. */
export class PoolResponse {
  readonly #encode: (transaction: PoolTransaction) => Json
  readonly #maxBytes: number
  #bytes = 0

  constructor(
    options: { readonly maxBytes: number },
    deps: { readonly encode: (transaction: PoolTransaction) => Json },
  ) {
    this.#maxBytes = options.maxBytes
    this.#encode = deps.encode
  }

  get bytes(): number {
    return this.#bytes
  }

  /** @throws RpcError -32003 with alternatives, when the response is too large */
  byNonce(transactions: readonly PoolTransaction[]): JsonRecord {
    return Object.fromEntries(
      transactions.map((transaction): [string, Json] => {
        const encoded = this.#encode(transaction)
        this.#bytes += JSON.stringify(encoded).length
        if (this.#bytes > this.#maxBytes) {
          throw new RpcError(
            RPC_CODES.responseTooLarge,
            `the pool's content takes more than ${this.#maxBytes} bytes: ask txpool_status, ` +
              'txpool_inspect, or txpool_contentFrom one sender',
          )
        }
        return [transaction.nonce.toString(), encoded]
      }),
    )
  }
}

/** All pooled transactions by sender. Yields between senders. */
export async function poolContent(
  context: Context,
  deps: {
    readonly encode: (transaction: PoolTransaction) => Json
    readonly writeSender: (sender: Address) => string
  },
): Promise<PendingAndQueued<JsonRecord>> {
  const { view, options, yieldIfDue, grown } = context
  const response = new PoolResponse({ maxBytes: options.maxPoolResponseBytes }, deps)
  const pending: Record<string, Json> = {}
  const queued: Record<string, Json> = {}
  for (const sender of view.pool.senders()) {
    if (response.bytes > 0) grown(response.bytes)
    await yieldIfDue()
    const halves = splitPool(sender, context)
    const name = deps.writeSender(sender)
    if (halves.pending.length > 0) pending[name] = response.byNonce(halves.pending)
    if (halves.queued.length > 0) queued[name] = response.byNonce(halves.queued)
  }
  return { pending, queued }
}
