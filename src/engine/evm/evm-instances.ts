import { type Fork, forkDefinition } from '../../chain/forks/forks.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { Evm } from './evm.ts'
import { createTracedEvm, type TracedEvm } from './traced-evm.ts'
import { type AddressRoles, type Records, WasmState } from './wasm-state.ts'

/** Instances that wait for a session, at most; more sessions than that at once make their own. */
const MAX_IDLE = 8
/** An instance whose memory has grown beyond this is not kept: WebAssembly's memory never shrinks. */
const MAX_IDLE_BYTES = 64 << 20
/** All that wait together: a few hostile calls at once must not leave their memory behind. */
const MAX_ALL_IDLE_BYTES = 128 << 20
/**
 * Instances that are kept for a state which is asked again and again: latest, the open block and one more. With four, estimates
 * took 147 us instead of 58 in one run in turns; why was not found out.
 */
const MAX_REMEMBERING = 3
/** Accounts and slots that an instance remembers at most, and sessions after which it begins anew. */
const MAX_RECORDS = 4_096
const MAX_SESSIONS = 65_536

/** What the memory of an instance holds of a state, nothing of it changed. */
interface Remembered {
  /** Weak: a state that nobody asks any more is not held. */
  readonly base: WeakRef<StateReader>
  readonly fork: Fork
  readonly roles: AddressRoles
  readonly records: Records
  /** That found it there. */
  sessions: number
}

/** An instance without a session. */
interface Idle {
  readonly evm: Evm
  readonly remembered: Remembered | undefined
}

/** Where a session runs. */
export interface EvmKey {
  readonly base: StateReader
  readonly fork: Fork
  readonly roles: AddressRoles
}

export interface EvmLease {
  readonly state: WasmState
  /** Ends it. `isBroken`: nobody may use the instance any more. */
  release(isBroken: boolean): void
}

/**
 * The instances of an engine between their sessions. One whose session left nothing behind goes on for the next session on
 * the same state with the accounts and slots that it has read.
 */
export class EvmInstances {
  readonly #seed: () => bigint
  /** The one that was used last is the last. */
  readonly #idle: Idle[] = []
  readonly #idleTraced: TracedEvm[] = []

  /** @param seed of an instance's hash tables */
  constructor(seed: () => bigint) {
    this.#seed = seed
  }

  /** An instance that is ready for a session, nothing else's until it is released. */
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

  /** One of the tracing build; it remembers nothing. */
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

  /** Best one that has read this state, else one whose memory serves nobody. */
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

  /** Whether an instance is kept for another session. */
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

/** What the next session can go on with; `undefined`: nothing. */
function remembers(state: WasmState, placement: EvmKey, before: Remembered | undefined): Remembered | undefined {
  const records = state.unchangedRecords()
  if (records === undefined || records.accounts.size + records.slots > MAX_RECORDS) return undefined
  if (before !== undefined) return before.sessions < MAX_SESSIONS ? before : undefined
  const { base, fork, roles } = placement
  return { base: new WeakRef(base), fork, roles, records, sessions: 0 }
}
