import { SimulatedNetwork } from './network.ts'
import { Random } from './random.ts'
import { type Actor, Scheduler } from './scheduler.ts'
import type { Trace } from './trace.ts'

/** The parts that all processes of a simulation share. */
export interface World {
  readonly random: Random
  readonly trace: Trace
  readonly scheduler: Scheduler
  readonly network: SimulatedNetwork
}

/** Owner of effects that always happen: faults, and parts that cannot crash. */
export const NATURE: Actor = { name: 'world', isAlive: true, pausedUntil: 0 }

export function createWorld(seed: number, trace: Trace): World {
  const random = new Random(seed)
  const scheduler = new Scheduler({ random: random.fork(), trace })
  const network = new SimulatedNetwork({ latencyMs: 1 }, { scheduler, random: random.fork(), trace })
  return { random, trace, scheduler, network }
}
