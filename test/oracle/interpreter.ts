import type { Common } from '@ethereumjs/common'
import {
  type CustomPrecompile,
  EVMError,
  type EVMResult,
  type EVMRunCallOpts,
  getActivePrecompiles,
  NobleBN254,
  type PrecompileInput,
} from '@ethereumjs/evm'
import { Address as AddressObject } from '@ethereumjs/util'
import { type Fork, includesFork } from '../../src/chain/forks/forks.ts'
import type { Log } from '../../src/chain/receipt/log.ts'
import type { AccessList } from '../../src/chain/transaction/transaction.ts'
import type { Interpreter, Message, MessageResult } from '../../src/engine/interpreter.ts'
import type { Precompile } from '../../src/engine/precompile.ts'
import { precompilesOf } from '../../src/engine/precompiles/registry.ts'
import type { BlockEnv, SessionOptions } from '../../src/engine/types.ts'
import { type Address, bytesToHex, EMPTY_BYTES, type Hash, hexToBytes } from '../../src/primitives/hex.ts'
import type { StateOverlay } from '../../src/state/overlay.ts'
import { haltReason } from './halt-reason.ts'
import { OverlayStateManager } from './state-manager.ts'
import { traceSteps } from './step-events.ts'
import { TracingEvm } from './tracing-evm.ts'

export interface InterpreterOptions {
  /** See `SessionOptions`. */
  readonly movedPrecompiles?: ReadonlyMap<Address, Address | null>
}

/**
 * `@ethereumjs/evm` behind our `Interpreter`, the only one that is asynchronous. Creating one takes half a millisecond,
 * so an engine keeps it and attaches it to the next session.
 */
export class EthereumjsInterpreter implements Interpreter {
  private readonly evm: TracingEvm
  private readonly state: OverlayStateManager
  private readonly precompiles: readonly string[]
  private overlay: StateOverlay
  private env: BlockEnv
  private nextTracer: NonNullable<SessionOptions['tracer']> = () => undefined
  private block: NonNullable<EVMRunCallOpts['block']>

  constructor(options: InterpreterOptions, deps: { common: Common; overlay: StateOverlay; env: BlockEnv }) {
    const { common, overlay, env } = deps
    this.overlay = overlay
    this.env = env
    this.block = blockOf(env)
    this.state = new OverlayStateManager(overlay)
    this.evm = new TracingEvm({
      common,
      stateManager: this.state,
      blockchain: this.blockchain(),
      bn254: new NobleBN254(),
      customPrecompiles: customPrecompiles(common, env, options.movedPrecompiles ?? new Map()),
    })
    this.evm.takeSelfDestruct = () => this.state.takeSelfDestruct()
    // Our Common never changes its fork; its listeners would keep every EVM created from it alive.
    common.events.removeAllListeners()
    // The precompiles of the fork are warm wherever overrides moved them, as in go-ethereum.
    this.precompiles = [...getActivePrecompiles(common, ownPrecompiles(env)).keys()]
  }

  /** Attaches it to another session of the same fork. */
  attach(
    overlay: StateOverlay,
    env: BlockEnv,
    traceTransfers: boolean,
    nextTracer: SessionOptions['tracer'] = () => undefined,
  ): void {
    this.nextTracer = nextTracer
    this.overlay = overlay
    this.env = env
    this.block = blockOf(env)
    this.state.attach(overlay)
    this.evm.traceTransfers = traceTransfers
  }

  async run(message: Message): Promise<MessageResult> {
    this.state.beginTransaction()
    this.evm.journal.cleanJournal()
    this.evm.journal.startReportingAccessList()
    this.evm.transientStorage.clear()
    this.warm(message)
    const checkpoint = this.overlay.checkpoint()
    const tracer = this.nextTracer()
    tracer?.onBegin?.(message)
    const stopTelling = tracer && traceSteps(this.evm, tracer)
    try {
      const result = await this.evm.runCall({
        block: this.block,
        caller: addressObject(message.from),
        origin: addressObject(message.from),
        to: message.to === null ? undefined : addressObject(message.to),
        gasLimit: message.gasLimit,
        gasPrice: message.gasPrice,
        value: message.value,
        data: new Uint8Array(message.data),
        blobVersionedHashes: [...message.blobVersionedHashes],
        skipNonceIncrement: true,
      })
      this.overlay.commit()
      return this.outcome(message, result)
    } catch (error) {
      this.overlay.revert(checkpoint)
      throw error
    } finally {
      stopTelling?.()
    }
  }

  coldAccesses(): AccessList {
    return Array.from(this.evm.journal.accessList ?? [], ([address, keys]) => ({
      address: `0x${address}` as Address,
      storageKeys: Array.from(keys, (key) => `0x${key}` as Hash),
    }))
  }

  private warm(message: Message): void {
    if (!includesFork(this.env.fork, 'berlin')) return
    const { journal } = this.evm
    for (const address of this.precompiles) journal.addAlwaysWarmAddress(address)
    for (const address of message.warmAddresses) journal.addAlwaysWarmAddress(address)
    for (const { address, storageKeys } of message.accessList) {
      journal.addAlwaysWarmAddress(address)
      for (const key of storageKeys) journal.addAlwaysWarmSlot(address, key)
    }
  }

  resume(): never {
    throw new Error('this interpreter never pauses')
  }

  private outcome(message: Message, { execResult }: EVMResult): MessageResult {
    const error = this.isEmptyCreation(execResult) ? undefined : execResult.exceptionError
    const status = error === undefined ? 'success' : error.error === EVMError.errorMessages.REVERT ? 'revert' : 'halt'
    return {
      status,
      ...(status === 'halt' && error !== undefined && { halt: haltReason(error, execResult) }),
      gasLeft: message.gasLimit - execResult.executionGasUsed,
      refund: execResult.gasRefund ?? 0n,
      output: status === 'halt' ? EMPTY_BYTES : execResult.returnValue,
      logs: (execResult.logs ?? []).map(toLog),
      destroyed: this.destroyed(execResult),
      touched: this.state.touched(),
    }
  }

  /** In Frontier a creation that cannot pay for its code creates a contract without code instead of failing (EIP-2). */
  private isEmptyCreation({ exceptionError }: EVMResult['execResult']): boolean {
    return this.env.fork === 'frontier' && exceptionError?.error === EVMError.errorMessages.CODESTORE_OUT_OF_GAS
  }

  private destroyed({ selfdestruct, createdAddresses }: EVMResult['execResult']): readonly Address[] {
    const addresses = [...(selfdestruct?.keys() ?? [])] as Address[]
    if (!includesFork(this.env.fork, 'cancun')) return addresses
    return addresses.filter((address) => createdAddresses?.has(address))
  }

  private blockchain(): NonNullable<ConstructorParameters<typeof TracingEvm>[0]['blockchain']> {
    const blockchain = {
      getBlock: async (number: number) => ({ hash: () => hexToBytes(this.overlay.blockHash(number)) }),
      putBlock: async () => {},
      shallowCopy: () => blockchain,
    }
    return blockchain
  }
}

function blockOf(env: BlockEnv): NonNullable<EVMRunCallOpts['block']> {
  return {
    header: {
      number: BigInt(env.number),
      coinbase: addressObject(env.coinbase),
      timestamp: env.timestamp,
      difficulty: env.difficulty,
      prevRandao: hexToBytes(env.prevRandao),
      gasLimit: env.gasLimit,
      baseFeePerGas: env.baseFee,
      getBlobGasPrice: () => env.blobBaseFee,
    },
  }
}

function customPrecompiles(
  common: Common,
  env: BlockEnv,
  moved: ReadonlyMap<Address, Address | null>,
): CustomPrecompile[] {
  const own = ownPrecompiles(env)
  if (moved.size === 0) return own
  const active = getActivePrecompiles(common, own)
  // Deletions first: one precompile may move to the former address of another.
  const deletions = [...moved.keys()].map((from) => ({ address: from }))
  const additions = [...moved].flatMap(([from, to]) => {
    const run = active.get(from.slice(2))
    return run === undefined || to === null ? [] : [{ address: to, function: run }]
  })
  return [...own, ...deletions, ...additions]
}

/** Our implementations: those of the interpreter take up to twenty times as long at their worst. */
function ownPrecompiles({ fork }: BlockEnv): CustomPrecompile[] {
  return Array.from(precompilesOf(fork), ([address, precompile]) => ({
    address,
    function: (input: PrecompileInput) => runPrecompile(precompile, fork, input),
  }))
}

function runPrecompile(
  precompile: Precompile,
  fork: Fork,
  { data, gasLimit }: PrecompileInput,
): EVMResult['execResult'] {
  const failed = (error: EVMError) => ({
    returnValue: EMPTY_BYTES,
    executionGasUsed: gasLimit,
    exceptionError: error,
  })
  const gas = precompile.gas(data, fork)
  if (gasLimit < gas) return failed(new EVMError(EVMError.errorMessages.OUT_OF_GAS))
  const output = precompile.run(data, fork)
  if (output === undefined) return failed(new EVMError(EVMError.errorMessages.INVALID_PROOF))
  return { returnValue: output, executionGasUsed: gas }
}

function addressObject(address: Address): AddressObject {
  return new AddressObject(hexToBytes(address))
}

function toLog([address, topics, data]: [Uint8Array, Uint8Array[], Uint8Array]): Log {
  return {
    address: bytesToHex(address) as Address,
    topics: topics.map((topic) => bytesToHex(topic) as Hash),
    data,
  }
}
