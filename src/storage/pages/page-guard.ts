import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DamageMonitor } from '../damage-monitor.ts'
import { StorageError } from '../storage-error.ts'
import { tableOf } from '../table-sets.ts'
import { changedPages, type PageSumList } from './changed-pages.ts'
import { checkPages, type DamagedPart, damagedParts } from './check-pages.ts'
import { type CoveredDatabase, openCoveredDatabase, sumsOfFile } from './covered-database.ts'
import { PageFile } from './page-file.ts'
import type { Meta } from './page-format.ts'
import { isNotIn, matchesSum, PageReader } from './page-reader.ts'
import { NEW_SUMS_FILE, PageSums } from './page-sums.ts'
import { PageTables } from './page-tables.ts'
import { finished, inSteps } from './steps.ts'
import { describeParts, removeCheckResult, storeDamaged, writeCheckResult } from './store-damage.ts'

/** Longest check while the database is being opened, in milliseconds; the rest is checked in the background. */
const START_CHECK_MS = 50

export interface PageGuardOptions {
  readonly path: string
  /** Whether checksums are on disk when a commit resolves. */
  readonly sync: boolean
  /** Tables whose damaged entries can be missing: reads of them fail, everything else goes on. */
  readonly expendable: readonly string[]
  /** Default: 50. */
  readonly startCheckMs?: number | undefined
  /** Bytes per second of a check that repeats while the database is open. Default: 0, none. */
  readonly scrubBytesPerSecond?: number | undefined
}

/** How a snapshot reads pages that LMDB may not touch. */
export interface PageTrust {
  readonly monitor: DamageMonitor
  /** Whether LMDB may read everything. */
  readonly isSound: boolean
  /** Whether LMDB may read a table: all its pages match their checksums. */
  trusts(table: string): boolean
  /** The tables as of a transaction that a reader of LMDB pins. */
  tables<Table extends string>(transaction: number): PageTables<Table>
}

/** Lets other work run between two reads of a scrub that is late. */
const SHORTEST_PAUSE_MS = 1

/** The open files; replaced as a whole after a commit. */
type Open = Pick<CoveredDatabase, 'file' | 'sums' | 'meta'>

/**
 * Guards a database that this process writes. Its pages are compared with their checksums (`pages.sum`) when it is
 * opened: for a bounded time before, the rest in the background. Until all pages are compared, they are read only
 * through `tables`, which tests each page, and nothing is committed. See docs/adr/0013-page-checksums.md.
 */
export class PageGuard implements PageTrust {
  readonly monitor = new DamageMonitor()
  readonly #options: PageGuardOptions
  #open: Open | undefined
  /** `undefined` while the check runs. */
  #parts: readonly DamagedPart[] | undefined
  /** Shared while the check runs: nothing is committed meanwhile. */
  #testing: PageReader | undefined
  #check: Promise<void> = Promise.resolve()
  #scrubbing: Promise<void> = Promise.resolve()
  readonly #closed = new AbortController()

  private constructor(options: PageGuardOptions) {
    this.#options = options
  }

  /**
   * To be called before LMDB opens the database, which may be absent.
   *
   * @throws StorageError `STORE_DAMAGED`
   */
  static open(options: PageGuardOptions): PageGuard {
    const guard = new PageGuard(options)
    try {
      guard.#start()
    } catch (error) {
      guard.#open?.file.close()
      throw error
    }
    return guard
  }

  /** Whether the database has checksums; otherwise `opened` creates them. */
  get isCovered(): boolean {
    return this.#open !== undefined
  }

  get isSound(): boolean {
    return this.#parts?.length === 0
  }

  trusts(table: string): boolean {
    return this.#parts !== undefined && !this.#parts.some((part) => part.table === table)
  }

  tables<Table extends string>(transaction: number): PageTables<Table> {
    const { file } = this.#open!
    const parts = this.#parts
    const reader = parts === undefined ? this.#testing! : new PageReader(file, isNotIn(pagesOf(parts)))
    const onDamage = (table: string) => this.monitor.add(table)
    return new PageTables({ directory: this.#options.path, meta: file.metaOf(transaction) }, { reader, onDamage })
  }

  /**
   * To be called after LMDB has opened the database or one of its tables, which may have written a transaction:
   * creates or extends the checksums.
   *
   * @throws StorageError `STORE_DAMAGED`
   */
  opened(): void {
    const { sync } = this.#options
    if (this.#open === undefined) {
      this.#adopt()
      return
    }
    const { file, sums, meta: before } = this.#open
    const meta = this.#newestAfter(before)
    if (meta === before) return
    sums.appendSync(meta.transaction, finished(changedPages(file, before, meta)), { sync })
    this.#open = { file, sums, meta }
  }

  /**
   * Begins to compare all pages again and again, so that damage is found before it is read.
   *
   * @param idle resolves when no commit is in progress
   */
  scrub(idle: () => Promise<void>): void {
    const { scrubBytesPerSecond: bytesPerSecond = 0 } = this.#options
    if (bytesPerSecond > 0) this.#scrubbing = this.#scrub({ bytesPerSecond }, idle).catch(() => {})
  }

  /** Resolves when all pages are compared; rejects with StorageError `STORE_DAMAGED`. */
  checked(): Promise<void> {
    return this.#check
  }

  /**
   * Adds the checksums of the pages that the last commit wrote. The commit must not be acknowledged, and no other may
   * begin, before it resolves.
   */
  async committed(): Promise<void> {
    const { file, sums, meta: before } = this.#open!
    const meta = this.#newestAfter(before)
    if (meta === before) return
    const list = await inSteps(changedPages(file, before, meta))
    await sums.append(meta.transaction, list, this.#options)
    this.#open = { file, sums, meta }
  }

  /** @throws StorageError `STORE_DAMAGED` when a commit with these keys would touch damaged pages */
  assertUndamaged(table: string, key: Uint8Array, isDeletion: boolean): void {
    for (const part of this.#parts ?? []) {
      if (part.table !== table) continue
      // LMDB merges leaves after deletions, and appends to a leaf without reading the one before it.
      if (isDeletion || part.to === undefined || Buffer.compare(Buffer.from(part.to, 'hex'), key) > 0) {
        throw storeDamaged(this.#options.path, `table ${table} cannot be changed near its damaged entries`)
      }
    }
  }

  /** Ends a check that is running; commits that wait for it are rejected. */
  stopCheck(): void {
    this.#closed.abort()
  }

  /** Closes files after opening the database failed. */
  abandon(): void {
    this.#closed.abort()
    this.#open?.file.close()
    this.#open = undefined
  }

  async close(): Promise<void> {
    this.#closed.abort()
    await this.#check.catch(() => {})
    await this.#scrubbing
    await this.#open?.sums.close()
    this.#open?.file.close()
    this.#open = undefined
  }

  #start(): void {
    const { path, sync, startCheckMs = START_CHECK_MS } = this.#options
    removeCheckResult(path)
    rmSync(join(path, NEW_SUMS_FILE), { force: true })
    const found = openCoveredDatabase(path)
    if (found === undefined) return
    this.#open = found
    const { file, sums, meta, missing } = found
    if (missing.length > 0) sums.appendSync(meta.transaction, missing, { sync })
    this.#testing = new PageReader(file, matchesSum(sums))
    const damaged = new Set<number>()
    const steps = checkPages(file, sums, { damaged })
    const end = performance.now() + startCheckMs
    while (performance.now() < end) {
      if (steps.next().done !== true) continue
      this.#conclude(damaged)
      return
    }
    // After the caller has opened the store.
    this.#check = new Promise(setImmediate).then(() => this.#checkRest(steps, damaged))
    this.#check.catch(() => {})
  }

  async #checkRest(steps: Generator<unknown>, damaged: Set<number>): Promise<void> {
    try {
      this.#assertOpen()
      await inSteps(steps, () => this.#assertOpen())
      this.#conclude(damaged)
    } catch (error) {
      if (!this.#closed.signal.aborted && error instanceof StorageError) this.monitor.fail(error)
      throw error
    }
  }

  /** @throws StorageError `STORE_DAMAGED` */
  #conclude(damaged: ReadonlySet<number>): void {
    const { sync } = this.#options
    const { file, sums, meta } = this.#open!
    const parts = damaged.size === 0 ? [] : damagedParts(file, meta, damaged)
    this.#parts = []
    this.#accept(parts)
    this.#testing = undefined
    const used = pagesOf(parts)
    const free: PageSumList = [...damaged].filter((page) => !used.has(page)).flatMap((page) => [page, 0])
    // A commit that a crash interrupted wrote to free pages. They have no checksums until they are used.
    if (free.length > 0) sums.appendSync(meta.transaction, free, { sync })
  }

  /** Notes damage that the database survives. @throws StorageError `STORE_DAMAGED` for other damage */
  #accept(parts: readonly DamagedPart[]): void {
    const { path, expendable } = this.#options
    const isExpendable = ({ table, kind, to }: DamagedPart) =>
      expendable.includes(table) && kind !== 'inner page' && to !== undefined
    if (!parts.every(isExpendable)) {
      this.#parts = undefined
      const { file, sums } = this.#open!
      this.#testing = new PageReader(file, matchesSum(sums))
      throw storeDamaged(path, describeParts(parts))
    }
    this.#parts = [...(this.#parts ?? []), ...parts]
    writeCheckResult(path, this.#parts)
    for (const { table } of parts) this.monitor.add(tableOf(table))
  }

  async #scrub(pace: { readonly bytesPerSecond: number }, idle: () => Promise<void>): Promise<void> {
    await this.#check
    const { signal } = this.#closed
    while (!signal.aborted) {
      const damaged = new Set<number>()
      const { file, sums } = this.#open!
      const end = performance.now() + (sums.end * file.pageSize * 1000) / pace.bytesPerSecond
      for (const next of checkPages(file, sums, { damaged })) {
        const due = end - ((sums.end - next) * file.pageSize * 1000) / pace.bytesPerSecond
        await delay(Math.max(due - performance.now(), SHORTEST_PAUSE_MS), undefined, { signal, ref: false })
        if (damaged.size > 0) await this.#suspect(damaged, idle)
        damaged.clear()
      }
    }
  }

  /** Pages that differed while a commit may have been writing them. */
  async #suspect(pages: ReadonlySet<number>, idle: () => Promise<void>): Promise<void> {
    await idle()
    const { file, sums, meta } = this.#open!
    const known = pagesOf(this.#parts ?? [])
    const isIntact = matchesSum(sums)
    const damaged = [...pages].filter((page) => !known.has(page) && !isIntact(page, file.read(page)))
    if (damaged.length === 0) return
    try {
      this.#accept(damagedParts(file, meta, new Set(damaged)))
    } catch (error) {
      this.monitor.fail(error as StorageError)
      throw error
    }
  }

  /** Covers the present content of a database without checksums. */
  #adopt(): void {
    const { path, sync } = this.#options
    const file = PageFile.open(path)!
    const meta = file.newestMeta()!
    const sums = new PageSums(path, file)
    sums.appendSync(meta.transaction, sumsOfFile(file), { sync })
    this.#open = { file, sums, meta }
    writeCheckResult(path, [])
    this.#parts = []
  }

  #assertOpen(): void {
    const { path } = this.#options
    if (this.#closed.signal.aborted) throw new StorageError('STORE_CLOSED', `the store in ${path} is closed`, { path })
  }

  #newestAfter(before: Meta): Meta {
    const meta = this.#open!.file.newestMeta()
    if (meta?.transaction === before.transaction) return before
    if (meta?.transaction === before.transaction + 1) return meta
    throw storeDamaged(this.#options.path, `transaction ${before.transaction + 1} is not the newest one`)
  }
}

function pagesOf(parts: readonly DamagedPart[]): Set<number> {
  return new Set(parts.flatMap(({ pages }) => pages))
}
