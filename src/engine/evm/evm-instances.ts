import { type Fork, forkDefinition } from '../../chain/forks/forks.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { AddressRoles } from './address-roles.ts'
import { Evm } from './evm.ts'
import { createTracedEvm, type TracedEvm } from './traced-evm.ts'
import { type Records, WasmState } from './wasm-state.ts'

/** Maximum number of idle instances; further concurrent sessions create their own. */
const MAX_IDLE = 8
/** An instance with more memory than this is dropped: WebAssembly memory never shrinks. */
const MAX_IDLE_BYTES = 64 << 20
/** Maximum memory of all idle instances, so that a few hostile calls at once do not leave theirs behind. */
const MAX_ALL_IDLE_BYTES = 128 << 20
/**
 * Instances reused for states that are read repeatedly: latest, the open block and one more. With four, estimates took
 * 147 us instead of 58 in one interleaved run, for an unknown reason.
 */
const MAX_CACHED_STATES = 3
/** Maximum number of cached accounts and slots in an instance, and of sessions on one cache. */
const MAX_RECORDS = 4_096
const MAX_SESSIONS = 65_536

/** Unmodified state cached in an instance's memory. */
interface CachedState {
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
  readonly cached: CachedState | undefined
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
  readonly #codeSizeLimit: number
  readonly #seed: () => bigint
  /** Most recently used last. */
  readonly #idle: Idle[] = []
  readonly #idleTraced: TracedEvm[] = []

  /**
   * @param options.codeSizeLimit maximum bytes of code
   * @param deps.seed of an instance's hash tables
   */
  constructor({ codeSizeLimit }: { readonly codeSizeLimit: number }, { seed }: { readonly seed: () => bigint }) {
    this.#codeSizeLimit = codeSizeLimit
    this.#seed = seed
  }

  /** Leases an instance, ready for a session, until it is released. */
  acquire(key: EvmKey): EvmLease {
    const { evm, cached } = this.#take(key)
    const reused = cached !== undefined && fits(cached, key) ? cached : undefined
    if (reused !== undefined) reused.sessions += 1
    else evm.exports.openSession(forkDefinition(key.fork).ordinal, this.#codeSizeLimit)
    const state = new WasmState({ evm, base: key.base, roles: key.roles, records: reused?.records })
    return {
      state,
      release: (isBroken) => {
        const left = isBroken ? undefined : cacheFor(state, key, reused)
        state.close()
        if (!isBroken && this.#mayKeep(evm)) this.#idle.push({ evm, cached: left })
      },
    }
  }

  /** Leases an instance of the tracing build, which caches nothing between sessions. */
  acquireTraced(key: EvmKey): EvmLease & { readonly traced: TracedEvm } {
    const traced = this.#idleTraced.pop() ?? createTracedEvm({ seed: this.#seed() })
    const { evm } = traced
    evm.exports.openSession(forkDefinition(key.fork).ordinal, this.#codeSizeLimit)
    const state = new WasmState({ evm, base: key.base, roles: key.roles })
    return {
      state,
      traced,
      release: (isBroken) => {
        state.close()
        traced.hooks = undefined
        if (!isBroken && this.#mayKeep(evm)) this.#idleTraced.push(traced)
      },
    }
  }

  /** Prefers an instance that has cached this state, then one whose cache was never used. */
  #take(key: EvmKey): Idle {
    const idle = this.#idle
    let unused = -1
    for (let index = idle.length - 1; index >= 0; index--) {
      const { cached } = idle[index]!
      if (cached !== undefined && fits(cached, key)) return idle.splice(index, 1)[0]!
      if (unused < 0 && (cached === undefined || cached.sessions === 0)) unused = index
    }
    if (unused >= 0) return idle.splice(unused, 1)[0]!
    if (idle.length < MAX_CACHED_STATES) return { evm: new Evm({ seed: this.#seed() }), cached: undefined }
    return idle.shift()!
  }

  /** Whether to keep an instance for another session. */
  #mayKeep(evm: Evm): boolean {
    const bytes = evm.exports.memoryBytes()
    if (bytes > MAX_IDLE_BYTES || this.#idle.length + this.#idleTraced.length >= MAX_IDLE) return false
    let all = bytes
    for (const idle of this.#idle) all += idle.evm.exports.memoryBytes()
    for (const idle of this.#idleTraced) all += idle.evm.exports.memoryBytes()
    return all <= MAX_ALL_IDLE_BYTES
  }
}

function fits({ base, fork, roles }: CachedState, key: EvmKey): boolean {
  return roles === key.roles && fork === key.fork && base.deref() === key.base
}

/** The cache for the next session; `undefined`: none. */
function cacheFor(state: WasmState, key: EvmKey, before: CachedState | undefined): CachedState | undefined {
  const records = state.unchangedRecords()
  if (records === undefined || records.accounts.size + records.slots > MAX_RECORDS) return undefined
  if (before !== undefined) return before.sessions < MAX_SESSIONS ? before : undefined
  const { base, fork, roles } = key
  return { base: new WeakRef(base), fork, roles, records, sessions: 0 }
}
