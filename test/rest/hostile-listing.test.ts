import { type Hex, keccak256, stringToHex, toFunctionSelector } from 'viem'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createNetwork } from '../../src/chain/genesis/networks.ts'
import type { LogMatch } from '../../src/chain/receipt/log-query.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { LATEST } from '../../src/node/view/block-reference.ts'
import { View } from '../../src/node/view/view.ts'
import { type Address, hexToBytes, toHash } from '../../src/primitives/hex.ts'
import { readAt } from '../../src/rest/tokenized-stocks/chain-source.ts'
import { NodeSource } from '../../src/rest/tokenized-stocks/node-source.ts'
import { type ManualNode, READ_LIMITS, startManualNode } from '../support/manual-node.ts'
import { idOf } from '../support/stock-chain.ts'
import { stockLists } from '../support/stock-lists.ts'
import { signTransfer } from '../support/transfers.ts'

const ROLE_GRANTED = keccak256(stringToHex('RoleGranted(bytes32,address,address)'))

const { genesis } = createNetwork()

let manual: ManualNode
beforeEach(async () => {
  manual = await startManualNode()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await manual.node.stop()
})

/**
 * A contract with MINT_ROLE(), totalSupply() and decimals() that emits RoleGranted, for a role other than MINT_ROLE,
 * until the gas of a transaction without calldata is used.
 */
function spammerCode(): string {
  const bare = (hex: Hex) => hex.slice(2)
  const branch = (signature: string, target: string) => `8063${bare(toFunctionSelector(signature))}1461${target}57`
  const returned = (push: string) => `5b${push}5f5260205ff3`
  const six = returned('6006')
  const role = returned(`7f${bare(idOf('MINT_ROLE'))}`)
  const start = (loop: string, sixAt: string, roleAt: string) =>
    `361561${loop}575f3560e01c${branch('MINT_ROLE()', roleAt)}${branch('totalSupply()', sixAt)}${branch('decimals()', sixAt)}5f5ffd`
  const at = (bytes: string) => (bytes.length / 2).toString(16).padStart(4, '0')
  const none = '0000'
  const sixAt = at(start(none, none, none))
  const roleAt = at(start(none, none, none) + six)
  const loopAt = at(start(none, none, none) + six + role)
  // LOG4 until 10,000 gas are left.
  const loop = `5b5f5f5f7f${bare(ROLE_GRANTED)}5f5fa46127105a1161${loopAt}5700`
  return start(loopAt, sixAt, roleAt) + six + role + loop
}

async function send(nonce: bigint, to: Address | null, data: string, gasLimit: bigint): Promise<void> {
  const { raw } = signTransfer({ nonce, to, value: 0n, data: hexToBytes(`0x${data}`), gasLimit })
  expect(await manual.node.submit(raw)).toMatchObject({ kind: 'accepted' })
  await manual.nextBlock()
}

/** The contract, in block 1, and thousands of its logs in the blocks after that. */
async function spammed(blocks: number): Promise<Address> {
  const code = spammerCode()
  const { from } = signTransfer({ nonce: 0n })
  await send(0n, null, `61${(code.length / 2).toString(16).padStart(4, '0')}80600a5f395ff3${code}`, 500_000n)
  const token = createAddress(from, 0n)
  for (let block = 1; block <= blocks; block++) await send(BigInt(block), token, '', 3_000_000n)
  await manual.node.idle()
  return token
}

/** Counts the logs that searches read, and notes the first block of each search. */
function watchedSearches(): { read: number; readonly from: number[] } {
  const watched = { read: 0, from: [] as number[] }
  const logs = View.prototype.logs
  vi.spyOn(View.prototype, 'logs').mockImplementation(function* (this: View, ...search) {
    watched.from.push(search[1])
    for (const match of logs.apply(this, search)) {
      watched.read += 1
      yield match
    }
  })
  return watched
}

test('a token with thousands of events has a record without a date, after few of them were read', async () => {
  const token = await spammed(3)
  const total = [...manual.node.view().logs({ addresses: [token], topics: [] }, 0, 4)].length
  expect(total).toBeGreaterThan(4_000)
  const watched = watchedSearches()
  const { one } = stockLists(manual.node)

  expect(await one(token)).toMatchObject({ listed_at_block: null })
  expect(watched.read).toBeLessThan(600)

  watched.read = 0
  await manual.nextBlock()
  expect(await one(token)).toMatchObject({ listed_at_block: null })
  expect(watched.read).toBe(0)
})

test('a search ends with the time of one call, and yields on its way', async () => {
  const token = await spammed(3)
  let time = 0
  let yields = 0
  const source = new NodeSource(
    { ...READ_LIMITS, callTimeoutMs: 1_000 },
    {
      node: manual.node,
      genesis,
      now: () => time,
      nextTurn: async () => {
        yields += 1
      },
    },
  )
  const seen = new Set<string>()
  const query = { addresses: [token], topics: [[toHash(ROLE_GRANTED)]] }
  const scan = { query, from: 0, to: 4 }
  const visit = ({ blockNumber, logIndex }: LogMatch) => {
    // Each log takes a millisecond.
    time += 1
    seen.add(`${blockNumber}-${logIndex}`)
    return true
  }

  const outcomes = await readAt(source.block(LATEST)!, async (reads) => [
    await reads.scanLogs({ ...scan, visit }),
    await reads.scanLogs({ ...scan, visit }),
  ])

  expect(outcomes).toEqual([undefined, undefined])
  expect(time).toBe(1_001)
  expect(seen.size).toBe(time)
  expect(yields).toBeGreaterThan(50)
})

test('a search that is interrupted in a block passes each of its logs once', async () => {
  const token = await spammed(2)
  let time = 0
  const source = new NodeSource(
    { ...READ_LIMITS, callTimeoutMs: 1e9 },
    { node: manual.node, genesis, now: () => (time += 5), nextTurn: async () => undefined },
  )
  const found: string[] = []
  const query = { addresses: [token], topics: [] }
  const visit = ({ blockNumber, logIndex }: LogMatch) => {
    found.push(`${blockNumber}-${logIndex}`)
    return true
  }

  expect(await readAt(source.block(LATEST)!, (reads) => reads.scanLogs({ query, from: 0, to: 3, visit }))).toBe(0)

  const all = [...manual.node.view().logs(query, 0, 3)].map(({ blockNumber, logIndex }) => `${blockNumber}-${logIndex}`)
  expect(found).toEqual(all)
})

test('lists at pending search the sealed blocks once', async () => {
  await manual.nextBlock()
  await manual.nextBlock()
  const { list } = stockLists(manual.node)
  const before = await list('pending')
  const watched = watchedSearches()
  const { raw } = signTransfer({ nonce: 0n })
  expect(await manual.node.submit(raw)).toMatchObject({ kind: 'accepted' })
  await manual.nextFlashblock()

  expect(await list('pending')).toEqual(before)
  expect([...new Set(watched.from)]).toEqual([3])
})
