import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline as connect, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import type { Block } from '../../chain/block/block.ts'
import { encodeBlock, readBlock } from '../../chain/block/block-codec.ts'
import { TransactionDecodeError } from '../../chain/transaction/transaction-decode-error.ts'
import type { Bytes } from '../../primitives/hex.ts'
import { decodeRlp, RlpError, rlpItemLength } from '../../primitives/rlp.ts'

/** A file is not one of blocks, or ends within one. */
export class BlockFileError extends Error {
  readonly code = 'INVALID_BLOCK_FILE'
  override readonly name = 'BlockFileError'
}

/** A block takes a few megabytes at most; what claims to be longer is no block. */
const MAX_BLOCK_BYTES = 256 * 2 ** 20
const CHUNK_BYTES = 2 ** 20

/**
 * Writes blocks one after the other as RLP, the format of go-ethereum's `export`; compressed when the name ends in
 * `.gz`. The file appears under its name when it is whole.
 *
 * @throws what the file system or `blocks` throws; nothing is left then
 */
export async function writeBlockFile(path: string, blocks: Iterable<Block> | AsyncIterable<Block>): Promise<void> {
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
export async function* readBlockFile(path: string): AsyncGenerator<Block> {
  let waiting: Bytes = new Uint8Array(0)
  let offset = 0
  try {
    for await (const chunk of chunks(path)) {
      waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk])
      let start = 0
      for (;;) {
        const length = blockLength(waiting.subarray(start))
        if (length === undefined || start + length > waiting.length) break
        // A copy: a block must not keep the whole chunk in memory.
        yield decode(Uint8Array.from(waiting.subarray(start, start + length)))
        start += length
        offset += length
      }
      waiting = waiting.subarray(start)
    }
  } catch (error) {
    throw isUnreadable(error) ? new BlockFileError(`${path} at byte ${offset}: ${error.message}`) : error
  }
  if (waiting.length > 0) throw new BlockFileError(`${path} ends within the block at byte ${offset}`)
}

function isCompressed(path: string): boolean {
  return path.endsWith('.gz')
}

async function* encoded(blocks: Iterable<Block> | AsyncIterable<Block>): AsyncGenerator<Bytes> {
  for await (const block of blocks) yield encodeBlock(block)
}

function chunks(path: string): AsyncIterable<Bytes> {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  // The callback has nothing to do: an error of the file ends the iteration over what is unpacked.
  return isCompressed(path) ? connect(file, createGunzip({ chunkSize: CHUNK_BYTES }), () => {}) : file
}

function blockLength(front: Bytes): number | undefined {
  if (front.length > 0 && front[0]! < 0xc0) throw new RlpError('no block begins here: a list is wanted')
  const length = rlpItemLength(front)
  if (length !== undefined && length > MAX_BLOCK_BYTES) throw new RlpError('no block begins here: it would be too long')
  return length
}

function decode(raw: Bytes): Block {
  return readBlock(decodeRlp(raw), raw.length)
}

/** Not RLP, no transaction, or not compressed as the name says. */
function isUnreadable(error: unknown): error is Error {
  if (error instanceof RlpError || error instanceof TransactionDecodeError) return true
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code))
}
