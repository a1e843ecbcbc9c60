import { type KeyValueSnapshot, type TableReplacement, withSnapshot } from '../key-value.ts'
import { replacementCount, type TableSet, type TableSets } from '../table-sets.ts'
import { WriteBatch } from '../write-batch.ts'

const REMOVALS_PER_COMMIT = 20_000

export interface TableReplacerDeps<Table extends string> {
  readonly sets: TableSets<Table>
  readonly snapshotOf: (set: TableSet) => KeyValueSnapshot<Table>
  readonly commitTo: (batch: WriteBatch<Table>, set: TableSet) => Promise<void>
  /** Resolves when all pages are checked: whether none is damaged. */
  readonly isSound: () => Promise<boolean>
}

/** Fills the tables of the set that is not in use, and empties them afterwards. */
export class TableReplacer<Table extends string> {
  readonly #deps: TableReplacerDeps<Table>
  #discarding: Promise<void> = Promise.resolve()

  constructor(deps: TableReplacerDeps<Table>) {
    this.#deps = deps
  }

  async begin(): Promise<TableReplacement<Table>> {
    const { sets, snapshotOf, commitTo } = this.#deps
    const { replaceable } = sets
    if (replaceable === undefined) throw new Error('the store was opened without replaceable tables')
    await this.#discarding
    const count = this.#count()
    const set = unused(count)
    await this.#clear(set)
    return {
      snapshot: () => snapshotOf(set),
      commit: (batch) => commitTo(batch, set),
      complete: async (batch) => {
        const { table, key } = replaceable.counter
        batch.put(table, key, replacementCount(count + 1))
        await commitTo(batch, set)
        this.discardUnused()
      },
    }
  }

  /** Empties the tables that are not in use, in the background. What a killed process left is emptied at the start. */
  discardUnused(): void {
    this.#discarding = this.#discard().catch(() => {
      // The store remembers why a commit failed: the next one fails for the same reason.
    })
  }

  async #discard(): Promise<void> {
    // The leaves beside damaged ones cannot be changed.
    if (await this.#deps.isSound()) await this.#clear(unused(this.#count()))
  }

  #count(): number {
    return withSnapshot({ snapshot: () => this.#deps.snapshotOf(0) }, (reader) => this.#deps.sets.replacements(reader))
  }

  async #clear(set: TableSet): Promise<void> {
    const { sets, snapshotOf, commitTo } = this.#deps
    for (const table of sets.replaceable?.tables ?? []) {
      for (;;) {
        const batch = new WriteBatch<Table>()
        withSnapshot({ snapshot: () => snapshotOf(set) }, (reader) => {
          for (const { key } of reader.range(table, { limit: REMOVALS_PER_COMMIT })) batch.delete(table, key)
        })
        if (batch.size === 0) break
        await commitTo(batch, set)
      }
    }
  }
}

/** The set that is not in use after so many replacements. */
function unused(count: number): TableSet {
  return count % 2 === 0 ? 1 : 0
}
