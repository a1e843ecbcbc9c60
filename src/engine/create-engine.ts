import { randomBytes } from 'node:crypto'
import type { ChainConfig } from '../chain/chain-config.ts'
import { FORKS, type Fork, isActive } from '../chain/forks.ts'
import type { Address, Bytes } from '../primitives/hex.ts'
import { bytesToBigint } from '../primitives/quantity.ts'
import type { StateReader } from '../state/state-reader.ts'
import { bindPrecompile } from './evm/bound-precompile.ts'
import { Evm } from './evm/evm.ts'
import { TraceReporter } from './evm/trace-reporter.ts'
import { createTracedEvm, type TracedEvm } from './evm/traced-evm.ts'
import { WasmInterpreter, type WasmInterpreterOptions } from './evm/wasm-interpreter.ts'
import { type AddressRole, WasmState } from './evm/wasm-state.ts'
import type { NativeContract } from './native-contract.ts'
import { precompilesOf } from './precompiles/active-precompiles.ts'
import { EngineSession, type Workplace } from './session.ts'
import type { BlockEnv, Engine, SessionOptions } from './types.ts'

/** Instances that wait for a session, at most; more sessions than that at once make their own. */
const MAX_IDLE = 8
/** An instance whose memory has grown beyond this is not kept: WebAssembly's memory never shrinks. */
const MAX_IDLE_BYTES = 64 << 20
/** All that wait together: a few hostile calls at once must not leave their memory behind. */
const MAX_ALL_IDLE_BYTES = 128 << 20

export interface EngineOptions {
  readonly config: ChainConfig
  /** By the address that they answer at, on every fork; they are always warm. */
  readonly nativeContracts?: ReadonlyMap<Address, NativeContract>
}

/**
 * The engine of a chain.
 *
 * @example
 * const session = createEngine({ config }).open(env, state)
 * const result = await session.execute(transaction, env.gasLimit)
 */
export function createEngine(options: EngineOptions, parts: EngineParts = { randomBytes }): Engine {
  return new WasmEngine(options, parts)
}

export interface EngineParts {
  /** Seeds hash tables, so that nobody who chooses addresses and slots may choose where they collide. */
  readonly randomBytes: (size: number) => Bytes
}

/** What an address is in a session, and what answers there in the order of the numbers it has. */
interface Roles {
  readonly roles: ReadonlyMap<Address, AddressRole>
  readonly contracts: readonly NativeContract[]
}

class WasmEngine implements Engine {
  readonly config: ChainConfig
  private readonly randomBytes: EngineParts['randomBytes']
  private readonly idle: Evm[] = []
  private readonly idleTraced: TracedEvm[] = []
  private readonly usualRoles = new Map<Fork, Roles>()

  private readonly nativeContracts: ReadonlyMap<Address, NativeContract>

  constructor(options: EngineOptions, parts: EngineParts) {
    this.config = options.config
    this.randomBytes = parts.randomBytes
    this.nativeContracts = options.nativeContracts ?? new Map()
  }

  open(env: BlockEnv, state: StateReader, options: SessionOptions = {}): EngineSession {
    const { tracer } = options
    const acquire = () => (tracer ? this.acquireTraced(env, state, options, tracer) : this.acquire(env, state, options))
    return new EngineSession({ env, config: this.config, mayContinue: options.mayContinue }, { acquire })
  }

  precompiles(fork: Fork): ReadonlySet<Address> {
    return new Set([...precompilesOf(fork).keys(), ...this.nativeContracts.keys()])
  }

  private acquire(env: BlockEnv, base: StateReader, options: SessionOptions): Workplace {
    const evm = this.idle.pop() ?? new Evm({ seed: this.seed() })
    const { state, contracts } = this.prepare(evm, env, base, options)
    const interpreter = new WasmInterpreter(this.interpreterOptions(env, options), { state, contracts })
    const release = (isBroken: boolean) => {
      state.close()
      if (!isBroken && this.mayWait(evm)) this.idle.push(evm)
    }
    return { state, interpreter, release }
  }

  private acquireTraced(
    env: BlockEnv,
    base: StateReader,
    options: SessionOptions,
    nextTracer: NonNullable<SessionOptions['tracer']>,
  ): Workplace {
    const traced = this.idleTraced.pop() ?? createTracedEvm({ seed: this.seed() })
    const { state, contracts } = this.prepare(traced.evm, env, base, options)
    const reporter = new TraceReporter({ state, nextTracer })
    traced.hooks = reporter
    const interpreter = new WasmInterpreter(this.interpreterOptions(env, options), { state, contracts, reporter })
    const release = (isBroken: boolean) => {
      state.close()
      traced.hooks = undefined
      if (!isBroken && this.mayWait(traced.evm)) this.idleTraced.push(traced)
    }
    return { state, interpreter, release }
  }

  /** Of an instance's hash tables. */
  private seed(): bigint {
    return bytesToBigint(this.randomBytes(8))
  }

  private prepare(evm: Evm, env: BlockEnv, base: StateReader, options: SessionOptions) {
    evm.exports.openSession(FORKS.indexOf(env.fork))
    const { roles, contracts } = this.rolesIn(env.fork, options.movedPrecompiles)
    return { state: new WasmState({ evm, base, roles }), contracts }
  }

  private interpreterOptions(env: BlockEnv, { traceTransfers = false }: SessionOptions): WasmInterpreterOptions {
    return { env, chainId: this.config.chainId, traceTransfers }
  }

  /** Whether an instance is kept for another session. */
  private mayWait(evm: Evm): boolean {
    const idle = [...this.idle, ...this.idleTraced.map((traced) => traced.evm)]
    const bytes = evm.exports.memoryBytes()
    if (bytes > MAX_IDLE_BYTES || idle.length >= MAX_IDLE) return false
    return idle.reduce((sum, { exports }) => sum + exports.memoryBytes(), bytes) <= MAX_ALL_IDLE_BYTES
  }

  private rolesIn(fork: Fork, moved: SessionOptions['movedPrecompiles']): Roles {
    if (moved !== undefined && moved.size > 0) return rolesOf(this.contractsOf(fork), fork, moved)
    let roles = this.usualRoles.get(fork)
    if (roles === undefined) {
      roles = rolesOf(this.contractsOf(fork), fork, new Map())
      this.usualRoles.set(fork, roles)
    }
    return roles
  }

  private contractsOf(fork: Fork): ReadonlyMap<Address, NativeContract> {
    const precompiles = [...precompilesOf(fork)].map(
      ([address, precompile]) => [address, bindPrecompile(precompile, fork)] as const,
    )
    return new Map([...precompiles, ...this.nativeContracts])
  }
}

function rolesOf(
  active: ReadonlyMap<Address, NativeContract>,
  fork: Fork,
  moved: ReadonlyMap<Address, Address | null>,
): Roles {
  const numbers = new Map([...active.keys()].map((address, index) => [address, index + 1]))
  const placed = new Map<Address, number>()
  for (const [address, number] of numbers) if (!moved.has(address)) placed.set(address, number)
  for (const [from, to] of moved) {
    const number = numbers.get(from)
    if (number !== undefined && to !== null) placed.set(to, number)
  }
  // Those of the fork are warm wherever overrides put them (go-ethereum).
  const isAlwaysWarm = (address: Address) => active.has(address) && isActive(fork, 'berlin')
  const roles = new Map<Address, AddressRole>()
  for (const address of [...active.keys(), ...placed.keys()]) {
    roles.set(address, { precompile: placed.get(address) ?? 0, isAlwaysWarm: isAlwaysWarm(address) })
  }
  return { roles, contracts: [...active.values()] }
}
