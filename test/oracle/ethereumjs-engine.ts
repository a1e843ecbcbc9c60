import type { Common } from '@ethereumjs/common'
import type { ChainConfig } from '../../src/chain/forks/chain-config.ts'
import type { Fork } from '../../src/chain/forks/forks.ts'
import { EngineSession, type LeasedInterpreter } from '../../src/engine/session/session.ts'
import type { BlockEnv, Engine, SessionOptions } from '../../src/engine/types.ts'
import type { Address } from '../../src/primitives/hex.ts'
import { StateOverlay } from '../../src/state/overlay.ts'
import type { StateReader } from '../../src/state/state-reader.ts'
import { createCommon, precompilesByFork } from './hardforks.ts'
import { EthereumjsInterpreter } from './interpreter.ts'

/** Maximum number of idle interpreters per fork; further concurrent sessions create their own. */
const MAX_IDLE_INTERPRETERS = 8

/**
 * The engine of a chain on `@ethereumjs/evm`: the oracle of the tests.
 *
 * @example
 * const session = createEthereumjsEngine({ config }).open(env, state)
 * const result = await session.execute(transaction, env.gasLimit)
 */
export function createEthereumjsEngine(options: { readonly config: ChainConfig }): Engine {
  return new EthereumjsEngine(options)
}

class EthereumjsEngine implements Engine {
  readonly config: ChainConfig
  private readonly commons = new Map<Fork, Common>()
  private readonly idle = new Map<Fork, EthereumjsInterpreter[]>()
  private precompileSets: ReadonlyMap<Fork, ReadonlySet<Address>> | undefined

  constructor(options: { readonly config: ChainConfig }) {
    this.config = options.config
  }

  open(env: BlockEnv, state: StateReader, options: SessionOptions = {}): EngineSession {
    const acquire = () => this.acquire(new StateOverlay(state), env, options)
    return new EngineSession({ env, config: this.config }, { acquire })
  }

  precompiles({ fork }: Pick<BlockEnv, 'fork'>): ReadonlySet<Address> {
    this.precompileSets ??= precompilesByFork()
    return this.precompileSets.get(fork)!
  }

  /** Interpreters are reused; one with moved precompiles serves its own session only. */
  private acquire(overlay: StateOverlay, env: BlockEnv, options: SessionOptions): LeasedInterpreter {
    const { traceTransfers = false, movedPrecompiles } = options
    const isShared = movedPrecompiles === undefined || movedPrecompiles.size === 0
    const idle = this.idleOf(env.fork)
    const waiting = isShared ? idle.pop() : undefined
    const interpreter =
      waiting ??
      new EthereumjsInterpreter(movedPrecompiles === undefined ? {} : { movedPrecompiles }, {
        common: this.common(env.fork),
        overlay,
        env,
      })
    interpreter.attach(overlay, env, traceTransfers, options.tracer)
    const release = () => {
      if (isShared && idle.length < MAX_IDLE_INTERPRETERS) idle.push(interpreter)
    }
    return { state: overlay, interpreter, release }
  }

  private idleOf(fork: Fork): EthereumjsInterpreter[] {
    let idle = this.idle.get(fork)
    if (idle === undefined) {
      idle = []
      this.idle.set(fork, idle)
    }
    return idle
  }

  private common(fork: Fork): Common {
    let common = this.commons.get(fork)
    if (common === undefined) {
      common = createCommon(this.config.chainId, fork)
      this.commons.set(fork, common)
    }
    return common
  }
}
