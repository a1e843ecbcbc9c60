import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { signBlobTransfer } from '../../test/support/blob-transactions.ts'
import { callTo, executed, NO_CHECKS } from '../../test/support/engine-fixture.ts'
import { COUNTER, type ForkedNode, LOGGER, openTestFork, startForkedNode } from '../../test/support/forked-node.ts'
import { normal } from '../../test/support/normal-value.ts'
import { startRpcServer } from '../../test/support/rpc-server.ts'
import type { Fault } from '../../test/support/unreliable-upstream.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import type { LogQuery } from '../chain/receipt/log-query.ts'
import type { Receipt } from '../chain/receipt/receipt.ts'
import type { Transaction } from '../chain/transaction/transaction.ts'
import { recoverTransaction } from '../chain/transaction/transaction-codec.ts'
import { blockEnv } from '../engine/block/block-env.ts'
import { createEngine } from '../engine/session/create-engine.ts'
import { type Address, bytesToHex, type Hash, type Slot, toAddress, ZERO_HASH } from '../primitives/hex.ts'
import { bigintToSlot } from '../primitives/quantity.ts'
import { formatIncludedTransaction } from '../rpc/format/transaction.ts'
import { MissingStateError, whenLoaded } from '../state/missing-state.ts'
import type { StateReader } from '../state/state-reader.ts'
import { openStateTrie } from '../state/trie/state-trie.ts'
import type { ChainFork } from './chain-fork.ts'
import { ForkError, type ForkErrorCode } from './source/fork-error.ts'
import type { StateAccess } from './source/fork-point.ts'

const HEIGHT = 4
const SLOT = bigintToSlot(0n)
const UNUSED = toAddress(`0x${'77'.repeat(20)}`)
const SENDER = DEVELOPMENT_ACCOUNTS[2]!.address
const ANY_LOG: LogQuery = { addresses: [], topics: [] }

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())
beforeEach(() => {
  upstream.without = new Set()
  upstream.maxLogBlocks = 10_000
  upstream.proxy.faults = []
  upstream.proxy.methods.length = 0
})

const forks: ChainFork[] = []
afterEach(async () => {
  for (const fork of forks.splice(0)) await fork.close()
})

async function open(...[options, client]: [Parameters<typeof openTestFork>[1]?, Parameters<typeof openTestFork>[2]?]) {
  const fork = await openTestFork(upstream.proxy.url, { blockNumber: HEIGHT, ...options }, client)
  forks.push(fork)
  return fork
}

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'fork-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The state of the upstream, as its own node reads it. */
function stateAt(number: number): StateReader {
  return upstream.node.node.view().state({ kind: 'number', number })!
}

async function codeOf(work: Promise<unknown>): Promise<ForkErrorCode> {
  const error = await work.then(
    () => expect.unreachable('succeeded'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ForkError)
  return (error as ForkError).code
}

/** Everything that a reader can say of some accounts. */
async function readAll(state: StateReader) {
  const read = async (address: Address) => {
    const account = await whenLoaded(() => state.account(address))
    return {
      account,
      code: account && (await whenLoaded(() => state.code(account.codeHash))).toString(),
      slot: await whenLoaded(() => state.storage(address, SLOT)),
      unset: await whenLoaded(() => state.storage(address, bigintToSlot(99n))),
    }
  }
  return {
    accounts: await Promise.all([COUNTER, LOGGER, SENDER, UNUSED].map(read)),
    blockHash: await whenLoaded(() => state.blockHash(HEIGHT - 2)),
    later: state.blockHash(HEIGHT + 1),
  }
}

describe('state', () => {
  test.each<[StateAccess, string[]]>([
    ['proofs', []],
    ['values', ['eth_getProof', 'eth_getAccountInfo']],
  ])('by %s equals that of the upstream at the fork block', async (access, without) => {
    upstream.without = new Set(without)
    const fork = await open()
    expect(fork.status.access).toBe(access)
    expect(await readAll(fork.state)).toEqual({ ...(await readAll(stateAt(HEIGHT))), later: ZERO_HASH })
    expect(fork.state.hasStorage(UNUSED)).toBe(false)
  })

  test('a read without waiting throws until the account is loaded', async () => {
    const { state } = await open()
    const missing = (() => {
      try {
        return state.account(COUNTER)
      } catch (error) {
        return error
      }
    })()
    expect(missing).toBeInstanceOf(MissingStateError)
    await (missing as MissingStateError).load()
    expect(state.account(COUNTER)).toEqual(stateAt(HEIGHT).account(COUNTER))
  })

  test('a second read asks nothing', async () => {
    const { state } = await open()
    await readAll(state)
    const { requests } = upstream.proxy
    await readAll(state)
    expect(upstream.proxy.requests).toBe(requests)
  })

  test('reads of one turn are one request', async () => {
    const { state } = await open()
    const before = upstream.proxy.requests
    await Promise.all([COUNTER, LOGGER, SENDER].map((address) => whenLoaded(() => state.account(address))))
    expect(upstream.proxy.requests).toBe(before + 1)
  })

  test('accounts, code and slots of an access list are loaded in one request', async () => {
    const { state } = await open()
    const before = upstream.proxy.requests
    await state.prefetch([
      { address: COUNTER, storageKeys: [ZERO_HASH] },
      { address: SENDER, storageKeys: [] },
    ])
    expect(upstream.proxy.requests).toBe(before + 1)
    expect(state.storage(COUNTER, SLOT)).toBe(stateAt(HEIGHT).storage(COUNTER, SLOT))
    expect(state.code(state.account(COUNTER)!.codeHash)).toHaveLength(14)
    expect(state.account(SENDER)).toEqual(stateAt(HEIGHT).account(SENDER))
  })

  test('proofs give the state root of a block on top of the fork', async () => {
    const { state, point } = await open()
    await state.prefetch([
      { address: COUNTER, storageKeys: [ZERO_HASH] },
      { address: UNUSED, storageKeys: [] },
    ])
    const diff = {
      accounts: new Map([
        [COUNTER, { account: { ...state.account(COUNTER)!, balance: 5n }, storageCleared: false }],
        [
          UNUSED,
          { account: { nonce: 0n, balance: 7n, codeHash: state.account(COUNTER)!.codeHash }, storageCleared: false },
        ],
      ]),
      storage: new Map([[COUNTER, new Map<Slot, bigint>([[SLOT, 1_000n]])]]),
      code: new Map(),
    }
    const own = upstream.node.node.view()
    const block = own.block({ kind: 'number', number: HEIGHT })!
    const expected = own.trieOf(block)!.apply(diff).root
    expect(openStateTrie(point.stateRoot, state.trieNodes).apply(diff).root).toBe(expected)
  })

  test.each<Fault>(['reset', 'truncated', 'notJson', 'limited', 'oneMissing', 'status500'])(
    'is read in spite of: %s',
    async (fault) => {
      const { state } = await open()
      upstream.proxy.faults = [fault, fault]
      const account = await whenLoaded(() => state.account(COUNTER))
      expect(account).toEqual(stateAt(HEIGHT).account(COUNTER))
    },
  )

  test('a proof that does not lead to the state root is refused', async () => {
    const { state } = await open()
    upstream.proxy.faults = ['strangeResult']
    expect(await codeOf(Promise.resolve(whenLoaded(() => state.account(COUNTER))))).toBe('FORK_DATA_INVALID')
  })
})

describe('the engine on the state of a fork', () => {
  test.each<[StateAccess, string[]]>([
    ['proofs', []],
    ['values', ['eth_getProof', 'eth_getAccountInfo']],
  ])('calls return what they return at the upstream (%s)', async (_, without) => {
    upstream.without = new Set(without)
    const { state, reading } = await open()
    const { config } = upstream.node.node
    const env = blockEnv(reading.header, config)
    for (const to of [COUNTER, LOGGER, UNUSED]) {
      const result = await createEngine({ config })
        .open(env, state)
        .call(callTo(to, { from: SENDER }), NO_CHECKS)
      const expected = await upstream.node.result('eth_call', { from: SENDER, to }, `0x${HEIGHT.toString(16)}`)
      expect(bytesToHex(executed(result).output)).toBe(expected)
    }
  })

  test('concurrent calls share their requests', async () => {
    const { state, reading } = await open()
    const { config } = upstream.node.node
    const engine = createEngine({ config })
    const run = () =>
      engine.open(blockEnv(reading.header, config), state).call(callTo(COUNTER, { from: SENDER }), NO_CHECKS)
    const before = upstream.proxy.requests
    await run()
    const alone = upstream.proxy.requests - before

    const other = await open()
    const again = upstream.proxy.requests
    const runOther = () =>
      engine.open(blockEnv(reading.header, config), other.state).call(callTo(COUNTER, { from: SENDER }), NO_CHECKS)
    await Promise.all(Array.from({ length: 10 }, runOther))
    expect(upstream.proxy.requests - again).toBe(alone)
  })
})

/** Nothing commits to the fees for layer 1, which the upstream adds to receipts. */
function withFeeMembers(receipts: readonly Receipt[]) {
  const foreign = expect.objectContaining({ l1Fee: '0x0' })
  return receipts.map((receipt) => ({ ...(normal(receipt) as object), foreign }))
}

describe('chain', () => {
  test('blocks, receipts and transactions equal those of the upstream', async () => {
    const { chain } = await open()
    const own = upstream.node.node.view()
    for (let number = 0; number <= HEIGHT; number++) {
      const expected = own.block({ kind: 'number', number })!
      const block = await chain.block(number)
      expect(normal(block)).toEqual(normal(expected.block))
      expect(await chain.block(expected.block.hash)).toEqual(block)
      expect(normal(await chain.receipts(block!))).toEqual(withFeeMembers(expected.receipts))
      for (const [index, { hash }] of block!.transactions.entries()) {
        expect(await chain.transaction(hash)).toEqual({ block, index })
      }
    }
  })

  test('receipts are read one by one where the upstream does not give those of a block', async () => {
    upstream.without = new Set(['eth_getBlockReceipts'])
    const { chain } = await open()
    const block = await chain.block(2)
    const expected = upstream.node.node.view().block({ kind: 'number', number: 2 })!
    expect(normal(await chain.receipts(block!))).toEqual(withFeeMembers(expected.receipts))
  })

  test('nothing above the fork block is there', async () => {
    const { chain } = await open()
    const above = upstream.node.node.view().block({ kind: 'number', number: HEIGHT + 1 })!.block
    expect(await chain.block(HEIGHT + 1)).toBeUndefined()
    expect(await chain.block(above.hash)).toBeUndefined()
    expect(await chain.header(above.hash)).toBeUndefined()
    expect(await chain.transaction(above.transactions[0]!.hash)).toBeUndefined()
    expect(await chain.block(`0x${'12'.repeat(32)}` as Hash)).toBeUndefined()
  })

  test('logs equal those of the upstream', async () => {
    const { chain } = await open()
    const expected = [...upstream.node.node.view().logs(ANY_LOG, 0, HEIGHT)]
    expect(expected.length).toBeGreaterThan(5)
    expect(normal(await chain.logs(ANY_LOG, { from: 0, to: HEIGHT }))).toEqual(normal(expected))
    const query: LogQuery = { addresses: [LOGGER], topics: [[]] }
    expect(normal(await chain.logs(query, { from: 2, to: 3 }))).toEqual(
      normal([...upstream.node.node.view().logs(query, 2, 3)]),
    )
  })

  test('a range of logs that the upstream finds too large is divided', async () => {
    const { chain } = await open()
    upstream.maxLogBlocks = 2
    const found = await chain.logs(ANY_LOG, { from: 0, to: HEIGHT })
    expect(normal(found)).toEqual(normal([...upstream.node.node.view().logs(ANY_LOG, 0, HEIGHT)]))
    expect(upstream.proxy.methods.filter((name) => name === 'eth_getLogs').length).toBeGreaterThan(3)
  })
})

describe('opening', () => {
  test('a negative number counts from the newest block', async () => {
    const head = Number(await upstream.node.result('eth_blockNumber'))
    expect((await open({ blockNumber: -2 })).point.number).toBe(head - 2)
    expect((await open({ blockNumber: undefined })).point.number).toBe(head)
  })

  test('a transaction forks before its block and names what to execute', async () => {
    const { block } = upstream.node.node.view().block({ kind: 'number', number: 3 })!
    const fork = await open({ blockNumber: undefined, transactionHash: block.transactions[1]!.hash })
    expect(fork.point.number).toBe(2)
    const raws = (transactions: readonly Transaction[]) => normal(transactions.map(({ raw }) => raw))
    expect(raws(fork.replayed!.transactions)).toEqual(raws(block.transactions.slice(0, 2)))
    expect(fork.replayed!.header).toEqual(block.header)
  })

  test('a transaction behind a blob transaction is refused with the block to begin on', async () => {
    const { block } = upstream.node.node.view().block({ kind: 'number', number: 3 })!
    const { sidecar: _, ...blob } = signBlobTransfer().transaction
    const first = formatIncludedTransaction(recoverTransaction(blob), block, 0)
    const hash = block.transactions[1]!.hash
    const server = await startRpcServer(async (body) => {
      const replies = JSON.parse((await upstream.node.rpc.handle(body))!)
      for (const { result } of [replies].flat())
        if (typeof result?.transactions?.[0] === 'object') result.transactions[0] = first
      return JSON.stringify(replies)
    })
    onTestFinished(() => server.close())

    const opened = openTestFork(server.url, { transactionHash: hash })

    await expect(opened).rejects.toThrow(`block 3 has the blob transaction ${blob.hash}`)
    await expect(opened).rejects.toThrow('--fork-block-number 3')
  })

  test.each<[string, Parameters<typeof open>[0], ForkErrorCode]>([
    ['a block that does not exist', { blockNumber: 999 }, 'FORK_BLOCK_MISSING'],
    ['a block before the first one', { blockNumber: -999 }, 'FORK_BLOCK_MISSING'],
    ['an unknown transaction', { transactionHash: `0x${'12'.repeat(32)}` as Hash }, 'FORK_BLOCK_MISSING'],
    ['no cache', { isOffline: true, cachePath: '/nonexistent' }, 'FORK_OFFLINE'],
  ])('is refused for %s', async (_, options, code) => {
    expect(await codeOf(open(options))).toBe(code)
  })

  test('is refused for upstreams of different chains', async () => {
    upstream.proxy.faults = ['wrongChain']
    const urls = [upstream.proxy.url, upstream.proxy.url]
    expect(await codeOf(open({}, { urls }))).toBe('FORK_WRONG_CHAIN')
  })

  test('another upstream of the same chain can take over, one of another chain cannot', async () => {
    const fork = await open()
    upstream.proxy.faults = ['wrongChain']
    expect(await codeOf(fork.setUrls([upstream.proxy.url]))).toBe('FORK_WRONG_CHAIN')
    await fork.setUrls([upstream.proxy.url])
    expect(await whenLoaded(() => fork.state.account(COUNTER))).toEqual(stateAt(HEIGHT).account(COUNTER))
  })
})

describe('cache', () => {
  test('a second run needs no upstream', async () => {
    const cachePath = temporaryDirectory()
    const first = await open({ cachePath })
    const state = await readAll(first.state)
    const block = await first.chain.block(2)
    const receipts = await first.chain.receipts(block!)
    const logs = await first.chain.logs(ANY_LOG, { from: 1, to: 3 })
    await forks.pop()!.close()

    const { requests } = upstream.proxy
    const second = await open({ cachePath, isOffline: true })
    expect(second.point).toEqual(first.point)
    expect(second.reading).toEqual(first.reading)
    expect(await readAll(second.state)).toEqual(state)
    expect(await second.chain.block(2)).toEqual(block)
    expect(await second.chain.receipts(block!)).toEqual(receipts)
    expect(await second.chain.logs(ANY_LOG, { from: 1, to: 3 })).toEqual(logs)
    expect(upstream.proxy.requests).toBe(requests)
  })

  test('offline, what is not cached is an error that says what to do', async () => {
    const cachePath = temporaryDirectory()
    await open({ cachePath })
    await forks.pop()!.close()
    const { state } = await open({ cachePath, isOffline: true })
    const reading = Promise.resolve(whenLoaded(() => state.account(COUNTER)))
    await expect(reading).rejects.toThrow(/eth_getProof .*run once without --fork-offline/)
    expect(await codeOf(reading)).toBe('FORK_OFFLINE')
  })

  test('forks of one block share a cache while both are open', async () => {
    const cachePath = temporaryDirectory()
    const [first, second] = [await open({ cachePath }), await open({ cachePath })]
    await whenLoaded(() => first.state.account(COUNTER))
    await new Promise((resolve) => setImmediate(resolve))
    const { requests } = upstream.proxy
    await expect
      .poll(() => {
        try {
          return second.state.account(COUNTER)
        } catch {
          return undefined
        }
      })
      .toEqual(stateAt(HEIGHT).account(COUNTER))
    expect(upstream.proxy.requests).toBe(requests)
  })
})
