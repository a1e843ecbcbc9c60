import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { toAddress } from '../../primitives/hex.ts'
import { TokenReads } from './token-reads.ts'

const STOCKS = [1, 2, 3].map((index) => toAddress(`0x57${index.toString().padStart(38, '0')}`))

let node: ManualNode
beforeEach(async () => {
  node = await startManualNode()
})
afterEach(() => node.node.stop())

/** Counts how often a token is really read. */
function countedReads(maxCached: number) {
  const { engine, config } = node.node
  const counter = { opened: 0 }
  const counting = {
    ...engine,
    open: (...parameters: Parameters<typeof engine.open>) => {
      counter.opened += 1
      return engine.open(...parameters)
    },
  }
  const reads = new TokenReads({ maxCached }, { node: { config, engine: counting, view: () => node.node.view() } })
  return { reads, counter }
}

test('a token is read once per sealed block, however often it is asked for', async () => {
  const { reads, counter } = countedReads(10)
  const first = await reads.supply(STOCKS[0]!)
  expect(first).toEqual({ totalSupply: expect.any(BigInt), decimals: expect.any(Number) })
  await node.nextFlashblock()
  expect(await Promise.all(STOCKS.slice(0, 1).map((stock) => reads.supply(stock)))).toEqual([first])
  expect(counter.opened).toBe(1)
  await node.nextBlock()
  expect(await reads.supply(STOCKS[0]!)).toEqual(first)
  expect(counter.opened).toBe(2)
})

test('only so many tokens are remembered; others are still answered', async () => {
  const { reads, counter } = countedReads(2)
  for (let round = 0; round < 2; round++) {
    for (const stock of STOCKS) expect(await reads.supply(stock)).toBeDefined()
  }
  expect(counter.opened).toBe(4)
})
