import { rmSync } from 'node:fs'
import { afterAll, expect, test } from 'vitest'
import { ChainDirectories, send } from '../../../test/support/chain-directory.ts'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { damagePage, storedPages } from '../../../test/support/stored-pages.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import type { Hash } from '../../primitives/hex.ts'
import { backUp, restoreBackup } from './backup.ts'
import { completeGenerations } from './backup-generations.ts'
import { backupSource, repairChain } from './repair-chain.ts'

const { genesis } = createNetwork()
const directories = new ChainDirectories()
const noStep = async () => {}
const KEEP = 2
const STEPS = 14
const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address

afterAll(() => directories.remove())

/** Content of a data directory or a generation: sealed blocks, and the transactions of the open block. */
interface Content {
  readonly sealed: readonly Hash[]
  readonly open: readonly Hash[]
  /** Sealed transactions by height. */
  readonly transactions: readonly (readonly Hash[])[]
}

interface ModelGeneration {
  readonly path: string
  readonly history: number
  content: Content
}

function contentOf({ node }: ManualNode): Content {
  const view = node.view()
  const heights = Array.from({ length: view.head.sealed.latest + 1 }, (_, number) => number)
  const hashes = (of: { readonly transactions: readonly { readonly hash: Hash }[] }) =>
    of.transactions.map(({ hash }) => hash)
  return {
    sealed: heights.map((number) => view.blockHash({ kind: 'number', number })!),
    open: hashes(view.head.pending.block),
    transactions: heights.map((number) => hashes(view.block({ kind: 'number', number })!.block)),
  }
}

function continues(chain: Content, backup: Content): boolean {
  const height = backup.sealed.length
  const next = chain.transactions[height] ?? (chain.sealed.length === height ? chain.open : [])
  return (
    backup.sealed.every((hash, number) => chain.sealed[number] === hash) &&
    backup.open.every((hash, index) => next[index] === hash)
  )
}

/** A node's directory and its backups, beside a model of what they hold. */
class Scene {
  readonly #random: () => number
  readonly #clock = new ManualClock({ wall: Date.UTC(2026, 0, 1) })
  readonly #backup = directories.next()
  readonly #directory = directories.next()
  /** `undefined`: the directory was lost. */
  #content: Content | undefined
  #generations: ModelGeneration[] = []
  /** Differs between transactions, so that equal nonces do not make them equal. */
  #sent = 0n
  readonly done: string[] = []

  constructor(random: () => number) {
    this.#random = random
  }

  async step(): Promise<void> {
    const steps = ['run', 'run', 'run', 'backUp', 'backUp', 'full', 'newHistory', 'lose', 'restore', 'repair'] as const
    const name = steps[Math.floor(this.#random() * steps.length)]!
    this.done.push(name)
    if (name === 'run') await this.#run()
    else if (name === 'lose') this.#lose()
    else if (name === 'restore') await this.#restore()
    else if (name === 'repair') await this.#repair()
    else await this.#backUp({ full: name === 'full', newHistory: name === 'newHistory' })
    const found = completeGenerations(this.#backup).map(({ path, history }) => ({ path, history }))
    expect(found).toEqual(this.#generations.map(({ path, history }) => ({ path, history })))
  }

  /** Restores each generation and compares it with the model. */
  async check(): Promise<void> {
    for (const { path, content } of this.#generations) {
      const directory = directories.next()
      await restoreBackup({ directory, genesis }, path, {}, noStep)
      expect(await this.#read(directory)).toEqual(content)
    }
  }

  async #start(directory: string, sequencing = true): Promise<ManualNode> {
    const retention = { replayBlocks: 1, segmentBytes: 1_000 }
    return startManualNode({ directory, clock: this.#clock, sequencing, ...retention })
  }

  async #read(directory: string): Promise<Content> {
    const manual = await this.#start(directory, false)
    const content = contentOf(manual)
    await manual.node.stop()
    return content
  }

  /** The node includes a transaction and seals up to two blocks; it begins a chain if there is none. */
  async #run(): Promise<void> {
    const manual = await this.#start(this.#directory)
    this.#sent += 1n
    await send(manual, { nonce: manual.node.view().head.pending.state.account(SENDER)!.nonce, value: this.#sent })
    for (let blocks = Math.floor(this.#random() * 3); blocks > 0; blocks--) await manual.nextBlock()
    await manual.node.idle()
    this.#content = contentOf(manual)
    await manual.node.stop()
  }

  #lose(): void {
    rmSync(this.#directory, { recursive: true, force: true })
    this.#content = undefined
  }

  async #restore(): Promise<void> {
    const generation = this.#generations[Math.floor(this.#random() * this.#generations.length)]
    const restoring = restoreBackup(
      { directory: this.#directory, genesis },
      generation?.path ?? this.#backup,
      {},
      noStep,
    )
    if (this.#content !== undefined || generation === undefined) {
      const code = generation === undefined ? 'NO_BACKUP' : 'NOT_OUR_DIRECTORY'
      await expect(restoring).rejects.toMatchObject({ code })
      return
    }
    await restoring
    this.#content = generation.content
    expect(await this.#read(this.#directory)).toEqual(this.#content)
  }

  /** Damages the database and repairs it from the newest generation. */
  async #repair(): Promise<void> {
    const newest = this.#generations.at(-1)
    if (this.#content === undefined || newest === undefined || !continues(this.#content, newest.content)) return
    const page = storedPages(this.#directory).find(({ kind, table }) => kind === 'leaf' && table === 'accounts')!
    damagePage(this.#directory, page.pages[0]!)
    const source = await backupSource({ directory: this.#backup, genesis })
    const outcome = await repairChain({ directory: this.#directory, genesis }, source, noStep)
    await source.close()
    expect(outcome.kind).toBe('repaired')
    expect(await this.#read(this.#directory)).toEqual(this.#content)
  }

  async #backUp({ full, newHistory }: { readonly full: boolean; readonly newHistory: boolean }): Promise<void> {
    const backingUp = backUp({ directory: this.#directory, genesis }, this.#backup, { full, newHistory }, noStep)
    if (this.#content === undefined) {
      await expect(backingUp).rejects.toMatchObject({ code: 'DATABASE_MISSING' })
      return
    }
    const newest = this.#generations.at(-1)
    const isContinued = newest === undefined || continues(this.#content, newest.content)
    if (!isContinued && !newHistory) {
      await expect(backingUp).rejects.toMatchObject({ code: 'OTHER_HISTORY' })
      return
    }
    const { kind, path } = await backingUp
    const content = this.#content
    if (kind === 'incremental') {
      expect({ path, isContinued, full }).toEqual({ path: newest!.path, isContinued: true, full: false })
      newest!.content = content
      return
    }
    const history = (newest?.history ?? 1) + (isContinued ? 0 : 1)
    this.#generations.push({ path, history, content })
    const same = this.#generations.filter((generation) => generation.history === history)
    const removed = new Set(same.slice(0, -KEEP))
    this.#generations = this.#generations.filter((generation) => !removed.has(generation))
  }
}

test('backups hold what a model holds, whatever is lost, restored and repaired between them', {
  timeout: 600_000,
}, async () => {
  for (let run = 0; run < propertyRuns(20); run++) {
    const scene = new Scene(testRandom(run))
    try {
      for (let step = 0; step < STEPS; step++) await scene.step()
      await scene.check()
    } catch (error) {
      throw new Error(`sequence ${run}: ${scene.done.join(', ')}`, { cause: error })
    }
  }
})
