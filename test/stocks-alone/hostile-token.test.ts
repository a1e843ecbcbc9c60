import { afterAll, beforeAll, expect, test } from 'vitest'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import type { Registry } from '../../src/rest/tokenized-stocks/registry.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { standaloneService } from '../support/standalone-service.ts'

/**
 * Returns 42 for `totalSupply()` and 0 for `decimals()`; any other call uses up all its gas, as in contracts compiled
 * by solc before 0.4.10.
 */
const GREEDY =
  '602b600a5f39602b5ff35f3560e01c806318160ddd14601a578063313ce56714602357fe5b602a5f5260205ff35b5f5f5260205ff3'
const SPLIT = toAddress('0x5700000000000000000000000000000000000003')
const LIST = '/v1/tokenized-stocks'

let node: ManualServer
beforeAll(async () => {
  node = await startManualServer({}, {}, {}, { registry: () => registry })
})
afterAll(() => node.stop())

let registry: Registry = { tokens: [], lists: 'registered', digest: 'empty' }

test('a token that uses up all gas of a read does not make another one look like a non-token', async () => {
  const greedy: string[] = []
  for (let nonce = 0n; nonce < 3n; nonce++) {
    const hash = await node.send({ nonce, to: null, value: 0n, data: hexToBytes(`0x${GREEDY}`), gasLimit: 300_000n })
    await node.nextBlock()
    const receipt = await node.result<{ contractAddress: string }>('eth_getTransactionReceipt', hash)
    greedy.push(receipt.contractAddress)
  }
  const tokens = [...greedy, SPLIT, greedy[0]!].map((address) => {
    return {
      address: toAddress(address),
      chainId: undefined,
      symbol: 's',
      name: 'n',
      isin: 'i',
      iconUrl: '',
      navFeed: SPLIT,
    }
  })
  registry = { tokens, lists: 'registered', digest: 'greedy' }
  const service = standaloneService({ url: node.url, registry: () => registry })
  const { body } = await service.get(LIST)
  const list = JSON.parse(String(body)).tokens as { total_supply: number; multiplier: number }[]
  expect(list.map(({ total_supply }) => total_supply)).toEqual([42, 42, 42, 400_000])
  expect(list.at(-1)!.multiplier).toBe(2)
  expect(body).toBe(await (await fetch(`${node.url}${LIST}`)).text())
})
