import { type Fork, forkDefinition } from '../../chain/forks/forks.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { Evm } from './evm.ts'
import { createTracedEvm, type TracedEvm } from './traced-evm.ts'
import { type AddressRoles, type Records, WasmState } from './wasm-state.ts'

/** Maximum number of idle instances; further concurrent sessions create their own. */
const MAX_IDLE = 8
/** An instance with more memory than this is dropped: WebAssembly memory never shrinks. */
const MAX_IDLE_BYTES = 64 << 20
/** Maximum memory of all idle instances, so that a few hostile calls at once do not leave theirs behind. */
const MAX_ALL_IDLE_BYTES = 128 << 20
/**
 * Instances kept for states that are read repeatedly: latest, the open block and one more. With four, estimates took
 * 147 us instead of 58 in one interleaved run, for an unknown reason.
 */
const MAX_REMEMBERING = 3
/** Maximum number of cached accounts and slots in an instance, and of sessions on one cache. */
const MAX_RECORDS = 4_096
const MAX_SESSIONS = 65_536

/** Unmodified state cached in an instance's memory. */
interface Remembered {
  /** Weak, so that the cache does not keep the state alive. */
  readonly base: WeakRef<StateReader>
  readonly fork: Fork
  readonly roles: AddressRoles
  readonly records: Records
  /** Number of sessions that reused it. */
  sessions: number
}

/** An instance without a session. */
interface Idle {
  readonly evm: Evm
  readonly remembered: Remembered | undefined
}

/** State and rules of a session. */
export interface EvmKey {
  readonly base: StateReader
  readonly fork: Fork
  readonly roles: AddressRoles
}

export interface EvmLease {
  readonly state: WasmState
  /** Ends the lease. `isBroken`: the instance must not be reused. */
  release(isBroken: boolean): void
}

/**
 * Pool of EVM instances. An instance whose session left no changes is reused for the next session on the same state,
 * with the accounts and slots that it has cached.
 */
export class EvmInstances {
  readonly #seed: () => bigint
  /** Most recently used last. */
  readonly #idle: Idle[] = []
  readonly #idleTraced: TracedEvm[] = []

  /** @param seed of an instance's hash tables */
  constructor(seed: () => bigint) {
    this.#seed = seed
  }

  /** Leases an instance, ready for a session, until it is released. */
  acquire(placement: EvmKey): EvmLease {
    const { evm, remembered } = this.#take(placement)
    const kept = remembered !== undefined && fits(remembered, placement) ? remembered : undefined
    if (kept !== undefined) kept.sessions += 1
    else evm.exports.openSession(forkDefinition(placement.fork).ordinal)
    const state = new WasmState({ evm, base: placement.base, roles: placement.roles, records: kept?.records })
    return {
      state,
      release: (isBroken) => {
        const left = isBroken ? undefined : remembers(state, placement, kept)
        state.close()
        if (!isBroken && this.#mayWait(evm)) this.#idle.push({ evm, remembered: left })
      },
    }
  }

  /** Leases an instance of the tracing build, which caches nothing between sessions. */
  acquireTraced(placement: EvmKey): EvmLease & { readonly traced: TracedEvm } {
    const traced = this.#idleTraced.pop() ?? createTracedEvm({ seed: this.#seed() })
    const { evm } = traced
    evm.exports.openSession(forkDefinition(placement.fork).ordinal)
    const state = new WasmState({ evm, base: placement.base, roles: placement.roles })
    return {
      state,
      traced,
      release: (isBroken) => {
        state.close()
        traced.hooks = undefined
        if (!isBroken && this.#mayWait(evm)) this.#idleTraced.push(traced)
      },
    }
  }

  /** Prefers an instance that has cached this state, then one whose cache nobody used. */
  #take(placement: EvmKey): Idle {
    const idle = this.#idle
    let useless = -1
    for (let index = idle.length - 1; index >= 0; index--) {
      const { remembered } = idle[index]!
      if (remembered !== undefined && fits(remembered, placement)) return idle.splice(index, 1)[0]!
      if (useless < 0 && (remembered === undefined || remembered.sessions === 0)) useless = index
    }
    if (useless >= 0) return idle.splice(useless, 1)[0]!
    if (idle.length < MAX_REMEMBERING) return { evm: new Evm({ seed: this.#seed() }), remembered: undefined }
    return idle.shift()!
  }

  /** Whether to keep an instance for another session. */
  #mayWait(evm: Evm): boolean {
    const bytes = evm.exports.memoryBytes()
    if (bytes > MAX_IDLE_BYTES || this.#idle.length + this.#idleTraced.length >= MAX_IDLE) return false
    let all = bytes
    for (const idle of this.#idle) all += idle.evm.exports.memoryBytes()
    for (const idle of this.#idleTraced) all += idle.evm.exports.memoryBytes()
    return all <= MAX_ALL_IDLE_BYTES
  }
}

function fits({ base, fork, roles }: Remembered, placement: EvmKey): boolean {
  return roles === placement.roles && fork === placement.fork && base.deref() === placement.base
}

/** The cache for the next session; `undefined`: none. */
function remembers(state: WasmState, placement: EvmKey, before: Remembered | undefined): Remembered | undefined {
  const records = state.unchangedRecords()
  if (records === undefined || records.accounts.size + records.slots > MAX_RECORDS) return undefined
  if (before !== undefined) return before.sessions < MAX_SESSIONS ? before : undefined
  const { base, fork, roles } = placement
  return { base: new WeakRef(base), fork, roles, records, sessions: 0 }
}
