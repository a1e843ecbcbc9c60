import { pino } from 'pino'
import { expect } from 'vitest'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import { systemClock } from '../../src/node/core/clock.ts'
import { createSchedule } from '../../src/node/production/building/schedule.ts'
import type { Lease } from '../../src/node/roles/failover/lease.ts'
import type { FailoverHandle } from '../../src/node/roles/node-handle.ts'
import type { NodeDeps, NodeSettings } from '../../src/node/roles/node-settings.ts'
import { openNode } from '../../src/node/roles/open-node.ts'
import type { FailoverRole } from '../../src/node/roles/role.ts'
import { DEFAULT_POOL_OPTIONS } from '../../src/pool/options.ts'
import type { Hash } from '../../src/primitives/hex.ts'
import { natsLog, natsSource } from './nats.ts'

/** A lease that a test passes from one node to another. */
export class HandedLease {
  /** Names of the nodes that hold the lease; more than one only in tests of fencing. */
  readonly holders = new Set<string>()

  of(name: string): Lease {
    const { holders } = this
    return {
      get holder() {
        return [...holders][0]
      },
      hold: async () => holders.has(name),
      release: async () => {
        holders.delete(name)
      },
      pass: async ({ name: next }) => {
        const isPassed = holders.delete(name)
        if (isPassed) holders.add(next)
        return isPassed
      },
      takeBack: async () => {
        holders.clear()
        holders.add(name)
        return true
      },
      close: async () => {},
    }
  }

  give(...names: readonly string[]): void {
    this.holders.clear()
    for (const name of names) this.holders.add(name)
  }
}

export interface CandidateOptions {
  readonly url: string
  readonly name: string
  readonly lease: Lease
  readonly directory?: string
  readonly settings?: Partial<NodeSettings>
  readonly role?: Partial<FailoverRole>
  readonly leading?: Partial<FailoverRole['leading']>
  readonly deps?: Partial<NodeDeps>
}

/** One of several nodes of the usual test network, on the real clock; blocks of one second. */
export function startCandidate({
  url,
  name,
  lease,
  directory,
  settings,
  role,
  leading,
  deps,
}: CandidateOptions): Promise<FailoverHandle> {
  const { genesis } = createNetwork()
  const log = pino({ level: 'silent' })
  return openNode(
    { genesis, directory, history: 'all', replayBlocks: 64, maxBlocksBehind: 8, ...settings },
    {
      kind: 'failover',
      name,
      leaseTiming: { pollIntervalMs: 10, renewIntervalMs: 10, graceMs: 0 },
      submitTimeoutMs: 30_000,
      replicatedLog: natsLog(url, { tellsLoss: true }),
      source: natsSource(url),
      lease,
      ...role,
      leading: {
        schedule: createSchedule(1000, 100),
        gasLimit: genesis.header.gasLimit,
        timeBudget: 0.6,
        finalityDepth: 64,
        pool: DEFAULT_POOL_OPTIONS,
        ...leading,
      },
    },
    { clock: systemClock, log, ...deps },
  )
}

/** Resolves when a node has a role. */
export async function hasRole(candidate: FailoverHandle, role: FailoverHandle['failover']['role']): Promise<void> {
  while (candidate.failover.role !== role) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves when a node's view satisfies a condition; checked on every flashblock. */
export function comesToShow(candidate: FailoverHandle, isSo: (candidate: FailoverHandle) => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (!isSo(candidate)) return
      candidate.events.off('flashblock', look)
      resolve()
    }
    candidate.events.on('flashblock', look)
    look()
  })
}

/** Records events of a node, and asserts that none is repeated or missing. */
export function listen(candidate: FailoverHandle) {
  const received: { readonly number: number; readonly index: number; readonly hash: Hash }[] = []
  const sealed: Hash[] = []
  candidate.events.on('flashblock', ({ layer, block }) => {
    const { number } = layer.header
    const before = received.at(-1)
    if (before !== undefined) {
      const next = number === before.number ? before.index + 1 : 0
      expect({ number, index: layer.index }).toEqual({ number: next === 0 ? before.number + 1 : number, index: next })
    }
    received.push({ number, index: layer.index, hash: block.hash })
  })
  candidate.events.on('sealed', ({ block }) => sealed.push(block.hash))
  return { received, sealed }
}

export const latestOf = (candidate: FailoverHandle) => candidate.view().head.sealed.latest
export const hashAt = (candidate: FailoverHandle, number: number) =>
  candidate.view().blockHash({ kind: 'number', number })

export async function expectOneChain(...candidates: readonly FailoverHandle[]): Promise<void> {
  const height = Math.max(...candidates.map(latestOf))
  for (const candidate of candidates) await comesToShow(candidate, (one) => latestOf(one) >= height)
  for (let number = 1; number <= height; number++) {
    expect(new Set(candidates.map((one) => hashAt(one, number))).size, `block ${number}`).toBe(1)
  }
}
