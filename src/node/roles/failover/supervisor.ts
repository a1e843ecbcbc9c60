import { StorageError } from '../../../storage/storage-error.ts'
import {
  type FailoverAction,
  type FailoverEvent,
  type FailoverState,
  type LeadershipRole,
  nextRole,
} from './next-role.ts'

export interface SupervisorDeps {
  /** Resolves when this node announces blocks. */
  readonly takeOver: () => Promise<void>
  /** Resolves when this node follows again. */
  readonly standDown: () => Promise<void>
  /** Stops publishing; pending syncs are rejected. */
  readonly abandon: () => void
  readonly releaseLease: () => Promise<void>
  readonly onChange: () => void
  /** Standing down failed, or this node's log accepts no record any more: the node must stop. */
  readonly onFailure: (error: unknown) => void
  readonly log: {
    info(details: object, message: string): void
    warn(details: object, message: string): void
  }
}

/** Runs the actions of `nextRole` in sequence. */
export class Supervisor {
  readonly #deps: SupervisorDeps
  #state: FailoverState = { role: 'standby', hasLease: false }
  #acting: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(deps: SupervisorDeps) {
    this.#deps = deps
  }

  get role(): LeadershipRole {
    return this.#state.role
  }

  /** Whether this node holds the lease, as far as it knows. */
  get hasLease(): boolean {
    return this.#state.hasLease
  }

  dispatch(event: FailoverEvent): void {
    if (this.#isStopped) return
    const { log, onChange } = this.#deps
    const before = this.#state.role
    const { state, actions } = nextRole(this.#state, event)
    this.#state = state
    if (state.role !== before) {
      const level = state.role === 'standing-down' ? 'warn' : 'info'
      log[level]({ event, from: before, to: state.role }, 'the role of this node changes')
    }
    for (const action of actions) this.#act(action)
    onChange()
  }

  /** Ignores later events. Resolves when no action is in progress. */
  async stop(): Promise<void> {
    this.#isStopped = true
    if (this.#state.role === 'taking-over') this.#deps.abandon()
    await this.#acting
  }

  #act(action: FailoverAction): void {
    const { takeOver, standDown, abandon, releaseLease, onFailure, log } = this.#deps
    switch (action) {
      case 'abandon':
        abandon()
        return
      case 'take-over':
        this.#then(async () => {
          try {
            await takeOver()
            this.dispatch('took-over')
          } catch (error) {
            // Every later attempt would fail as well: only a restart opens the log again.
            if (error instanceof StorageError && error.code === 'LOG_FAILED') return onFailure(error)
            log.warn({ err: error }, 'taking over was given up')
            this.dispatch('take-over-failed')
          }
        })
        return
      case 'stand-down':
        this.#then(async () => {
          try {
            await standDown()
            this.dispatch('stood-down')
          } catch (error) {
            onFailure(error)
          }
        })
        return
      case 'release-lease':
        this.#then(releaseLease)
    }
  }

  #then(action: () => Promise<void>): void {
    this.#acting = this.#acting.then(action)
  }
}
