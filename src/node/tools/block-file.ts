import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline as connect, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Block } from '../../chain/block/block.ts'
import { encodeBlock, readBlock } from '../../chain/block/block-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import { openRegularFile } from '../../primitives/bounded-file.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { decodeRlp, encodeRlp, RlpError, rlpItemLength } from '../../primitives/rlp.ts'
import { diffItem, readDiff } from '../../state/records/diff-codec.ts'
import type { StateDiff } from '../../state/state-diff.ts'

/** A file is not one of blocks, or ends within one. */
export class BlockFileError extends Error {
  readonly code = 'INVALID_BLOCK_FILE'
  override readonly name = 'BlockFileError'
}

/** A block of a file. */
export interface ExportedBlock extends Block {
  /** State changes from outside between the parent and the block (development nodes). */
  readonly prelude?: StateDiff | undefined
}

/** First element of the item before a block with a prelude; that of a block is a list. */
const PRELUDE_MARKER = 'prelude'

/** A block takes a few megabytes at most; what claims to be longer is no block. */
const MAX_BLOCK_BYTES = 256 * 2 ** 20
const CHUNK_BYTES = 2 ** 20

/**
 * Writes blocks one after the other as RLP, the format of go-ethereum's `export`; compressed when the name ends in
 * `.gz`. A prelude is an item of its own before its block, which only this program reads. The file appears under its
 * name when it is whole.
 *
 * @throws what the file system or `blocks` throws; nothing is left then
 */
export async function writeBlockFile(
  path: string,
  blocks: Iterable<ExportedBlock> | AsyncIterable<ExportedBlock>,
): Promise<void> {
  const partial = `${path}.partial`
  const source = Readable.from(encoded(blocks), { objectMode: false })
  const target = createWriteStream(partial, { flush: true })
  try {
    await (isCompressed(path) ? pipeline(source, createGzip(), target) : pipeline(source, target))
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
}

/**
 * The blocks of such a file, one by one; of the file no more than a block and a chunk are in memory.
 *
 * @throws BlockFileError that says where; what the file system throws
 */
export async function* readBlockFile(path: string): AsyncGenerator<ExportedBlock> {
  let waiting: Bytes = new Uint8Array(0)
  let offset = 0
  let prelude: StateDiff | undefined
  try {
    for await (const chunk of chunks(path)) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      let start = 0
      for (;;) {
        const length = blockLength(waiting.subarray(start))
        if (length === undefined || start + length > waiting.length) break
        // A copy: a block must not keep the whole chunk in memory.
        const item = decode(Uint8Array.from(waiting.subarray(start, start + length)), prelude !== undefined)
        if (item.kind === 'block') yield prelude === undefined ? item.block : { ...item.block, prelude }
        prelude = item.kind === 'prelude' ? item.diff : undefined
        start += length
        offset += length
      }
      waiting = waiting.subarray(start)
    }
  } catch (error) {
    throw isUnreadable(error) ? new BlockFileError(`${path} at byte ${offset}: ${error.message}`) : error
  }
  if (prelude !== undefined) throw new BlockFileError(`${path} ends with state changes that no block follows`)
  if (waiting.length > 0) throw new BlockFileError(`${path} ends within the block at byte ${offset}`)
}

function isCompressed(path: string): boolean {
  return path.endsWith('.gz')
}

async function* encoded(blocks: Iterable<ExportedBlock> | AsyncIterable<ExportedBlock>): AsyncGenerator<Bytes> {
  for await (const block of blocks) {
    if (block.prelude !== undefined) yield encodeRlp([Buffer.from(PRELUDE_MARKER, 'ascii'), diffItem(block.prelude)])
    yield encodeBlock(block)
  }
}

function chunks(path: string): AsyncIterable<Bytes> {
  const file = createReadStream('', { fd: openRegularFile(path), highWaterMark: CHUNK_BYTES })
  // The callback has nothing to do: an error of the file ends the iteration over what is unpacked.
  return isCompressed(path) ? connect(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) : file
}

function blockLength(front: Bytes): number | undefined {
  if (front.length > 0 && front[0]! < 0xc0) throw new RlpError('no block begins here: a list is wanted')
  const length = rlpItemLength(front)
  if (length !== undefined && length > MAX_BLOCK_BYTES) throw new RlpError('no block begins here: it would be too long')
  return length
}

type FileItem =
  | { readonly kind: 'block'; readonly block: Block }
  | { readonly kind: 'prelude'; readonly diff: StateDiff }

function decode(raw: Bytes, followsPrelude: boolean): FileItem {
  const item = decodeRlp(raw)
  const [marker, diff] = item instanceof Uint8Array ? [] : item
  if (!(marker instanceof Uint8Array)) return { kind: 'block', block: readBlock(item, raw.length) }
  if (followsPrelude || Buffer.from(marker).toString('ascii') !== PRELUDE_MARKER) {
    throw new RlpError('no block begins here')
  }
  return { kind: 'prelude', diff: readDiff(diff) }
}

/** Not RLP, no transaction, or not compressed as the name says. */
function isUnreadable(error: unknown): error is Error {
  if (error instanceof RlpError || error instanceof TransactionDecodeError) return true
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code))
}
