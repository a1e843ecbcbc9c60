import { randomBytes } from 'node:crypto'
import { B20_HOST_ADDRESS } from '../../chain/b20/addresses.ts'
import { nativeTokenCode } from '../../chain/b20/native-code.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import type { Fork } from '../../chain/forks/forks.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import type { Upgrade } from '../../chain/forks/upgrades.ts'
import { codeSizeLimit } from '../../chain/transaction/transaction-limits.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import type { StateReader } from '../../state/state-reader.ts'
import type { AddressRole, AddressRoles } from '../evm/address-roles.ts'
import { EvmInstances } from '../evm/evm-instances.ts'
import { TraceReporter } from '../evm/trace-reporter.ts'
import { WasmInterpreter, type WasmInterpreterOptions } from '../evm/wasm-interpreter.ts'
import type { NativeContract } from '../native-contract.ts'
import { bindPrecompile } from '../precompile.ts'
import { precompilesOf } from '../precompiles/registry.ts'
import type { BlockEnv, Engine, SessionOptions } from '../types.ts'
import { nativeTokenHost, withNativeTokens } from './native-tokens.ts'
import { EngineSession, type LeasedInterpreter } from './session.ts'

export interface EngineOptions {
  readonly config: ChainConfig
  /** By address, on every fork; always warm. */
  readonly nativeContracts?: ReadonlyMap<Address, NativeContract>
}

/**
 * The engine of a chain.
 *
 * @example
 * const session = createEngine({ config }).open(env, state)
 * const result = await session.execute(transaction, env.gasLimit)
 */
export function createEngine(options: EngineOptions, deps: EngineDeps = { randomBytes }): Engine {
  return new WasmEngine(options, deps)
}

export interface EngineDeps {
  /** Seeds the hash tables, so that an attacker who chooses addresses and slots cannot choose collisions. */
  readonly randomBytes: (size: number) => Bytes
}

/** Roles of addresses in a session, and the native contracts in the order of their numbers. */
interface Roles {
  readonly roles: AddressRoles
  readonly contracts: readonly NativeContract[]
}

class WasmEngine implements Engine {
  readonly config: ChainConfig
  private readonly instances: EvmInstances
  private readonly usualRoles = new Map<Fork | Upgrade, Roles>()
  private readonly usualPrecompiles = new Map<Fork | Upgrade, ReadonlySet<Address>>()
  private readonly nativeContracts: ReadonlyMap<Address, NativeContract>

  constructor(options: EngineOptions, deps: EngineDeps) {
    this.config = options.config
    this.instances = new EvmInstances(
      { codeSizeLimit: codeSizeLimit(options.config) },
      { seed: () => bytesToBigint(deps.randomBytes(8)) },
    )
    this.nativeContracts = options.nativeContracts ?? new Map()
  }

  open(env: BlockEnv, state: StateReader, options: SessionOptions = {}): EngineSession {
    const { tracer, mayContinue, missingState, awaitState } = options
    const acquire = () => (tracer ? this.acquireTraced(env, state, options, tracer) : this.acquire(env, state, options))
    return new EngineSession({ env, config: this.config, mayContinue, missingState, awaitState }, { acquire })
  }

  precompiles(env: ForkRules): ReadonlySet<Address> {
    const key = keyOf(env)
    let addresses = this.usualPrecompiles.get(key)
    if (addresses === undefined) {
      addresses = new Set([...precompilesOf(env.fork, env.layer2).keys(), ...this.nativeContracts.keys()])
      this.usualPrecompiles.set(key, addresses)
    }
    return addresses
  }

  private acquire(env: BlockEnv, base: StateReader, options: SessionOptions): LeasedInterpreter {
    const { roles, contracts } = this.rolesIn(env, options.movedPrecompiles)
    const { state, release } = this.instances.acquire({ base, fork: env.fork, roles })
    const interpreter = new WasmInterpreter(this.interpreterOptions(env, options), { state, contracts })
    return { state, interpreter, release }
  }

  private acquireTraced(
    env: BlockEnv,
    base: StateReader,
    options: SessionOptions,
    nextTracer: NonNullable<SessionOptions['tracer']>,
  ): LeasedInterpreter {
    const { roles, contracts } = this.rolesIn(env, options.movedPrecompiles)
    const { state, traced, release } = this.instances.acquireTraced({ base, fork: env.fork, roles })
    const reporter = new TraceReporter({ state, nextTracer })
    traced.hooks = reporter
    const interpreter = new WasmInterpreter(this.interpreterOptions(env, options), { state, contracts, reporter })
    return { state, interpreter, release }
  }

  private interpreterOptions(env: BlockEnv, options: SessionOptions): WasmInterpreterOptions {
    const { traceTransfers = false, withoutLogs = false } = options
    return { env, chainId: this.config.chainId, traceTransfers, withoutLogs }
  }

  private rolesIn(env: ForkRules, moved: SessionOptions['movedPrecompiles']): Roles {
    if (moved !== undefined && moved.size > 0) return this.buildRoles(env, moved)
    const key = keyOf(env)
    let roles = this.usualRoles.get(key)
    if (roles === undefined) {
      roles = this.buildRoles(env, new Map())
      this.usualRoles.set(key, roles)
    }
    return roles
  }

  private buildRoles(env: ForkRules, moved: ReadonlyMap<Address, Address | null>): Roles {
    const { roles, contracts } = addressRoles(this.contractsOf(env), env.fork, moved)
    const tokens = nativeTokenCode(env.layer2?.upgrade)
    return { roles: tokens === undefined ? roles : withNativeTokens(roles, tokens), contracts }
  }

  private contractsOf({ fork, layer2 }: ForkRules): ReadonlyMap<Address, NativeContract> {
    const precompiles = [...precompilesOf(fork, layer2)].map(
      ([address, precompile]) => [address, bindPrecompile(precompile, fork)] as const,
    )
    const hasNativeTokens = nativeTokenCode(layer2?.upgrade) !== undefined
    const hosts = hasNativeTokens ? [[B20_HOST_ADDRESS, nativeTokenHost] as const] : []
    return new Map<Address, NativeContract>([...precompiles, ...hosts, ...this.nativeContracts])
  }
}

type ForkRules = Pick<BlockEnv, 'fork' | 'layer2'>

/** The upgrade determines the fork. */
function keyOf({ fork, layer2 }: ForkRules): Fork | Upgrade {
  return layer2?.upgrade ?? fork
}

function addressRoles(
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
  // The precompiles of the fork are warm wherever overrides moved them, as in go-ethereum.
  const isAlwaysWarm = (address: Address) => active.has(address) && rulesOf(fork).hasAccessLists
  const roles = new Map<Address, AddressRole>()
  for (const address of [...active.keys(), ...placed.keys()]) {
    roles.set(address, { precompile: placed.get(address) ?? 0, isAlwaysWarm: isAlwaysWarm(address) })
  }
  return { roles, contracts: [...active.values()] }
}
