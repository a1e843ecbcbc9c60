import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DamageMonitor } from '../damage-monitor.ts'
import { tableOf } from '../table-sets.ts'
import type { DamagedPart } from './check-pages.ts'
import { PageFile } from './page-file.ts'
import type { PageTrust } from './page-guard.ts'
import { isNotIn, matchesSum, PageReader } from './page-reader.ts'
import { PageSums, SUMS_FILE } from './page-sums.ts'
import { PageTables } from './page-tables.ts'
import { checkResultTime, readCheckResult, storeDamaged } from './store-damage.ts'

/**
 * Guards a database that another thread or process writes. Until the writer has compared all pages, this reader tests
 * each page that it reads; afterwards it uses the writer's result. The writer commits nothing before, so that the
 * checksums that this reader loads stay valid for every page it reads.
 */
export class ReaderGuard implements PageTrust {
  readonly monitor = new DamageMonitor()
  readonly #directory: string
  readonly #isCovered: boolean
  #time: number | undefined
  #parts: readonly DamagedPart[] | undefined
  #file: PageFile | undefined
  #testing: PageReader | undefined

  constructor(directory: string) {
    this.#directory = directory
    // Not while it is temporary, or created this moment.
    this.#isCovered = existsSync(join(directory, SUMS_FILE))
    if (!this.#isCovered) this.#parts = []
  }

  get isSound(): boolean {
    // A scrub of the writer may find damage later.
    const time = this.#isCovered ? checkResultTime(this.#directory) : undefined
    if (time !== undefined && time !== this.#time) {
      this.#parts = readCheckResult(this.#directory)
      for (const { table } of this.#parts) this.monitor.add(tableOf(table))
      this.#time = time
    }
    return this.#parts?.length === 0
  }

  trusts(table: string): boolean {
    return this.#parts !== undefined && !this.#parts.some((part) => part.table === table)
  }

  tables<Table extends string>(transaction: number): PageTables<Table> {
    this.#file ??= PageFile.open(this.#directory)!
    const meta = this.#file.metaOf(transaction)
    const reader = this.#parts === undefined ? this.#tested(this.#file) : this.#unless(this.#file, this.#parts)
    const onDamage = (table: string) => this.monitor.add(table)
    return new PageTables({ directory: this.#directory, meta }, { reader, onDamage })
  }

  close(): void {
    this.#file?.close()
    this.#file = undefined
  }

  #tested(file: PageFile): PageReader {
    if (this.#testing !== undefined) return this.#testing
    const sums = PageSums.read(this.#directory)
    if (sums === undefined) throw storeDamaged(this.#directory, `${SUMS_FILE} has no intact header`)
    this.#testing = new PageReader(file, matchesSum(sums))
    return this.#testing
  }

  #unless(file: PageFile, parts: readonly DamagedPart[]): PageReader {
    return new PageReader(file, isNotIn(new Set(parts.flatMap(({ pages }) => pages))))
  }
}
