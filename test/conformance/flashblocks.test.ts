import { readdirSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { hashHeader } from '../../src/chain/block/header-codec.ts'
import { conformanceJson, conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import type { Flashblock } from '../support/flashblocks/flashblock.ts'
import { headerSoFar } from '../support/flashblocks/flashblock-header.ts'
import { orderVerdict } from '../support/flashblocks/flashblock-order.ts'
import { readFlashblock } from '../support/flashblocks/flashblock-reader.ts'

const FOLDER = 'op-stack/flashblocks'
const isThere = hasConformanceData(FOLDER, 'flashblock messages of other projects')
const files = isThere ? readdirSync(conformancePath(FOLDER)).sort() : []

type Sample = Readonly<Record<string, unknown>>

/** A file contains one message, or all messages of a block. */
function samplesOf(file: string): readonly Sample[] {
  const content = conformanceJson(`${FOLDER}/${file}`) as Sample | readonly Sample[]
  return Array.isArray(content) ? content : [content as Sample]
}

function read(sample: Sample): Flashblock {
  const bytes = Buffer.from(JSON.stringify(sample))
  const result = readFlashblock(bytes)
  if (result.kind === 'refused') expect.unreachable(result.fault.message)
  expect(readFlashblock(brotliCompressSync(bytes))).toEqual(result)
  return result.flashblock
}

/** According to its README without `diff`, so not a complete message: input for a filter. */
const isWhole = (sample: Sample) => 'diff' in sample

describe.skipIf(!isThere)('flashblock messages of other projects', () => {
  test.each(files)('%s: every message is read', (file) => {
    const samples = samplesOf(file)
    for (const sample of samples.filter(isWhole)) {
      const { index, metadata } = sample as { index: number; metadata: { block_number: number } }
      expect(read(sample)).toMatchObject({ index, number: metadata.block_number })
    }
    for (const sample of samples.filter((one) => !isWhole(one))) {
      const result = readFlashblock(Buffer.from(JSON.stringify(sample)))
      expect(result).toMatchObject({ kind: 'refused', fault: { code: 'MISSING' } })
    }
  })

  const sequences = files.filter((file) => samplesOf(file).length > 1)
  test.each(sequences)('%s: after every flashblock the header has the hash in the message', (file) => {
    const flashblocks = samplesOf(file).map(read)
    for (const [position, { number, index, payloadId, diff }] of flashblocks.entries()) {
      const before = flashblocks[position - 1]
      expect(orderVerdict(before, { number, index, payloadId })).toBe(position === 0 ? 'first' : 'next')
      expect(hashHeader(headerSoFar(flashblocks.slice(0, position + 1))!)).toBe(diff.blockHash)
    }
  })

  test('the block of Unichain Sepolia is the sealed one', () => {
    const flashblocks = samplesOf('unichain-sepolia-35535698.json').map(read)
    const header = headerSoFar(flashblocks)!
    expect(flashblocks).toHaveLength(5)
    expect(hashHeader(header)).toBe('0xc463a3120c35268f610d969f5608b479332ef10953af77c7a6be806195831196')
    expect(header).toMatchObject({ number: 35_535_698, gasUsed: 0x32138 })
  })

  test('a header needs the first message of its block', () => {
    const [, ...later] = samplesOf('unichain-sepolia-35535698.json').map(read)
    expect(headerSoFar(later)).toBeUndefined()
    expect(headerSoFar([])).toBeUndefined()
  })
})
