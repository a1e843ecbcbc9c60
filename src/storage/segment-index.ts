import type { Segment } from './segment-file.ts'

/** Where a record begins. */
export interface RecordOffset {
  readonly sequence: number
  /** In bytes. */
  readonly offset: number
}

/** Bytes between two places that are remembered: what is read besides the record that is looked for. */
const SPACING = 64 * 1024

/**
 * Where some records of each file begin, as far as they were written or read by now: a file need not be read from its start
 * for a record near its end. A thousand places for a file of 64 MiB.
 */
export class SegmentIndex {
  readonly #positions = new Map<string, RecordOffset[]>()

  /** Remembers one in a while; those of a file come in order, and again whenever it is read again. */
  note({ path }: Pick<Segment, 'path'>, { sequence, offset }: RecordOffset): void {
    const positions = this.#positions.get(path)
    if (positions === undefined || positions.length === 0) this.#positions.set(path, [{ sequence, offset }])
    else if (offset >= positions.at(-1)!.offset + SPACING) positions.push({ sequence, offset })
  }

  /** The last place that is known at or before a record; the beginning of the file where none is. */
  before({ path, first }: Segment, sequence: number): RecordOffset {
    const positions = this.#positions.get(path) ?? []
    return positions.findLast((place) => place.sequence <= sequence) ?? { sequence: first, offset: 0 }
  }

  /** Others stand where the records after this one stood. */
  truncateAfter(sequence: number): void {
    for (const [path, positions] of this.#positions) {
      this.#positions.set(
        path,
        positions.filter((place) => place.sequence <= sequence),
      )
    }
  }

  /** The file is gone. */
  forget({ path }: Pick<Segment, 'path'>): void {
    this.#positions.delete(path)
  }
}
