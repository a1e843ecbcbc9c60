import type { ChainConfig } from '../chain/chain-config.ts'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../chain/transaction.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import { StateOverlay } from '../state/overlay.ts'
import type { StateDiff } from '../state/state-diff.ts'
import type { StateReader } from '../state/state-reader.ts'
import { executeDeposit } from './deposit.ts'
import { executeCall, executeTransaction } from './execute.ts'
import type { Interpreter } from './interpreter.ts'
import type { ExecutionContext } from './run-message.ts'
import { executeSystemCall } from './system-call.ts'
import type { BlockEnv, Call, CallChecks, Result, Session } from './types.ts'

/** An interpreter that works for one session until it is given back. */
export interface InterpreterLease {
  readonly interpreter: Interpreter
  /** Gives it back; only while it is not running. */
  release(): void
}

/** A mistake of the caller: a message while another one runs, or after `close()`. */
export class SessionUseError extends Error {
  override readonly name = 'SessionUseError'
  readonly code: 'SESSION_BUSY' | 'SESSION_CLOSED'

  constructor(code: 'SESSION_BUSY' | 'SESSION_CLOSED', message: string) {
    super(message)
    this.code = code
  }
}

/** See `Session`. */
export class EngineSession implements Session {
  readonly env: BlockEnv
  private readonly config: ChainConfig
  private readonly overlay: StateOverlay
  private readonly acquire: (state: StateOverlay) => InterpreterLease
  private lease: InterpreterLease | undefined
  private isRunning = false
  private isClosed = false

  constructor(
    options: { readonly env: BlockEnv; readonly config: ChainConfig },
    parts: {
      readonly state: StateReader
      /** Called when the first message comes. */
      readonly acquire: (state: StateOverlay) => InterpreterLease
    },
  ) {
    this.env = options.env
    this.config = options.config
    this.overlay = new StateOverlay(parts.state)
    this.acquire = parts.acquire
  }

  get state(): StateReader {
    return this.overlay
  }

  execute(transaction: RecoveredTransaction, remainingGas: bigint): Promise<Result> {
    return this.exclusively((context) =>
      transaction.type === DEPOSIT_TYPE
        ? executeDeposit(context, transaction, remainingGas)
        : executeTransaction(context, transaction, remainingGas),
    )
  }

  call(call: Call, checks: CallChecks): Promise<Result> {
    return this.exclusively((context) => executeCall(context, call, checks))
  }

  systemCall(to: Address, data: Bytes): Promise<Result> {
    return this.exclusively((context) => executeSystemCall(context, to, data))
  }

  apply(diff: StateDiff): void {
    this.overlay.apply(diff)
  }

  takeDiff(): StateDiff {
    return this.overlay.takeDiff()
  }

  checkpoint(): void {
    this.overlay.checkpoint()
  }

  revert(): void {
    this.overlay.revert()
  }

  commit(): void {
    this.overlay.commit()
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    if (!this.isRunning) this.lease?.release()
    this.lease = undefined
  }

  /** A run that throws (a reader's or the interpreter's own fault) leaves the state as it was. */
  private async exclusively<T>(run: (context: ExecutionContext) => Promise<T>): Promise<T> {
    if (this.isClosed) throw new SessionUseError('SESSION_CLOSED', 'the session is closed: open another one')
    if (this.isRunning) throw new SessionUseError('SESSION_BUSY', 'a message is running: await it before the next')
    this.isRunning = true
    this.lease ??= this.acquire(this.overlay)
    const checkpoint = this.overlay.checkpoint()
    try {
      const result = await run({
        env: this.env,
        config: this.config,
        state: this.overlay,
        interpreter: this.lease.interpreter,
      })
      this.overlay.commit()
      return result
    } catch (error) {
      this.overlay.revert(checkpoint)
      throw error
    } finally {
      this.isRunning = false
    }
  }
}
