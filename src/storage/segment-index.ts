import type { Segment } from './segment-file.ts'

/** Where a record begins. */
export interface RecordPlace {
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
export class SegmentPlaces {
  readonly #places = new Map<string, RecordPlace[]>()

  /** Remembers one in a while; those of a file come in order, and again whenever it is read again. */
  note({ path }: Pick<Segment, 'path'>, { sequence, offset }: RecordPlace): void {
    const places = this.#places.get(path)
    if (places === undefined || places.length === 0) this.#places.set(path, [{ sequence, offset }])
    else if (offset >= places.at(-1)!.offset + SPACING) places.push({ sequence, offset })
  }

  /** The last place that is known at or before a record; the beginning of the file where none is. */
  before({ path, first }: Segment, sequence: number): RecordPlace {
    const places = this.#places.get(path) ?? []
    return places.findLast((place) => place.sequence <= sequence) ?? { sequence: first, offset: 0 }
  }

  /** Others stand where the records after this one stood. */
  forgetAfter(sequence: number): void {
    for (const [path, places] of this.#places) {
      this.#places.set(
        path,
        places.filter((place) => place.sequence <= sequence),
      )
    }
  }

  /** The file is gone. */
  forget({ path }: Pick<Segment, 'path'>): void {
    this.#places.delete(path)
  }
}
