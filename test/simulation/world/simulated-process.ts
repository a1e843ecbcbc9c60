import { Script } from 'node:vm'
import type { Verification } from '../../../src/node/tools/verify-chain.ts'
import type { NodeAccess } from '../guest/node-access.ts'
import type { HandedConnection, Simulation } from '../guest/simulation.ts'
import { natsModules } from '../nats/nats-modules.ts'
import type { MachineClock } from './machine-clock.ts'
import type { SimulatedNetwork } from './network.ts'
import { processModules } from './process-modules.ts'
import type { Random } from './random.ts'
import type { Actor, Scheduler } from './scheduler.ts'
import { simulatedFetch } from './simulated-fetch.ts'
import { type ProcessTime, simulatedGlobals } from './simulated-globals.ts'
import { type AcceptedConnection, portModule } from './simulated-port.ts'
import { SimulatedSocket } from './simulated-socket.ts'

/** The compiled program of a node. */
export interface CompiledProgram {
  /** Evaluates the script with names of its own. */
  readonly evaluate: (values: Readonly<Record<string, unknown>>) => void
  readonly hasAddons: boolean
}

interface ProgramExports {
  start(): Promise<NodeAccess>
  read(): Promise<NodeAccess>
  verify(): Promise<Verification | undefined>
}

/** Names that the script of a process reads besides the globals. */
const SCRIPT_NAMES = ['require', 'module', 'exports', 'simulatedWorld']

/** The name of the script in stacks and in coverage. */
export const PROGRAM_FILE = 'simulated-node.js'
/** After the code of the program in its script. */
export const PROGRAM_TAIL = '\n})'

/**
 * @param code of `buildProgram`
 * @param hasAddons whether its processes load pure native addons, which are faster than WebAssembly and give the same
 */
export function compileProgram(code: string, hasAddons = true): CompiledProgram {
  const time = {
    monotonic: () => 0,
    wall: () => 0,
    random: () => 0,
    randomBytes: () => Buffer.alloc(0),
    after: () => () => {},
  }
  const noFetch = () => Promise.reject(new Error('no process fetches'))
  const names = [...SCRIPT_NAMES, ...Object.keys(simulatedGlobals(time, () => undefined, noFetch))]
  const script = new Script(`(function (${names.join(', ')}) { 'use strict';${code}${PROGRAM_TAIL}`, {
    filename: PROGRAM_FILE,
  })
  const evaluate = script.runInThisContext() as (...values: unknown[]) => void
  return { evaluate: (values) => evaluate(...names.map((name) => values[name])), hasAddons }
}

export interface ProcessDeps {
  readonly program: CompiledProgram
  readonly scheduler: Scheduler
  readonly network: SimulatedNetwork
  readonly random: Random
  readonly clock: MachineClock
}

/** Services of the world for a process, besides its connections. */
export interface ProcessWorld extends Omit<Simulation, 'listen' | 'handed' | 'name'> {
  /** In place of `fork` of `node:cluster`. */
  readonly fork: () => unknown
}

/** @param socket an `AcceptedConnection` */
function handed(socket: unknown): HandedConnection {
  const { end } = socket as AcceptedConnection
  const open = () => {
    end.open()
    return new SimulatedSocket(end, true)
  }
  return { path: end.path, open }
}

/**
 * One life of a node: its own copy of all modules, its own time and randomness. It ends with `kill`; nothing of it
 * happens after that.
 */
export class SimulatedProcess implements Actor {
  readonly name: string
  readonly #deps: ProcessDeps
  readonly #startedAt: number
  pausedUntil = 0
  isAlive = true
  /** Present once the node is open, or the reader serves clients. */
  access: NodeAccess | undefined
  mayLagUntil = 0

  constructor(name: string, deps: ProcessDeps) {
    this.name = name
    this.#deps = deps
    this.#startedAt = deps.scheduler.now
  }

  /** Evaluates the program and opens its node. */
  async start(world: ProcessWorld): Promise<NodeAccess> {
    this.access = await this.#load(world).start()
    return this.access
  }

  /** Evaluates the program and opens a reader. Resolves when it serves clients. */
  async read(world: ProcessWorld): Promise<NodeAccess> {
    const access = await this.#load(world).read()
    if (this.isAlive) this.access = access
    return access
  }

  /** Evaluates the program and verifies its disk. */
  verify(world: ProcessWorld): Promise<Verification | undefined> {
    return this.#load(world).verify()
  }

  #load({ fork, ...world }: ProcessWorld): ProgramExports {
    const { program, network, scheduler } = this.#deps
    const listen: Simulation['listen'] = (accept) =>
      network.listen(this, (path, end) => accept(path, new SimulatedSocket(end, true)))
    const simulatedWorld: Simulation = { ...world, name: this.name, listen, handed }
    const time = this.#time()
    const modules = processModules(
      time,
      {
        ...natsModules({ actor: this, network, scheduler }),
        ws: { WebSocket: this.#webSocket() },
        'node:cluster': { setupPrimary: () => undefined, fork },
        'node:net': portModule(this, { network, scheduler }),
      },
      program.hasAddons,
    )
    const module = { exports: {} as ProgramExports }
    const require = (name: string) => modules[name]
    const globals = simulatedGlobals(
      time,
      (text) => world.log('console', text, undefined),
      simulatedFetch(this, network),
    )
    program.evaluate({ ...globals, require, module, exports: module.exports, simulatedWorld })
    return module.exports
  }

  kill(): void {
    this.isAlive = false
    this.access = undefined
  }

  #time(): ProcessTime {
    const { scheduler, random, clock } = this.#deps
    return {
      monotonic: () => scheduler.now - this.#startedAt,
      wall: () => clock.wall(),
      random: random.next,
      randomBytes: (size) => random.bytes(size),
      after: (delayMs, label, action) => scheduler.after(delayMs, this, label, action),
    }
  }

  /** The class that the process gets as `WebSocket` of `ws`. */
  #webSocket() {
    const { network } = this.#deps
    const process = this
    return class extends SimulatedSocket {
      constructor(url: string) {
        const { hostname, pathname } = new URL(url)
        const end = network.connect(process, hostname, pathname, () => this.opened())
        super(end, false)
      }
    }
  }
}
