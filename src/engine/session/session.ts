import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { type AccessList, DEPOSIT_TYPE, type RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { CodedError } from '../../primitives/coded-error.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { MissingStateError } from '../../state/missing-state.ts'
import type { StateDiff } from '../../state/state-diff.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { executeSystemCall } from '../block/system-call.ts'
import { type Execution, INTERRUPTED, type Interpreter, type Interrupted, type MessageResult } from '../interpreter.ts'
import { callDataFees } from '../transaction/data-fees.ts'
import { executeDeposit } from '../transaction/deposit.ts'
import { executeCall, executeTransaction } from '../transaction/execute.ts'
import type { ExecutionContext } from '../transaction/run-message.ts'
import {
  type BlockEnv,
  type Call,
  type CallChecks,
  type Executed,
  ExecutionStoppedError,
  type MayContinue,
  type Result,
  type Session,
  type SessionOptions,
} from '../types.ts'
import type { WorldState } from '../world-state.ts'

/** A state and an interpreter, leased to one session. */
export interface LeasedInterpreter {
  readonly state: WorldState
  readonly interpreter: Interpreter
  /** Ends the lease; nothing may be running. `isBroken`: the instance must not be reused. */
  release(isBroken: boolean): void
}

/** The running message, and the state's checkpoint before it. */
interface Run<T> {
  readonly state: WorldState
  readonly interpreter: Interpreter
  readonly checkpoint: number
  readonly begin: Begin<T>
  /** `undefined`: another kind of message. */
  readonly call: Call | undefined
  readonly execution: Execution<T>
}

type Begin<T> = (context: ExecutionContext) => Execution<T>
type Outcome = MessageResult | Interrupted | Promise<MessageResult>

type SessionUseCode = 'SESSION_BUSY' | 'SESSION_CLOSED' | 'SESSION_BROKEN'

/** A message during another one, after `close()`, or after the interpreter failed. */
class SessionUseError extends CodedError<SessionUseCode> {
  override readonly name = 'SessionUseError'
}

function awaitLoad(load: () => Promise<void>): Promise<void> {
  return load()
}

/** The interpreter itself failed, so its memory may be half written. */
export function isTrap(error: unknown): boolean {
  return error instanceof WebAssembly.RuntimeError || error instanceof RangeError
}

/** See `Session`. */
export class EngineSession implements Session {
  readonly env: BlockEnv
  private readonly config: ChainConfig
  private readonly acquire: () => LeasedInterpreter
  private readonly mayContinue: MayContinue | undefined
  private readonly waitsForState: boolean
  private readonly awaitState: NonNullable<SessionOptions['awaitState']>
  private lease: LeasedInterpreter | undefined
  private isRunning = false
  private isClosed = false
  private isBroken = false

  constructor(
    options: {
      readonly env: BlockEnv
      readonly config: ChainConfig
      readonly mayContinue?: MayContinue | undefined
      readonly missingState?: SessionOptions['missingState'] | undefined
      readonly awaitState?: SessionOptions['awaitState']
    },
    deps: {
      /** Called on first use of the session. */
      readonly acquire: () => LeasedInterpreter
    },
  ) {
    this.env = options.env
    this.config = options.config
    this.mayContinue = options.mayContinue
    this.waitsForState = options.missingState !== 'fail'
    this.awaitState = options.awaitState ?? awaitLoad
    this.acquire = deps.acquire
  }

  get state(): StateReader {
    return this.leased.state
  }

  execute(transaction: RecoveredTransaction, remainingGas: bigint): MaybePromise<Result> {
    return this.exclusively((context) =>
      transaction.type === DEPOSIT_TYPE
        ? executeDeposit(context, transaction, remainingGas)
        : executeTransaction(context, transaction, remainingGas),
    )
  }

  call(call: Call, checks: CallChecks): MaybePromise<Result> {
    return this.exclusively(
      (context) => executeCall(context, call, checks, undefined, callDataFees(context, call, checks)),
      call,
    )
  }

  systemCall(to: Address, data: Bytes): MaybePromise<Executed> {
    return this.exclusively((context) => executeSystemCall(context, to, data))
  }

  coldAccesses(): AccessList {
    return this.leased.interpreter.coldAccesses()
  }

  apply(diff: StateDiff): void {
    this.onState((state) => state.apply(diff))
  }

  takeDiff(): StateDiff {
    return this.onState((state) => state.takeDiff())
  }

  checkpoint(): void {
    this.onState((state) => state.checkpoint())
  }

  revert(): void {
    this.onState((state) => state.revert())
  }

  commit(): void {
    this.onState((state) => state.commit())
  }

  close(): void {
    if (this.isClosed) return
    this.isClosed = true
    if (!this.isRunning) this.giveBack()
  }

  private giveBack(): void {
    this.lease?.release(this.isBroken)
    this.lease = undefined
  }

  private get leased(): LeasedInterpreter {
    if (this.isClosed) throw new SessionUseError('SESSION_CLOSED', 'the session is closed: open another one')
    if (this.isBroken) {
      throw new SessionUseError('SESSION_BROKEN', 'the interpreter failed in this session: open another one')
    }
    this.lease ??= this.acquire()
    return this.lease
  }

  private onState<T>(use: (state: WorldState) => T): T {
    const { state } = this.leased
    try {
      return use(state)
    } catch (error) {
      this.isBroken ||= isTrap(error)
      throw error
    }
  }

  /** An exception of a reader or the interpreter leaves the state unchanged. */
  private exclusively<T>(begin: Begin<T>, call?: Call): MaybePromise<T> {
    let run: Run<T> | undefined
    try {
      run = this.beginRun(begin, call)
      let step = run.execution.next()
      while (!step.done) {
        const outcome = run.interpreter.run(step.value)
        if (outcome === INTERRUPTED || outcome instanceof Promise) return this.goOn(run, () => outcome)
        step = run.execution.next(outcome)
      }
      this.endRun(run)
      return step.value
    } catch (error) {
      if (run === undefined) return Promise.reject(error)
      if (this.waitsFor(error)) return this.afterLoading(run, error)
      this.abandonRun(run, error)
      return Promise.reject(error)
    }
  }

  /** The rest of a run that has to wait. `first`: outcome of its running message; absent before the first one. */
  private async goOn<T>(run: Run<T>, first?: () => Outcome): Promise<T> {
    const { execution, interpreter } = run
    try {
      let step = first === undefined ? execution.next() : execution.next(await this.completed(interpreter, first()))
      while (!step.done) step = execution.next(await this.completed(interpreter, interpreter.run(step.value)))
      this.endRun(run)
      return step.value
    } catch (error) {
      if (this.waitsFor(error)) return this.afterLoading(run, error)
      this.abandonRun(run, error)
      throw error
    }
  }

  private waitsFor(error: unknown): error is MissingStateError {
    return this.waitsForState && error instanceof MissingStateError
  }

  /**
   * Continues after the state has what was missing: the message where it stopped, or from its start if the engine's own
   * code missed it.
   */
  private async afterLoading<T>(run: Run<T>, missing: MissingStateError): Promise<T> {
    const { state, interpreter, checkpoint } = run
    const isResumable = interpreter.isAwaitingState === true
    try {
      await this.awaitState(missing.load, run.call)
    } catch (error) {
      this.abandonRun(run, error)
      throw error
    }
    if (isResumable) return this.goOn(run, () => interpreter.resume())
    state.revert(checkpoint)
    return this.goOn(this.newRun({ state, interpreter }, run.begin, run.call))
  }

  private beginRun<T>(begin: Begin<T>, call: Call | undefined): Run<T> {
    const leased = this.leased
    if (this.isRunning) throw new SessionUseError('SESSION_BUSY', 'a message is running: await it before the next')
    this.isRunning = true
    return this.newRun(leased, begin, call)
  }

  private newRun<T>(
    { state, interpreter }: Pick<Run<T>, 'state' | 'interpreter'>,
    begin: Begin<T>,
    call: Call | undefined,
  ): Run<T> {
    const checkpoint = state.checkpoint()
    const execution = begin({ env: this.env, config: this.config, state })
    return { state, interpreter, checkpoint, begin, call, execution }
  }

  private endRun({ state }: Run<unknown>): void {
    state.commit()
    this.stopRunning()
  }

  private abandonRun({ state, checkpoint }: Run<unknown>, error: unknown): void {
    this.isBroken ||= isTrap(error)
    if (!this.isBroken) state.revert(checkpoint)
    this.stopRunning()
  }

  private stopRunning(): void {
    this.isRunning = false
    if (this.isClosed) this.giveBack()
  }

  private async completed(interpreter: Interpreter, first: Outcome): Promise<MessageResult> {
    let outcome = await first
    while (outcome === INTERRUPTED) {
      if (this.mayContinue !== undefined && !(await this.mayContinue())) {
        throw new ExecutionStoppedError('the run took longer than it may: allow more time or ask for less')
      }
      outcome = interpreter.resume()
    }
    return outcome
  }
}
