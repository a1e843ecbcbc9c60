import { readFileSync, writeFileSync } from 'node:fs'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { blocksIn, ChainDirectories } from '../../../test/support/chain-directory.ts'
import { touching } from '../../../test/support/naive-state.ts'
import { sealedBlock } from '../../../test/support/sealed-chain.ts'
import { encodeBlock } from '../../chain/block/block-codec.ts'
import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import { createTransaction } from '../../chain/transaction/transaction-codec.ts'
import { EMPTY_BYTES, ZERO_ADDRESS } from '../../primitives/hex.ts'
import { encodeRlp } from '../../primitives/rlp.ts'
import { diffItem } from '../../state/records/diff-codec.ts'
import { readBlockFile, writeBlockFile } from './block-file.ts'

const directories = new ChainDirectories()
afterAll(() => directories.remove())

const log = { address: ZERO_ADDRESS, topics: [], data: EMPTY_BYTES }
const blocks = [0, 1, 2].map((number) => sealedBlock(number, undefined, [[log], [log]]).block)
const bytes = Buffer.concat(blocks.map(encodeBlock))

function file(name: string, content?: Uint8Array): string {
  const path = `${directories.next()}-${name}`
  if (content !== undefined) writeFileSync(path, content)
  return path
}

test('contains the concatenated RLP of the blocks, gzipped when its name ends in .gz', async () => {
  for (const name of ['a.rlp', 'a.rlp.gz']) {
    const path = file(name)
    await writeBlockFile(path, blocks)
    const content = readFileSync(path)
    expect((name.endsWith('.gz') ? gunzipSync(content) : content).equals(bytes)).toBe(true)
    expect(await blocksIn(path)).toEqual(blocks)
  }
})

test('has the state changes from outside before their block', async () => {
  const path = file('altered.rlp')
  const [first, second, third] = blocks as [(typeof blocks)[0], (typeof blocks)[0], (typeof blocks)[0]]
  const written = [first, { ...second, prelude: touching(5n) }, third]

  await writeBlockFile(path, written)

  expect(await blocksIn(path)).toEqual(written)
})

test.each([
  ['without a block after them', () => [encodeRlp([Buffer.from('prelude'), diffItem(touching(1n))])]],
  ['twice', () => Array.from({ length: 2 }, () => encodeRlp([Buffer.from('prelude'), diffItem(touching(1n))]))],
  ['with another marker', () => [encodeRlp([Buffer.from('postlude'), diffItem(touching(1n))]), bytes]],
  ['with a malformed diff', () => [encodeRlp([Buffer.from('prelude'), Buffer.from('00', 'hex')]), bytes]],
])('rejects state changes %s', async (_, items) => {
  const read = blocksIn(file('altered.rlp', Buffer.concat(items())))
  await expect(read).rejects.toMatchObject({ code: 'INVALID_BLOCK_FILE' })
})

test('reads blocks that are larger than a read chunk', async () => {
  const { block } = sealedBlock(3, undefined, [[log]])
  const [deposit] = block.transactions
  if (deposit?.type !== DEPOSIT_TYPE) throw new Error('a deposit is wanted')
  const data = new Uint8Array(1_500_000).fill(7)
  const large = encodeBlock({ ...block, transactions: [createTransaction({ ...deposit, data })] })
  const path = file('large.rlp', Buffer.concat([large, large, large]))
  const read = await blocksIn(path)
  expect(read.map(({ transactions }) => transactions[0]!.data.length)).toEqual([data.length, data.length, data.length])
})

test('yields complete blocks of a truncated file before it throws', async () => {
  const path = file('cut.rlp', bytes.subarray(0, -1))
  const seen: number[] = []
  const read = async () => {
    for await (const { header } of readBlockFile(path)) seen.push(header.number)
  }
  await expect(read()).rejects.toMatchObject({
    code: 'INVALID_BLOCK_FILE',
    message: expect.stringContaining('ends within'),
  })
  expect(seen).toEqual([0, 1])
})

test.each([
  ['text.rlp', Buffer.from('no blocks at all')],
  ['huge.rlp', Buffer.from('ff0100000000000000', 'hex')],
  ['list.rlp', Buffer.from('c0', 'hex')],
  ['plain.rlp.gz', bytes],
  ['cut.rlp.gz', gzipSync(bytes).subarray(0, -20)],
])('rejects %s as a block file', async (name, content) => {
  const read = blocksIn(file(name, content))
  await expect(read).rejects.toMatchObject({ code: 'INVALID_BLOCK_FILE' })
})

test('leaves no file behind when its blocks cannot be read', async () => {
  const path = file('failed.rlp')
  const failing = function* () {
    yield blocks[0]!
    throw new Error('no more')
  }
  await expect(writeBlockFile(path, failing())).rejects.toThrow('no more')
  await expect(blocksIn(path)).rejects.toMatchObject({ code: 'ENOENT' })
  await expect(blocksIn(`${path}.partial`)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('refuses what is no regular file', async () => {
  await expect(blocksIn('/dev/zero')).rejects.toMatchObject({ code: 'EFTYPE' })
})
