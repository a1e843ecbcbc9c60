import { expect, test } from 'vitest'
import { NodeStocks } from './node-stocks.ts'

const ADDRESS = `0x${'57'.repeat(20)}`
const LIST = { tokens: [{ contract_address: ADDRESS, symbol: 'HLCYNd', decimals: 6 }] }

/** A node whose answers the test gives, one after the other. */
function waitingNode() {
  const waiting: ((status: number) => void)[] = []
  const read = () =>
    new Promise<{ status: number; text: string }>((resolve) => {
      waiting.push((status) => resolve({ status, text: JSON.stringify(LIST) }))
    })
  return { read, answer: (status: number) => waiting.shift()!(status) }
}

const shown = ({ stocks, names }: NodeStocks) => [
  stocks.value.map(({ symbol }) => symbol),
  names.value.stock(ADDRESS)?.symbol,
]

test('a new connection forgets the stocks and names of the node before', async () => {
  const node = waitingNode()
  const found = new NodeStocks(node)
  const reading = found.refresh()
  node.answer(200)
  await reading
  expect(shown(found)).toEqual([['HLCYNd'], 'HLCYNd'])
  found.reset()
  expect(shown(found)).toEqual([[], undefined])
})

test('an answer of an earlier connection is ignored, and a refusal keeps the stocks that are known', async () => {
  const node = waitingNode()
  const found = new NodeStocks(node)
  const late = found.refresh()
  found.reset()
  node.answer(200)
  await late
  expect(shown(found)).toEqual([[], undefined])

  for (const status of [200, 503]) {
    const reading = found.refresh()
    node.answer(status)
    await reading
    expect(shown(found)).toEqual([['HLCYNd'], 'HLCYNd'])
  }
})
