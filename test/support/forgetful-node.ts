import { pino } from 'pino'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import type { DataDirectory } from '../../src/node/core/data-directory.ts'
import { createSchedule } from '../../src/node/production/building/schedule.ts'
import type { LeaderSettings, NodeSettings } from '../../src/node/roles/node-settings.ts'
import { openNode } from '../../src/node/roles/open-node.ts'
import { DEFAULT_POOL_OPTIONS } from '../../src/pool/options.ts'
import { TABLE_NAMES, type TableName } from '../../src/state/chain-store/encoding/tables.ts'
import type { KeyValueStore } from '../../src/storage/key-value.ts'
import { openSegmentLog } from '../../src/storage/segment-log.ts'
import { ForgetfulDisk } from './forgetful-disk.ts'
import { ManualClock } from './manual-clock.ts'
import type { ManualNode } from './manual-node.ts'
import { MemoryStore } from './memory-store.ts'
import { PowerSupply } from './power-supply.ts'

/** Flashblocks with user transactions in a block. */
export const SLOTS = 4
export const SENDERS = DEVELOPMENT_ACCOUNTS.slice(0, 3)

export interface ForgetfulNodeOptions {
  /** Whether the record log syncs before it reports records as durable. */
  readonly sync?: boolean
  /** File size of the record log: small, so that old files are removed too. */
  readonly segmentBytes?: number
  readonly settings?: Partial<NodeSettings>
  readonly leading?: Partial<LeaderSettings>
  /** Wraps the store of the node. */
  readonly wrapStore?: (store: KeyValueStore<TableName>) => KeyValueStore<TableName>
}

/** Few accounts and no contracts, so that a test can create a thousand chains. */
function smallGenesis(): NodeSettings['genesis'] {
  const { genesis } = createNetwork()
  return { ...genesis, alloc: new Map(SENDERS.map(({ address }) => [address, genesis.alloc.get(address)!])) }
}

const GENESIS = smallGenesis()

/** A data directory that survives its nodes and loses unsynced data on power loss. */
export class ForgetfulDirectory {
  readonly power = new PowerSupply()
  readonly disk = new ForgetfulDisk({}, { power: this.power })
  readonly store = new MemoryStore<TableName>({ tables: TABLE_NAMES }, { power: this.power })
  /** Whether commits to the store wait until the node is dead. */
  holdCommits = false
  /** The clock of each node starts after any possible time of the previous one. */
  #wall = Date.UTC(2026, 0, 1)

  /** A real node on this directory with a manual clock. */
  async open(options: ForgetfulNodeOptions = {}): Promise<ManualNode> {
    const clock = new ManualClock({ wall: this.#wall })
    this.#wall += 100_000
    const node = await openNode(
      {
        genesis: GENESIS,
        directory: '/chain',
        history: 'all',
        replayBlocks: 64,
        maxBlocksBehind: 8,
        ...options.settings,
      },
      {
        kind: 'solo',
        leading: {
          schedule: createSchedule(1000, 1000 / SLOTS),
          gasLimit: GENESIS.header.gasLimit,
          timeBudget: 0.6,
          finalityDepth: 64,
          pool: DEFAULT_POOL_OPTIONS,
          ...options.leading,
        },
      },
      { clock, log: pino({ level: 'silent' }), openDirectory: () => this.#openDirectory(options) },
    )
    const nextFlashblock = async () => {
      clock.moveTo(clock.next!)
      await node.idle()
    }
    return {
      node,
      clock,
      nextFlashblock,
      async nextBlock() {
        const { latest } = node.view().head.sealed
        while (node.view().head.sealed.latest === latest) await nextFlashblock()
      },
    }
  }

  /** Power loss: the node is dead, and unsynced data may be lost. */
  async powerOff(random: () => number): Promise<void> {
    await this.kill(random)
    this.disk.powerOff(random)
  }

  /** Process kill: the operating system keeps written data. */
  async kill(random: () => number): Promise<void> {
    this.power.cut()
    // Pending work of the dead node fails now and does not reach the next one.
    await new Promise((resolve) => setImmediate(resolve))
    // Commits are atomic, however they end.
    this.store.powerOff(random)
    this.holdCommits = false
  }

  async #openDirectory(options: ForgetfulNodeOptions): Promise<DataDirectory> {
    const { sync = true, segmentBytes = 4_096, wrapStore = (store) => store } = options
    const log = await openSegmentLog({ directory: '/chain/records', segmentBytes, sync }, { fileSystem: this.disk })
    const { store } = this
    const held: KeyValueStore<TableName> = {
      snapshot: () => store.snapshot(),
      commit: (batch) => (this.holdCommits ? new Promise(() => {}) : store.commit(batch)),
      statistics: () => store.statistics(),
      close: () => store.close(),
    }
    return { path: '/chain', store: wrapStore(held), log, close: () => log.close() }
  }
}
