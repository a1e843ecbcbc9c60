import type { Address, Hash } from '../../primitives/hex.ts'
import { changeRecord } from './change-record.ts'
import type { ChangeStep } from './followed-chain.ts'
import type { PlacedChange } from './token-state.ts'

/** An event as it is sent. */
export interface EventFrame {
  readonly id: string
  readonly token: Address
  /** Block of the change; `undefined` for a removed one. */
  readonly block: number | undefined
  readonly text: string
}

/** Hex digits of a hash in an id. */
const DIGITS = 8

/**
 * Names a position in the chain: after a record of its nodes (number of the record, hash of the block after it), or, in
 * services without records, after a block (number and hash of the block).
 */
export function positionId(number: number, hash: Hash): string {
  return `${number}-${hash.slice(2, 2 + DIGITS)}`
}

/**
 * The newest events with their ids: `POSITION` after a record or block, `POSITION-PLACE` after one of its changes,
 * `POSITION-rPLACE` after a removed change.
 */
export class ChangeWindow {
  readonly #maxRecords: number
  readonly #maxFrames: number
  /** Number of the frame behind each position, oldest first. */
  readonly #marks = new Map<string, number>()
  #frames: EventFrame[] = []
  /** Number of the first frame in `#frames`. */
  #first = 0
  #newest: string | undefined

  constructor(options: { readonly maxRecords: number; readonly maxFrames: number }) {
    this.#maxRecords = options.maxRecords
    this.#maxFrames = options.maxFrames
  }

  /** Number of the next frame. */
  get end(): number {
    return this.#first + this.#frames.length
  }

  /** Number of the oldest kept frame. */
  get start(): number {
    return this.#first
  }

  /** Id of the position after the newest record. */
  get newestId(): string | undefined {
    return this.#newest
  }

  /**
   * Adds the events of a record, or of a block.
   *
   * @param id its position
   * @param positionOf the position in the id of a removed change. Default: that of the record that removes it
   */
  add(id: string, { removed, added }: ChangeStep, positionOf: (change: PlacedChange) => string = () => id): void {
    for (const change of removed) this.#frames.push(frameOf(change, `${positionOf(change)}-r${change.place}`, true))
    for (const change of added) this.#frames.push(frameOf(change, `${id}-${change.place}`, false))
    // A block that a reorganisation brings back is behind the events of that reorganisation.
    this.#marks.delete(id)
    this.#marks.set(id, this.end)
    this.#newest = id
    this.#forget()
  }

  frame(number: number): EventFrame | undefined {
    return this.#frames[number - this.#first]
  }

  /** The frame behind a position; `undefined`: the position is not kept, or is of another chain. */
  after(id: string): number | undefined {
    const mark = this.#marks.get(id)
    if (mark !== undefined) return mark
    const index = this.#frames.findLastIndex((frame) => frame.id === id)
    return index === -1 ? undefined : this.#first + index + 1
  }

  /** The frame before the events of a block, with which a subscriber without a position begins. */
  beginningOf(block: number): number {
    let frame = this.end
    while (this.frame(frame - 1)?.block === block) frame -= 1
    return frame
  }

  /** Id of the position before a frame; `undefined` if it is not kept. */
  idBefore(number: number): string | undefined {
    const frame = this.frame(number)
    if (frame === undefined) return this.#newest
    const before = this.frame(number - 1)
    if (before !== undefined) return before.id
    let name: string | undefined
    for (const [id, end] of this.#marks) {
      if (end > number) break
      name = id
    }
    return name
  }

  /** In large steps. */
  #forget(): void {
    if (this.#marks.size >= 2 * this.#maxRecords) this.#forgetMarks(this.#marks.size - this.#maxRecords)
    if (this.#frames.length < 2 * this.#maxFrames) return
    const first = this.end - this.#maxFrames
    this.#frames = this.#frames.slice(first - this.#first)
    this.#first = first
    const old = [...this.#marks.values()].filter((end) => end < first).length
    this.#forgetMarks(old)
  }

  #forgetMarks(count: number): void {
    for (const id of [...this.#marks.keys()].slice(0, count)) this.#marks.delete(id)
  }
}

function frameOf(change: PlacedChange, id: string, isRemoved: boolean): EventFrame {
  const data = JSON.stringify(changeRecord(change, id, isRemoved))
  return {
    id,
    token: change.token,
    block: isRemoved ? undefined : change.number,
    text: `id: ${id}\ndata: ${data}\n\n`,
  }
}
