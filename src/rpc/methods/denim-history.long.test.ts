import { beforeEach, expect, test } from 'vitest'
import { type RpcNode, startRpcNode } from '../../../test/support/rpc-node.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { DENIM_BLOCKS } from '../../node/production/building/schedule.ts'
import { toQuantity } from '../../primitives/quantity.ts'

const START = 1_767_225_600n
const BEACON_ROOT_SLOTS = 8_191n
const NEWEST = 300
const BLOCK_HASHES = 256

const word = (value: bigint | number) => `0x${value.toString(16).padStart(64, '0')}`

let node: RpcNode
beforeEach(async () => {
  node = await startRpcNode(
    { development: true },
    {
      network: { upgrade: 'denim', timestamp: START },
      schedule: DENIM_BLOCKS,
      development: { mining: MANUAL },
    },
  )
})
async function hashOf(number: number): Promise<unknown> {
  return (await node.result('eth_getBlockByNumber', toQuantity(number), false)).hash
}

/** `BLOCKHASH` of a height, in a call at the newest block. */
function blockHash(number: number): Promise<unknown> {
  return node.result('eth_call', { data: `0x61${number.toString(16).padStart(4, '0')}405f5260205ff3` }, 'latest')
}

test('BLOCKHASH reaches 256 blocks back, which are 51.2 seconds', async () => {
  await node.result('anvil_mine', toQuantity(NEWEST))

  const oldest = NEWEST - BLOCK_HASHES
  expect(await blockHash(NEWEST - 1)).toBe(await hashOf(NEWEST - 1))
  expect(await blockHash(oldest)).toBe(await hashOf(oldest))
  expect(await blockHash(oldest - 1)).toBe(word(0))
  const [newest, first] = await Promise.all(
    [NEWEST, oldest].map((number) => node.result('eth_getBlockByNumber', toQuantity(number), false)),
  )
  expect(Number(newest!.timestampMs) - Number(first!.timestampMs)).toBe(51_200)
})

test('the history contract has the hash of every block, also of those that share a second', async () => {
  await node.result('anvil_mine', toQuantity(NEWEST))

  const stored = (number: number) =>
    node.result('eth_call', { to: HISTORY_STORAGE_ADDRESS, data: word(number) }, 'latest')
  for (const number of [0, 1, 2, 3, 4, 5, 6, 43, NEWEST - 1]) expect(await stored(number)).toBe(await hashOf(number))
  const { error } = await node.request('eth_call', { to: HISTORY_STORAGE_ADDRESS, data: word(NEWEST) }, 'latest')
  expect(error?.code).toBe(3)
})

test('five blocks write one slot of the beacon roots contract', async () => {
  await node.result('anvil_mine', '0x9')

  const timeIn = (time: bigint) =>
    node.result('eth_getStorageAt', BEACON_ROOTS_ADDRESS, toQuantity(time % BEACON_ROOT_SLOTS), 'latest')
  const seconds = await Promise.all(
    [5, 6, 7, 8, 9].map(
      async (number) => (await node.result('eth_getBlockByNumber', toQuantity(number), false)).timestamp,
    ),
  )
  expect(new Set(seconds)).toEqual(new Set([toQuantity(START + 1n)]))
  expect([await timeIn(START), await timeIn(START + 1n), await timeIn(START + 2n)]).toEqual([
    word(START),
    word(START + 1n),
    word(0),
  ])
  const { parentBeaconBlockRoot } = await node.result('eth_getBlockByNumber', '0x9', false)
  expect(await node.result('eth_call', { to: BEACON_ROOTS_ADDRESS, data: word(START + 1n) }, 'latest')).toBe(
    parentBeaconBlockRoot,
  )
})
