import { rulesOf } from '../../chain/forks/rules.ts'
import type { Log } from '../../chain/receipt/log.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import type { AccessList } from '../../chain/transaction/transaction.ts'
import { type Address, type Bytes, EMPTY_BYTES, type Hash, slotOfHash } from '../../primitives/hex.ts'
import { INTERRUPTED, type Interpreter, type Interrupted, type Message, type MessageResult } from '../interpreter.ts'
import type { NativeCall, NativeContract } from '../native-contract.ts'
import type { BlockEnv, Writable } from '../types.ts'
import {
  ACCOUNT_COLD,
  COLD_PREVIOUS,
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_PREVRANDAO,
  ENV_TIMESTAMP,
  SLOT_ACCOUNT,
  SLOT_COLD,
} from './abi/records.ts'
import * as Status from './abi/status.ts'
import type { Evm } from './evm.ts'
import { haltReason } from './halt-reasons.ts'
import type { TraceReporter } from './trace-reporter.ts'
import { positionOfLog, readEmittedLog } from './wasm-log.ts'
import type { WasmState } from './wasm-state.ts'

/** Gas is a signed 64-bit number in the module; no message can use more than this. */
const MAX_GAS = (1n << 62n) - 1n
/** At most 50 ms of a precompile (docs/precompiles.md). */
const DEAR_PRECOMPILE_GAS = 1_000_000n

const NO_ADDRESSES: readonly Address[] = Object.freeze([])
const NO_LOGS = Object.freeze({ logs: [], emission: { positions: [], count: 0 } })

export interface WasmInterpreterOptions {
  readonly env: BlockEnv
  readonly chainId: bigint
  readonly traceTransfers: boolean
  readonly withoutLogs: boolean
}

/** Runs the messages of one session in WebAssembly and serves its exits. Synchronous. */
export class WasmInterpreter implements Interpreter {
  private readonly options: WasmInterpreterOptions
  private readonly evm: Evm
  private readonly state: WasmState
  /** Indexed by the number in the account record, less one. */
  private readonly contracts: readonly NativeContract[]
  private readonly reporter: TraceReporter | undefined
  /** Gas of the current message beyond `MAX_GAS`. */
  private gasBeyond = 0n
  private isPrecompileDue = false
  /** The exit that could not be served, because the state lacks what it needs; `DONE` for none. */
  private unserved: number = Status.DONE

  constructor(
    options: WasmInterpreterOptions,
    deps: {
      state: WasmState
      contracts: readonly NativeContract[]
      /** For a traced session. */
      reporter?: TraceReporter | undefined
    },
  ) {
    this.options = options
    this.state = deps.state
    this.evm = deps.state.evm
    this.contracts = deps.contracts
    this.reporter = deps.reporter
    if (this.evm.environmentOf !== options.env) this.writeEnvironment()
  }

  run(message: Message): MessageResult | Interrupted {
    this.begin(message)
    return this.resume()
  }

  get isAwaitingState(): boolean {
    return this.unserved !== Status.DONE
  }

  resume(): MessageResult | Interrupted {
    const { exports } = this.evm
    let exit = this.isPrecompileDue ? Status.RUN_PRECOMPILE : this.unserved
    // A local variable, because there may be thousands of exits.
    let isServing = false
    try {
      if (exit === Status.DONE) exit = exports.proceed()
      else this.unserved = Status.DONE
      while (exit !== Status.DONE) {
        if (exit === Status.PAUSED) return INTERRUPTED
        if (exit === Status.RUN_PRECOMPILE) {
          if (this.pausesBeforePrecompile()) return INTERRUPTED
          exit = this.runPrecompile()
          if (exit !== Status.DONE) exit = exports.proceed()
          continue
        }
        isServing = true
        this.serve(exit)
        isServing = false
        exit = exports.proceed()
      }
    } catch (error) {
      if (isServing) this.unserved = exit
      throw error
    }
    return this.outcome()
  }

  coldAccesses(): AccessList {
    const { evm, state } = this
    const { exports } = evm
    const keys = new Map<Address, Hash[]>()
    for (let slot = exports.lastColdSlot(); slot !== 0; slot = evm.number(slot + SLOT_COLD + COLD_PREVIOUS)) {
      const address = state.addressOf(evm.number(slot + SLOT_ACCOUNT))
      exports.slotKey(slot)
      const key = evm.hex(evm.exchange, 32) as Hash
      const cached = keys.get(address)
      if (cached === undefined) keys.set(address, [key])
      else cached.push(key)
    }
    for (
      let account = exports.lastColdAccount();
      account !== 0;
      account = evm.number(account + ACCOUNT_COLD + COLD_PREVIOUS)
    ) {
      const address = state.addressOf(account)
      if (!keys.has(address)) keys.set(address, [])
    }
    return Array.from(keys, ([address, storageKeys]) => ({ address, storageKeys }))
  }

  private begin(message: Message): void {
    const { evm, state } = this
    this.unserved = Status.DONE
    const { exports } = evm
    const to = message.to ?? createAddress(message.from, this.creationNonce(message.from))
    const from = state.pointerOf(message.from)
    const target = state.pointerOf(to)
    exports.beginTransaction()
    // Before the tracer begins: it reads the state, which may lack something.
    this.warm(message)
    this.reporter?.begin(message)
    this.writeInput(message)
    evm.setWord(evm.environment + ENV_GAS_PRICE, message.gasPrice)
    evm.setWord(evm.exchange, message.value)
    const gas = message.gasLimit > MAX_GAS ? MAX_GAS : message.gasLimit
    this.gasBeyond = message.gasLimit - gas
    this.isPrecompileDue = false
    exports.setMessage(
      from,
      target,
      message.to === null ? 1 : 0,
      gas,
      message.data.length,
      message.blobVersionedHashes.length,
      this.options.traceTransfers ? 1 : 0,
    )
  }

  /** A precompile cannot be interrupted: pause before one that may take long. */
  private pausesBeforePrecompile(): boolean {
    this.isPrecompileDue = !this.isPrecompileDue && this.evm.exports.gasLeft() > DEAR_PRECOMPILE_GAS
    return this.isPrecompileDue
  }

  /**
   * Provides what the code needs.
   *
   * @throws MissingStateError when the state does not have it yet; the exit can be served again
   */
  private serve(exit: number): void {
    const { evm, state } = this
    const { exports } = evm
    switch (exit) {
      case Status.NEED_ACCOUNT:
        state.pointerOf(evm.hex(evm.exitWord + 12, 20) as Address)
        break
      case Status.NEED_SLOT:
        state.loadedSlot(exports.exitAccount(), evm.slot(evm.exitWord))
        break
      case Status.NEED_STORAGE:
        state.loadHasStorage(exports.exitAccount())
        break
      case Status.NEED_CODE:
        state.loadCode(exports.exitAccount())
        break
      case Status.NEED_BLOCK_HASH: {
        const number = BigInt(evm.hex(evm.exitWord, 32))
        evm.setBytes32(evm.exchange, state.blockHash(Number(number)))
        exports.provideBlockHash(number)
        break
      }
      default:
        throw new Error(`the interpreter stopped for an unknown reason: ${exit}`)
    }
  }

  private runPrecompile(): number {
    const { evm } = this
    const { exports } = evm
    const result = this.contracts[exports.precompile() - 1]!(this.nativeCall())
    if (result.kind !== 'success') {
      return exports.finishPrecompile(result.kind === 'failed' ? Status.PRECOMPILE_FAILED : Status.OUT_OF_GAS, 0n, 0)
    }
    const { output, gasUsed } = result
    const position = exports.reserveOutput(output.length)
    evm.bytes.set(output, position)
    return exports.finishPrecompile(Status.STOPPED, gasUsed, output.length)
  }

  /** Rarely used members are read lazily. */
  private nativeCall(): NativeCall {
    const { evm, state } = this
    const { exports } = evm
    return {
      input: evm.copy(exports.inputAt(), exports.inputLength()),
      gas: exports.gasLeft(),
      get caller() {
        return state.addressOf(exports.frameCaller())
      },
      get self() {
        return state.addressOf(exports.frameSelf())
      },
      get value() {
        return evm.word(exports.frameValue())
      },
      get isStatic() {
        return exports.frameIsStatic() !== 0
      },
      state,
    }
  }

  private outcome(): MessageResult {
    const { exports } = this.evm
    const result = exports.result()
    const status: MessageResult['status'] =
      result === Status.STOPPED ? 'success' : result === Status.REVERTED ? 'revert' : 'halt'
    let destroyed: Address[] | undefined
    const touched: Address[] = []
    for (let account = exports.nextRemovedAccount(); account !== 0; account = exports.nextRemovedAccount()) {
      const address = this.state.addressOf(account)
      if (exports.isDestroyed(account) === 0) touched.push(address)
      else if (destroyed === undefined) destroyed = [address]
      else destroyed.push(address)
    }
    const { logs, emission } = this.logs()
    const refund = exports.refunds()
    const output = status === 'halt' ? EMPTY_BYTES : this.output()
    const gasLeft = status === 'halt' ? 0n : exports.gasLeft() + this.gasBeyond
    const outcome: Writable<MessageResult> = {
      status,
      gasLeft,
      refund,
      output,
      logs,
      emission,
      destroyed: destroyed ?? NO_ADDRESSES,
      touched,
    }
    if (status === 'halt') outcome.halt = haltReason(result, exports.invalidOpcode())
    const neededGas = status === 'success' ? exports.neededGas() : -1n
    if (neededGas >= 0n) outcome.neededGas = neededGas
    const framesOutOfGas = exports.framesOutOfGas()
    if (framesOutOfGas > 0) outcome.framesOutOfGas = framesOutOfGas
    return outcome
  }

  private output(): Bytes {
    const size = this.evm.exports.outputLength()
    return size === 0 ? EMPTY_BYTES : this.evm.copy(this.evm.exports.outputAt(), size)
  }

  private logs(): Required<Pick<MessageResult, 'logs' | 'emission'>> {
    const { evm, state, options } = this
    const count = options.withoutLogs ? 0 : evm.exports.emittedLogs()
    if (count === 0) return NO_LOGS
    const last = evm.exports.lastLog()
    let kept = 0
    for (let log = last; log !== 0; log = evm.number(log)) kept += 1
    // Allocated at full length and filled from the end.
    const logs = new Array<Log>(kept)
    const positions = new Array<number>(kept)
    for (let log = last; log !== 0; log = evm.number(log)) {
      kept -= 1
      logs[kept] = readEmittedLog(state, log)
      positions[kept] = positionOfLog(evm, log)
    }
    return { logs, emission: { positions, count } }
  }

  private creationNonce(from: Address): bigint {
    return BigInt.asUintN(64, (this.state.account(from)?.nonce ?? 0n) - 1n)
  }

  private writeInput({ data, blobVersionedHashes }: Message): void {
    const { evm } = this
    const at = evm.exports.reserveInput(data.length + 32 * blobVersionedHashes.length)
    evm.bytes.set(data, at)
    blobVersionedHashes.forEach((hash, index) => {
      evm.setBytes32(at + data.length + 32 * index, hash)
    })
  }

  private warm({ accessList, warmAddresses }: Message): void {
    if (!rulesOf(this.options.env.fork).hasAccessLists) return
    const { state } = this
    const { exports } = this.evm
    for (const address of warmAddresses) exports.warmAccount(state.pointerOf(address))
    for (const { address, storageKeys } of accessList) {
      const account = state.pointerOf(address)
      exports.warmAccount(account)
      for (const key of storageKeys) exports.warmSlot(state.loadedSlot(account, slotOfHash(key)))
    }
  }

  private writeEnvironment(): void {
    const { env, chainId } = this.options
    this.evm.environmentOf = env
    this.setEnvironment(ENV_COINBASE, BigInt(env.coinbase))
    this.setEnvironment(ENV_TIMESTAMP, env.timestamp)
    this.setEnvironment(ENV_NUMBER, BigInt(env.number))
    const { isProofOfStake } = rulesOf(env.fork)
    this.setEnvironment(ENV_PREVRANDAO, isProofOfStake ? BigInt(env.prevRandao) : env.difficulty)
    this.setEnvironment(ENV_GAS_LIMIT, env.gasLimit)
    this.setEnvironment(ENV_CHAIN_ID, chainId)
    this.setEnvironment(ENV_BASE_FEE, env.baseFee)
    this.setEnvironment(ENV_BLOB_BASE_FEE, env.blobBaseFee)
  }

  private setEnvironment(offset: number, word: bigint): void {
    this.evm.setWord(this.evm.environment + offset, word)
  }
}
