import type { AccessListItem } from '../../chain/transaction/transaction.ts'
import type { MonotonicClock } from '../../primitives/clock.ts'
import { type Address, type Hash, type Hex, type Slot, slotOfHash, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { ForkSource } from '../source/cached-source.ts'
import { ForkError, type ForkErrorCode } from '../source/fork-error.ts'
import { hashValue, ReplyObject } from '../source/reply-fields.ts'
import type { HintMethod } from '../upstream/fork-upstream.ts'
import { trustedAccount } from './account-reads.ts'
import type { ForkedState } from './forked-state.ts'

/** A message that is about to be executed. */
export interface ExpectedCall {
  readonly from: Address
  /** `null` creates a contract. */
  readonly to: Address | null
  readonly value: bigint
  readonly data: Hex
  readonly accessList: readonly AccessListItem[]
}

/** The best one first: tracing also gives values, of which only proven ones are kept where there are proofs. */
const TRUSTING_HINTS: readonly HintMethod[] = ['debug_traceCall', 'eth_createAccessList']
const PROVING_HINTS: readonly HintMethod[] = ['eth_createAccessList', 'debug_traceCall']

/** Errors after which a method is not asked for a while: each request would wait for it in vain. */
const OVERLOADED: ReadonlySet<ForkErrorCode> = new Set(['FORK_TIMEOUT', 'FORK_HTTP_STATUS', 'FORK_RATE_LIMITED'])
const PAUSE_MS = 60_000

/**
 * Loads what a message will read before it is executed: the upstream is asked to name it. Without proofs, tracing gives
 * the values at once; otherwise a second batch reads them. A hint only: the upstream does not know what changed above
 * the fork block, and its errors are ignored unless nothing can be read.
 */
export class Prefetcher {
  readonly #tag: Hex
  readonly #state: ForkedState
  readonly #source: ForkSource
  readonly #clock: Pick<MonotonicClock, 'monotonic'>
  /** Methods that the upstream has answered. */
  readonly #offered = new Set<HintMethod>()
  /** On the monotonic clock: when a method may be asked again. */
  readonly #pausedUntil = new Map<HintMethod, number>()

  constructor(
    options: { readonly number: number },
    deps: {
      readonly state: ForkedState
      readonly source: ForkSource
      readonly clock: Pick<MonotonicClock, 'monotonic'>
    },
  ) {
    this.#tag = toQuantity(options.number)
    this.#state = deps.state
    this.#source = deps.source
    this.#clock = deps.clock
  }

  /** @throws ForkError when what the message names itself cannot be read */
  async prefetch(call: ExpectedCall): Promise<void> {
    const named = [{ address: call.from, storageKeys: [] }, ...call.accessList]
    if (call.to !== null) named.push({ address: call.to, storageKeys: [] })
    const [hints] = await Promise.all([this.#hints(call), this.#state.prefetch(named)])
    await this.#state.prefetch(hints)
  }

  async #hints(call: ExpectedCall): Promise<readonly AccessListItem[]> {
    const now = this.#clock.monotonic()
    const methods = (this.#state.isTrusting ? TRUSTING_HINTS : PROVING_HINTS).filter(
      (method) => (this.#pausedUntil.get(method) ?? now) <= now,
    )
    const best = methods.find((method) => this.#offered.has(method))
    // Methods of which nothing is known yet are asked at once: one after the other would cost a round each.
    const asked = best === undefined ? methods : [best]
    const hints = await Promise.all(asked.map((method) => this.#hint(method, call)))
    return hints.find((hint) => hint !== undefined) ?? []
  }

  /** `undefined`: the upstream gave none. */
  async #hint(method: HintMethod, call: ExpectedCall): Promise<readonly AccessListItem[] | undefined> {
    try {
      const hint = await (method === 'debug_traceCall' ? this.#traced(call) : this.#listed(call))
      this.#offered.add(method)
      return hint
    } catch (error) {
      if (!(error instanceof ForkError)) throw error
      if (error.code === 'FORK_METHOD_UNSUPPORTED') this.#pausedUntil.set(method, Number.POSITIVE_INFINITY)
      else if (OVERLOADED.has(error.code)) this.#pausedUntil.set(method, this.#clock.monotonic() + PAUSE_MS)
      return undefined
    }
  }

  async #listed(call: ExpectedCall): Promise<readonly AccessListItem[]> {
    const result = await this.#source.fixed('eth_createAccessList', [callObject(call), this.#tag])
    return new ReplyObject(result, 'the result of eth_createAccessList').objects('accessList').map((item) => ({
      address: item.address('address'),
      storageKeys: item.list('storageKeys').map((key) => hashValue(key, 'a storage key')),
    }))
  }

  /** Keeps the values of the state before the call where they count without proofs; returns the keys of the rest. */
  async #traced(call: ExpectedCall): Promise<readonly AccessListItem[]> {
    const tracer = { tracer: 'prestateTracer' }
    const result = await this.#source.fixed('debug_traceCall', [callObject(call), this.#tag, tracer])
    const rest: AccessListItem[] = []
    for (const [name, item] of Object.entries(result as Record<string, unknown>)) {
      const address = name.toLowerCase() as Address
      const entry = new ReplyObject(item, `the state of ${address}`)
      const slots = new Map<Slot, bigint>()
      const storage = new ReplyObject(entry.raw('storage') ?? {}, `the storage of ${address}`)
      for (const key of Object.keys((entry.raw('storage') ?? {}) as object)) {
        slots.set(slotOfHash(hashValue(key, 'a slot')), storage.quantity(key))
      }
      // Some nodes give the sender and the fee recipient as they are after the first payments.
      if (!this.#state.isTrusting || address === call.from || address === ZERO_ADDRESS) {
        rest.push({ address, storageKeys: [...slots.keys()] as readonly Hex[] as readonly Hash[] })
        continue
      }
      const nonce = toQuantity((entry.raw('nonce') as number | undefined) ?? 0)
      const account = trustedAccount(entry.raw('balance') ?? '0x0', nonce, entry.raw('code') ?? '0x')
      this.#state.putTrusted(address, account, slots)
    }
    return rest
  }
}

function callObject({ from, to, value, data, accessList }: ExpectedCall): object {
  return {
    from,
    ...(to !== null && { to }),
    value: toQuantity(value),
    data,
    ...(accessList.length > 0 && { accessList }),
  }
}
