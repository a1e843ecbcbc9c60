import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../primitives/hex.ts'
import { SourceStore } from './source-store.ts'
import type { VerifiedSource } from './verified-source.ts'

const FIRST = `0x${'11'.repeat(20)}` as Address
const SECOND = `0x${'22'.repeat(20)}` as Address
const DIFFERENT = { match: null, transformations: [], values: {} }
const EXACT = { ...DIFFERENT, match: 'exact_match' }

function sourceOf(address: Address, content: string): VerifiedSource {
  const input = { language: 'Solidity', sources: { 'a.sol': { content } }, settings: {} }
  const known = { format: 1, address, codeHash: '0x01', verifiedAt: '2026-01-01T00:00:00Z', compilerVersion: '0.8.24' }
  return { ...known, input, contract: {}, runtime: EXACT, creation: DIFFERENT } as unknown as VerifiedSource
}

describe('SourceStore', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'sources-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))

  test('refuses a contract that exceeds its bytes, counting the files of an earlier process', async () => {
    await new SourceStore({ directory }).put(sourceOf(FIRST, 'x'.repeat(600)), async () => true)
    const store = new SourceStore({ directory, maxBytes: 1_500 })

    await expect(store.put(sourceOf(SECOND, 'x'.repeat(600)), async () => true)).rejects.toThrow('at most')
    await store.put(sourceOf(FIRST, 'x'.repeat(900)), async () => true)

    expect(await store.addresses()).toEqual([FIRST])
  })

  test('removes a contract that is not current when it is full', async () => {
    const store = new SourceStore({ directory, maxBytes: 1_500 })
    await store.put(sourceOf(FIRST, 'x'.repeat(600)), async () => true)

    await store.put(sourceOf(SECOND, 'x'.repeat(600)), async ({ address }) => address !== FIRST)

    expect(await new SourceStore({ directory }).addresses()).toEqual([SECOND])
    expect(await store.get(FIRST)).toBeUndefined()
  })

  test('has no contract whose file was deleted', async () => {
    const store = new SourceStore({ directory })
    await store.put(sourceOf(FIRST, ''), async () => true)
    rmSync(join(directory, `${FIRST}.json`))

    expect(await store.get(FIRST)).toBeUndefined()
    expect(await store.addresses()).toEqual([])
  })

  test('lists its directory again after that has failed', async () => {
    const path = join(directory, 'sources')
    writeFileSync(path, 'a file')
    const store = new SourceStore({ directory: path })
    await expect(store.addresses()).rejects.toThrow('ENOTDIR')
    rmSync(path)
    mkdirSync(path)

    expect(await store.addresses()).toEqual([])
  })
})
