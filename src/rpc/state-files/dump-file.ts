import { createReadStream, createWriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { openRegularFile } from '../../primitives/bounded-file.ts'
import { dumpState } from './dump.ts'
import { type LoadDeps, type LoadOptions, loadState } from './load.ts'
import { piped } from './piped.ts'

const FILE_NAME = 'state.json'
/** Characters that are joined before they are written. */
const CHUNK = 1 << 16
/** Texts that are joined: a text of an empty block is short, but the block has to be read. */
const CHUNK_TEXTS = 256

/** The file of a path; of a folder it is `state.json` in it. */
export async function stateFile(path: string): Promise<string> {
  const isFolder = await stat(path)
    .then((found) => found.isDirectory())
    .catch(() => false)
  return isFolder ? join(path, FILE_NAME) : path
}

/** Writes the state as plain JSON. The file is replaced when the new one is complete. */
export async function writeStateFile(path: string, node: ServedNode, yieldTurn: () => Promise<unknown>): Promise<void> {
  const file = await stateFile(path)
  const unfinished = `${file}.tmp`
  await pipeline(Readable.from(joined(dumpState(node), yieldTurn)), createWriteStream(unfinished, { flush: true }))
  await rename(unfinished, file)
}

/**
 * @returns whether it was loaded
 * @throws StateDumpError, or what the file system throws
 */
export async function loadStateFile(path: string, deps: LoadDeps, options?: LoadOptions): Promise<boolean> {
  const file = await stateFile(path)
  return loadState(() => createReadStream('', { fd: openRegularFile(file) }), deps, options)
}

/** The state as compressed JSON, as `anvil_dumpState` returns it. @param limit bytes; `undefined`: it is larger */
export async function compressedState(
  node: ServedNode,
  limit: number,
  yieldTurn: () => Promise<unknown>,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  const compressed = piped(joined(dumpState(node), yieldTurn), createGzip())
  for await (const chunk of compressed) {
    chunks.push(chunk)
    size += chunk.length
    if (size > limit) return undefined
  }
  return Buffer.concat(chunks)
}

/** Joins short texts, and yields to other work after each chunk. */
async function* joined(texts: Iterable<string>, yieldTurn: () => Promise<unknown>): AsyncGenerator<string> {
  let waiting: string[] = []
  let length = 0
  for (const text of texts) {
    waiting.push(text)
    length += text.length
    if (length < CHUNK && waiting.length < CHUNK_TEXTS) continue
    yield waiting.join('')
    waiting = []
    length = 0
    await yieldTurn()
  }
  yield waiting.join('')
}
