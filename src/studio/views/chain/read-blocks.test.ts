import { describe, expect, test } from 'vitest'
import { PAGE, readBlocks } from './read-blocks.ts'

/** A node with blocks up to a height, whose requests are recorded. @param branch part of the hashes from a height on */
function nodeOf(height: number, { from, branch }: { from: number; branch: string } = { from: 0, branch: 'a' }) {
  const asked: string[] = []
  const hashOf = (number: number) => `${number} ${number >= from ? branch : 'a'}`
  return {
    asked,
    async request(_: string, [id]: readonly unknown[]) {
      asked.push(String(id))
      const number = id === 'latest' ? height : Number(id)
      return { number: `0x${number.toString(16)}`, hash: hashOf(number), parentHash: hashOf(number - 1) }
    },
  }
}

const heightsOf = (blocks: readonly { readonly number: number }[]) => blocks.map(({ number }) => number)
const range = (first: number, last: number) => Array.from({ length: first - last + 1 }, (_, index) => first - index)

describe('readBlocks', () => {
  test('reads a page, newest first, down to block 0', async () => {
    expect(heightsOf(await readBlocks(nodeOf(100), undefined, []))).toEqual(range(100, 61))
    expect(heightsOf(await readBlocks(nodeOf(100), 50, []))).toEqual(range(50, 11))
    expect(heightsOf(await readBlocks(nodeOf(3), undefined, []))).toEqual([3, 2, 1, 0])
  })

  test.each([
    [100, 1],
    [101, 1],
    [104, 4],
    [300, PAGE],
  ])('reads of block %i after block 100 only what is new: %i requests', async (height, requests) => {
    const known = await readBlocks(nodeOf(100), undefined, [])
    const node = nodeOf(height)
    expect(heightsOf(await readBlocks(node, undefined, known))).toEqual(range(height, height - PAGE + 1))
    expect(node.asked).toHaveLength(requests)
  })

  test.each([
    ['replaces blocks', 102],
    ['makes the chain shorter', 95],
  ])('reads the page again after a reorganisation that %s', async (_, height) => {
    const known = await readBlocks(nodeOf(100), undefined, [])
    const blocks = await readBlocks(nodeOf(height, { from: 90, branch: 'b' }), undefined, known)
    expect(heightsOf(blocks)).toEqual(range(height, height - PAGE + 1))
    expect(blocks.filter(({ hash }) => hash?.endsWith('b')).map(({ number }) => number)).toEqual(range(height, 90))
  })

  test('fills the page after blocks were undone', async () => {
    const known = await readBlocks(nodeOf(100), undefined, [])
    const node = nodeOf(95)
    expect(heightsOf(await readBlocks(node, undefined, known))).toEqual(range(95, 56))
    expect(node.asked).toHaveLength(6)
  })
})
