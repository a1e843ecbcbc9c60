import { basename, dirname } from 'node:path'
import type { AppendableFile, FileSystem, ReadableFile } from '../../src/storage/file-system.ts'
import type { PowerSupply } from './power-supply.ts'

interface Content {
  current: Uint8Array
  durable: Uint8Array
}

export interface ForgetfulDiskOptions {
  /** Bytes of all files together, beyond which appending fails with ENOSPC after having written what fits. */
  readonly capacity?: number
}

/**
 * An in-memory disk that keeps only synced data on power loss: of an unsynced append, a random prefix; of names created
 * or removed without a sync of their directory, a random subset.
 */
export class ForgetfulDisk implements FileSystem {
  readonly #power: PowerSupply
  capacity: number
  /** By path. */
  #names = new Map<string, Content>()
  #durableNames = new Map<string, Content>()

  constructor(options: ForgetfulDiskOptions, parts: { readonly power: PowerSupply }) {
    this.capacity = options.capacity ?? Number.POSITIVE_INFINITY
    this.#power = parts.power
  }

  /** Drops unsynced data, then restarts. */
  powerOff(random: () => number): void {
    const survivors = new Map<string, Content>()
    const paths = new Set([...this.#names.keys(), ...this.#durableNames.keys()])
    for (const path of paths) {
      const durable = this.#durableNames.get(path)
      const content = this.#names.get(path)
      const kept = durable === content || random() < 0.5 ? durable : content
      if (kept !== undefined) survivors.set(path, settled(kept, random))
    }
    this.#names = survivors
    this.#durableNames = new Map(survivors)
    this.#power.restore()
  }

  /** For tests that damage a file. */
  bytes(path: string): Uint8Array {
    return this.#content(path).current
  }

  async makeDirectory(): Promise<void> {
    this.#power.assertOn()
  }

  list(directory: string): readonly string[] {
    this.#power.assertOn()
    return [...this.#names.keys()].filter((path) => dirname(path) === directory).map((path) => basename(path))
  }

  async openForAppend(path: string, isSynced = false): Promise<AppendableFile> {
    this.#power.assertOn()
    const content = this.#names.get(path) ?? { current: new Uint8Array(0), durable: new Uint8Array(0) }
    this.#names.set(path, content)
    const sync = async () => {
      // Slow like a real disk, so that other code runs meanwhile.
      await Promise.resolve()
      const syncing = content.current
      this.#power.syncPoint('file')
      content.durable = syncing
    }
    return {
      append: async (bytes) => {
        this.#append(content, bytes)
        if (isSynced) await sync()
      },
      truncate: async (size) => {
        this.#power.assertOn()
        content.current = content.current.slice(0, size)
      },
      sync,
      close: async () => {},
    }
  }

  openForReading(path: string): ReadableFile {
    this.#power.assertOn()
    const content = this.#content(path)
    return {
      size: () => content.current.length,
      read: (position, length) => content.current.slice(position, position + length),
      close() {},
    }
  }

  size(path: string): number {
    return this.#names.get(path)?.current.length ?? 0
  }

  async remove(path: string): Promise<void> {
    this.#power.assertOn()
    this.#names.delete(path)
  }

  async syncDirectory(directory: string): Promise<void> {
    await Promise.resolve()
    this.#power.syncPoint('directory')
    for (const path of [...this.#durableNames.keys()]) {
      if (dirname(path) === directory && !this.#names.has(path)) this.#durableNames.delete(path)
    }
    for (const [path, content] of this.#names) {
      if (dirname(path) === directory) this.#durableNames.set(path, content)
    }
  }

  #append(content: Content, bytes: Uint8Array): void {
    this.#power.assertOn()
    const used = [...this.#names.values()].reduce((sum, { current }) => sum + current.length, 0)
    const room = Math.max(0, this.capacity - used)
    content.current = Buffer.concat([content.current, bytes.subarray(0, room)])
    if (bytes.length > room)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  }

  #content(path: string): Content {
    const content = this.#names.get(path)
    if (content === undefined) throw Object.assign(new Error(`ENOENT: ${path}`), { code: 'ENOENT' })
    return content
  }
}

/** The content of a file after power loss. */
function settled({ current, durable }: Content, random: () => number): Content {
  const isAppended =
    current.length >= durable.length && Buffer.compare(current.subarray(0, durable.length), durable) === 0
  const survivor = isAppended
    ? current.slice(0, durable.length + Math.floor(random() * (current.length - durable.length + 1)))
    : random() < 0.5
      ? current
      : durable
  return { current: survivor, durable: survivor }
}
