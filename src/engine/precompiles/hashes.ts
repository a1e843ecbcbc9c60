import { getHashes, hash } from 'node:crypto'
import { ripemd160 as pureRipemd160 } from '@noble/hashes/legacy.js'
import type { Bytes } from '../../primitives/hex.ts'
import { type Precompile, wordCount } from '../precompile.ts'

/** 0x02: SHA-256. */
export const sha256: Precompile = {
  gas: (input) => 60n + 12n * wordCount(input.length),
  // As hex: Node creates a string from a digest faster than a buffer.
  run: (input) => Buffer.from(hash('sha256', input, 'hex'), 'hex'),
}

/** Some builds of OpenSSL lack RIPEMD-160. */
const digestRipemd160: (input: Bytes) => Bytes = getHashes().includes('ripemd160')
  ? (input) => Buffer.from(hash('ripemd160', input, 'hex'), 'hex')
  : pureRipemd160

/** 0x03: RIPEMD-160 as a word. */
export const ripemd160: Precompile = {
  gas: (input) => 600n + 120n * wordCount(input.length),
  run(input) {
    const output = new Uint8Array(32)
    output.set(digestRipemd160(input), 12)
    return output
  },
}

/** 0x04: the input. */
export const identity: Precompile = {
  gas: (input) => 15n + 3n * wordCount(input.length),
  run: (input) => Uint8Array.from(input),
}
