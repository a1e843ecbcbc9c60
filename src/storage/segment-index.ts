import type { Segment } from './segment-file.ts'

/** Where a record starts. */
export interface RecordOffset {
  readonly sequence: number
  /** In bytes. */
  readonly offset: number
}

/** Minimum bytes between two indexed records, and therefore the bytes read in vain to find a record. */
const SPACING = 64 * 1024

/**
 * Sparse index of record offsets in each file, filled by writes and reads, so that a record near the end is found
 * without reading the file from its start. A thousand entries for a file of 64 MiB.
 */
export class SegmentIndex {
  readonly #positions = new Map<string, RecordOffset[]>()

  /** Indexes a record if the last indexed one is far enough behind; offsets of a file come in order and may repeat. */
  note({ path }: Pick<Segment, 'path'>, { sequence, offset }: RecordOffset): void {
    const positions = this.#positions.get(path)
    if (positions === undefined || positions.length === 0) this.#positions.set(path, [{ sequence, offset }])
    else if (offset >= positions.at(-1)!.offset + SPACING) positions.push({ sequence, offset })
  }

  /** The last indexed record at or before `sequence`; the start of the file if there is none. */
  before({ path, first }: Segment, sequence: number): RecordOffset {
    const positions = this.#positions.get(path) ?? []
    return positions.findLast((place) => place.sequence <= sequence) ?? { sequence: first, offset: 0 }
  }

  /** Forgets the records after `sequence`, which are going to be replaced. */
  truncateAfter(sequence: number): void {
    for (const [path, positions] of this.#positions) {
      this.#positions.set(
        path,
        positions.filter((place) => place.sequence <= sequence),
      )
    }
  }

  /** Forgets a deleted file. */
  forget({ path }: Pick<Segment, 'path'>): void {
    this.#positions.delete(path)
  }
}
