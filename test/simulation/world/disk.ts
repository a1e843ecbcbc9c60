import { basename, dirname } from 'node:path'
import type { AppendableFile, FileSystem, ReadableFile } from '../../../src/storage/file-system.ts'
import type { DiskCondition } from './disk-condition.ts'
import type { Random } from './random.ts'
import type { Actor, Scheduler } from './scheduler.ts'
import type { Trace } from './trace.ts'

const SECTOR_BYTES = 512
const EMPTY = Buffer.alloc(0)

interface Content {
  current: Buffer
  /** The content that surely survives a loss of power. */
  durable: Buffer
  /** Bytes behind the current ones that are being written, as far as other processes see them already. */
  underway: Buffer
}

/** An operation that has begun and not ended. */
interface Underway {
  readonly actor: Actor
  /** Called if the process dies meanwhile. */
  readonly breakOff: () => void
}

export interface DiskSettings {
  /** Median of a write that waits for the disk, in milliseconds. */
  readonly syncMs: number
  /** Whether other processes read the files while they are written. */
  readonly isShared: boolean
}

export interface DiskDeps {
  readonly scheduler: Scheduler
  readonly random: Random
  readonly trace: Trace
  readonly condition: DiskCondition
}

/** The files of a machine at one time. */
export type DiskCopy = ReadonlyMap<string, Buffer>

/**
 * The files of one machine. A loss of power keeps synced data; of an unsynced append a prefix, perhaps followed by
 * sectors of zeros; of unsynced names some.
 */
export class SimulatedDisk {
  readonly #settings: DiskSettings
  readonly #deps: DiskDeps
  #names = new Map<string, Content>()
  #durableNames = new Map<string, Content>()
  readonly #underway = new Set<Underway>()

  constructor(settings: DiskSettings, deps: DiskDeps) {
    this.#settings = settings
    this.#deps = deps
  }

  /** A killed process: the operating system keeps what was written. */
  kill(actor: Actor): void {
    for (const operation of this.#underway) if (operation.actor === actor) operation.breakOff()
    this.#underway.clear()
    for (const content of this.#names.values()) content.underway = EMPTY
  }

  /** A loss of power, after `kill`. */
  losePower(): void {
    const { random } = this.#deps
    const survivors = new Map<string, Content>()
    for (const path of new Set([...this.#names.keys(), ...this.#durableNames.keys()])) {
      const [content, durable] = [this.#names.get(path), this.#durableNames.get(path)]
      const kept = durable === content || random.isHit(0.5) ? durable : content
      if (kept !== undefined) survivors.set(path, this.#survivor(kept))
    }
    this.#names = survivors
    this.#durableNames = new Map(survivors)
  }

  /** The files as they are now. */
  copy(): DiskCopy {
    return new Map(Array.from(this.#names, ([path, { current }]) => [path, current]))
  }

  /** Puts a copy in place of all files, while no process runs. */
  restore(copy: DiskCopy): void {
    this.#names = new Map(Array.from(copy, ([path, bytes]) => [path, contentOf(bytes)]))
    this.#durableNames = new Map(this.#names)
  }

  /** The file system as a process sees it. */
  fileSystem(actor: Actor): FileSystem {
    return {
      makeDirectory: async () => undefined,
      list: (directory) =>
        [...this.#names.keys()].filter((path) => dirname(path) === directory).map((path) => basename(path)),
      openForAppend: (path, isSynced = false) => ifAlive(actor, () => this.#openForAppend(actor, path, isSynced)),
      openForReading: (path) => this.#openForReading(path),
      size: (path) => visible(this.#names.get(path) ?? contentOf(EMPTY)).length,
      remove: (path) => ifAlive(actor, () => void this.#names.delete(path)),
      syncDirectory: (directory) => this.#wait(actor, 'sync directory', () => this.#syncNames(directory)),
    }
  }

  #openForAppend(actor: Actor, path: string, isSynced: boolean): AppendableFile {
    const content = this.#names.get(path) ?? contentOf(EMPTY)
    this.#names.set(path, content)
    const append = (bytes: Uint8Array) => {
      content.current = Buffer.concat([content.current, bytes])
      content.underway = EMPTY
    }
    const sync = () => {
      content.durable = content.current
    }
    return {
      append: (given) =>
        ifAlive(actor, async () => {
          // The caller may use its memory again.
          const bytes = Buffer.from(given)
          this.#deps.trace.content(bytes)
          const breakOff = () => append(bytes.subarray(0, this.#deps.random.integer(bytes.length + 1)))
          if (!isSynced) {
            const failure = this.#deps.condition.failure()
            if (failure === undefined) return append(bytes)
            breakOff()
            throw failure
          }
          if (this.#settings.isShared) content.underway = bytes.subarray(0, this.#visible(bytes.length))
          await this.#wait(actor, `append ${bytes.length}`, () => append(bytes), breakOff).finally(() => {
            content.underway = EMPTY
          })
          sync()
        }),
      truncate: (size) =>
        ifAlive(actor, () => {
          content.current = content.current.subarray(0, size)
        }),
      sync: () => this.#wait(actor, 'sync file', sync),
      close: async () => undefined,
    }
  }

  /** Bytes of a write that others see before it ends. */
  #visible(length: number): number {
    const { random } = this.#deps
    return random.isHit(0.5) ? length : random.integer(length)
  }

  #openForReading(path: string): ReadableFile {
    const content = this.#names.get(path)
    if (content === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return {
      size: () => visible(content).length,
      read: (position, length) => {
        const bytes = Buffer.from(visible(content).subarray(position, position + length))
        return this.#isNewest(path) ? bytes : this.#deps.condition.read(bytes)
      },
      close() {},
    }
  }

  /** The end of the newest file may be torn after a crash, so nothing tells a wrong byte there. */
  #isNewest(path: string): boolean {
    const names = [...this.#names.keys()].filter((other) => dirname(other) === dirname(path))
    return names.every((other) => other <= path)
  }

  #wait(actor: Actor, label: string, complete: () => void, breakOff: () => void = complete): Promise<void> {
    const { scheduler, random, condition } = this.#deps
    return new Promise((resolve, reject) => {
      const operation = { actor, breakOff: () => (random.isHit(0.5) ? breakOff() : undefined) }
      this.#underway.add(operation)
      scheduler.after(condition.delay(this.#settings.syncMs), actor, label, () => {
        this.#underway.delete(operation)
        const failure = condition.failure()
        if (failure === undefined) {
          complete()
          resolve()
          return
        }
        operation.breakOff()
        reject(failure)
      })
    })
  }

  #syncNames(directory: string): void {
    for (const path of [...this.#durableNames.keys()]) {
      if (dirname(path) === directory && !this.#names.has(path)) this.#durableNames.delete(path)
    }
    for (const [path, content] of this.#names) if (dirname(path) === directory) this.#durableNames.set(path, content)
  }

  #survivor({ current, durable }: Content): Content {
    const { random } = this.#deps
    const isAppended = current.length >= durable.length && current.subarray(0, durable.length).equals(durable)
    const kept = isAppended ? this.#torn(current, durable.length) : random.isHit(0.5) ? current : durable
    return contentOf(kept)
  }

  /** The synced bytes and a prefix of the others; the file may have its size before all of its sectors are written. */
  #torn(bytes: Buffer, synced: number): Buffer {
    const { random } = this.#deps
    const end = synced + random.integer(bytes.length - synced + 1)
    const sector = Math.floor(end / SECTOR_BYTES) * SECTOR_BYTES
    if (sector <= synced || sector === bytes.length || random.isHit(0.7)) return Buffer.from(bytes.subarray(0, end))
    return Buffer.concat([bytes.subarray(0, sector), Buffer.alloc(bytes.length - sector)])
  }
}

/** The code of a dead process may still run; what it asks for never happens. */
async function ifAlive<T>({ isAlive }: Actor, operate: () => T | Promise<T>): Promise<T> {
  return isAlive ? operate() : new Promise(() => undefined)
}

function contentOf(bytes: Buffer): Content {
  return { current: bytes, durable: bytes, underway: EMPTY }
}

function visible({ current, underway }: Content): Buffer {
  return underway.length === 0 ? current : Buffer.concat([current, underway])
}
