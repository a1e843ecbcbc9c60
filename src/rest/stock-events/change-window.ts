import type { LoggedRecord } from '../../node/log/record-history.ts'
import type { Address } from '../../primitives/hex.ts'
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

/** A record that changed blocks. */
interface Mark {
  /** Names the record: its number, and digits of the hash of the block after it. */
  readonly id: string
  readonly firstFrame: number
}

/** Hex digits of a hash in an id. */
const DIGITS = 8
const ID = /^((\d{1,15})-[0-9a-f]{8})(?:-[0-9a-z.]{1,100})?$/

/**
 * The newest events with their ids. An id is a position in the records of the chain, which all nodes share:
 * `RECORD-HASH` after a record, `RECORD-HASH-PLACE` after one of its changes.
 */
export class ChangeWindow {
  readonly #maxRecords: number
  readonly #maxFrames: number
  /** By number of the record, oldest first. */
  readonly #marks = new Map<number, Mark>()
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

  /** Adds the events of a record. */
  add(sequence: number, record: LoggedRecord, { removed, added }: ChangeStep): void {
    if (record.kind !== 'flashblock' && record.kind !== 'unwind') return
    const id = `${sequence}-${record.hash.slice(2, 2 + DIGITS)}`
    this.#marks.set(sequence, { id, firstFrame: this.end })
    this.#newest = id
    for (const change of removed) this.#frames.push(frameOf(change, `${id}-r${change.place}`, true))
    for (const change of added) this.#frames.push(frameOf(change, `${id}-${change.place}`, false))
    this.#forget()
  }

  frame(number: number): EventFrame | undefined {
    return this.#frames[number - this.#first]
  }

  /** The frame behind a position; `undefined`: the position is not kept, or is of another chain. */
  after(id: string): number | undefined {
    const [, name, sequence] = ID.exec(id) ?? []
    const mark = this.#marks.get(Number(sequence))
    if (mark === undefined || mark.id !== name) return undefined
    let number = mark.firstFrame
    while (this.frame(number)?.id.startsWith(`${name}-`)) {
      number += 1
      if (this.frame(number - 1)!.id === id) return number
    }
    return id === name ? number : undefined
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
    for (const mark of this.#marks.values()) {
      if (frame.id.startsWith(`${mark.id}-`)) break
      name = mark.id
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
    const old = [...this.#marks.values()].filter(({ firstFrame }) => firstFrame < first).length
    this.#forgetMarks(old)
  }

  #forgetMarks(count: number): void {
    for (const sequence of [...this.#marks.keys()].slice(0, count)) this.#marks.delete(sequence)
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
