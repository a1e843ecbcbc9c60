import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { hexToBytes } from '../../src/primitives/hex.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
import { CONTRACT_NETWORK, ofUsers, SYSTEM_TRANSACTIONS } from '../support/contract-chain.ts'
import { FIVE_LOGS_INIT, initCode, LOGGER_RUNTIME, word } from '../support/contracts.ts'
import type { WireBlock, WireLog } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'

const OWNER = DEVELOPMENT_ACCOUNTS[0]!.address
const LOGGER = createAddress(OWNER, 0n)
const OTHER_LOGGER = createAddress(OWNER, 1n)
const FIVE_LOGS = createAddress(OWNER, 3n)
const HASH = /^0x[0-9a-f]{64}$/

let server: ManualServer
/** By number: block 1 deploys, 2 and 3 have logs, 4 is open and has logs. */
const blocks: WireBlock[] = []

beforeAll(async () => {
  server = await startManualServer({}, { network: CONTRACT_NETWORK })
  const deploy = (nonce: bigint) =>
    server.send({ nonce, to: null, value: 0n, data: initCode(LOGGER_RUNTIME), gasLimit: 200_000n })
  await deploy(0n)
  await deploy(1n)
  await server.nextBlock()
  await emit(2n, LOGGER, 0xa)
  await server.send({ nonce: 3n, to: null, value: 0n, data: FIVE_LOGS_INIT, gasLimit: 200_000n })
  await server.nextBlock()
  await emit(4n, LOGGER, 0xb)
  await emit(5n, OTHER_LOGGER, 0xa)
  await server.nextBlock()
  await emit(6n, LOGGER, 0xc)
  await server.nextFlashblock()
  await emit(7n, OTHER_LOGGER, 0xd)
  await server.nextFlashblock()
  for (const tag of ['0x0', '0x1', '0x2', '0x3', 'pending']) {
    blocks.push(await server.result<WireBlock>('eth_getBlockByNumber', tag, false))
  }
})
afterAll(() => server.stop())

/** A log of `logger` with this topic and twice its value as data. */
function emit(nonce: bigint, logger: typeof LOGGER, topic: number): Promise<string> {
  const data = hexToBytes(word(topic) + word(2 * topic).slice(2))
  return server.send({ nonce, to: logger, value: 0n, data, gasLimit: 100_000n })
}

function getLogs(filter: object): Promise<WireLog[]> {
  return server.result('eth_getLogs', filter)
}

/** Blocks and first topics, which identify every log of the two loggers. */
async function found(filter: object): Promise<string[]> {
  const logs = await getLogs({ address: [LOGGER, OTHER_LOGGER], ...filter })
  return logs.map(({ blockNumber, topics, address }) => {
    return `${Number(blockNumber)}${address === LOGGER ? '' : '*'}:${Number(topics[0]).toString(16)}`
  })
}

describe('a log filter', () => {
  test('fromBlock is a hex number', async () => {
    expect(await found({ fromBlock: '0x2' })).toEqual(['2:a', '3:b', '3*:a'])
  })

  test.each([
    ['earliest', ['2:a', '3:b', '3*:a', '4:c', '4*:d']],
    ['finalized', ['2:a', '3:b', '3*:a', '4:c', '4*:d']],
    ['latest', ['3:b', '3*:a', '4:c', '4*:d']],
    ['pending', ['4:c', '4*:d']],
  ])('fromBlock is the tag %s', async (fromBlock, expected) => {
    expect(await found({ fromBlock, toBlock: 'pending' })).toEqual(expected)
  })

  test('fromBlock and toBlock are the tag safe', async () => {
    const loggers = [LOGGER, OTHER_LOGGER]
    const [safe, all, from, to] = (await server.batch(
      ['eth_getBlockByNumber', 'safe', false],
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'pending', address: loggers }],
      ['eth_getLogs', { fromBlock: 'safe', toBlock: 'pending', address: loggers }],
      ['eth_getLogs', { fromBlock: 'earliest', toBlock: 'safe', address: loggers }],
    )) as [WireBlock, WireLog[], WireLog[], WireLog[]]
    expect(from).toEqual(all.filter(({ blockNumber }) => Number(blockNumber) >= Number(safe.number)))
    expect(to).toEqual(all.filter(({ blockNumber }) => Number(blockNumber) <= Number(safe.number)))
  })

  test('fromBlock pending includes pre-confirmed logs', async () => {
    expect(await found({ fromBlock: 'pending', toBlock: 'pending' })).toEqual(['4:c', '4*:d'])
  })

  test('fromBlock is latest by default', async () => {
    expect(await found({ toBlock: 'latest' })).toEqual(['3:b', '3*:a'])
    expect(await found({ toBlock: 'pending' })).toEqual(['3:b', '3*:a', '4:c', '4*:d'])
  })

  test('toBlock is a hex number', async () => {
    expect(await found({ fromBlock: '0x0', toBlock: '0x2' })).toEqual(['2:a'])
  })

  test.each([
    ['earliest', []],
    ['finalized', []],
    ['latest', ['2:a', '3:b', '3*:a']],
    ['pending', ['2:a', '3:b', '3*:a', '4:c', '4*:d']],
  ])('toBlock is the tag %s', async (toBlock, expected) => {
    expect(await found({ fromBlock: 'earliest', toBlock })).toEqual(expected)
  })

  test('toBlock is latest by default', async () => {
    expect(await found({ fromBlock: '0x3' })).toEqual(['3:b', '3*:a'])
  })

  test('address is one contract address', async () => {
    expect(await found({ fromBlock: '0x0', toBlock: 'pending', address: OTHER_LOGGER })).toEqual(['3*:a', '4*:d'])
  })

  test('address is a list: any of them', async () => {
    expect(await found({ fromBlock: '0x3', toBlock: 'pending', address: [LOGGER] })).toEqual(['3:b', '4:c'])
    expect(await found({ fromBlock: '0x3', address: [LOGGER, OTHER_LOGGER] })).toEqual(['3:b', '3*:a'])
  })

  test('a topic position is null: any topic', async () => {
    expect(await found({ fromBlock: '0x2', topics: [null] })).toEqual(['2:a', '3:b', '3*:a'])
  })

  test('a topic position is one hex string', async () => {
    expect(await found({ fromBlock: '0x2', toBlock: 'pending', topics: [word(0xa)] })).toEqual(['2:a', '3*:a'])
  })

  test('a topic position is an array: any of them', async () => {
    const topics = [[word(0xb), word(0xd)]]
    expect(await found({ fromBlock: '0x2', toBlock: 'pending', topics })).toEqual(['3:b', '4*:d'])
  })

  test('every topic position must match; null matches any topic, or none', async () => {
    const counts = async (topics: unknown[]) =>
      (await getLogs({ fromBlock: '0x2', toBlock: '0x2', address: FIVE_LOGS, topics })).map((log) => log.topics.length)
    expect(await counts([])).toEqual([0, 1, 2, 3, 4])
    expect(await counts([null])).toEqual([0, 1, 2, 3, 4])
    expect(await counts([null, word(2)])).toEqual([2, 3, 4])
    expect(await counts([word(1), null, [word(3), word(9)]])).toEqual([3, 4])
    expect(await counts([null, null, null, null])).toEqual([0, 1, 2, 3, 4])
    expect(await counts([word(1), null, null])).toEqual([1, 2, 3, 4])
    expect(await counts([word(2)])).toEqual([])
  })

  test('blockHash restricts to one block', async () => {
    expect(await found({ blockHash: blocks[2]!.hash })).toEqual(['2:a'])
    expect(await found({ blockHash: blocks[4]!.hash })).toEqual(['4:c', '4*:d'])
  })

  test('blockHash overrides the range', async () => {
    const range = { fromBlock: '0x3', toBlock: 'pending' }
    expect(await found({ blockHash: blocks[2]!.hash, ...range })).toEqual(['2:a'])
    expect(await found({ blockHash: blocks[2]!.hash, fromBlock: '0x9', toBlock: '0x1' })).toEqual(['2:a'])
  })

  test('a filter without criteria applies to the latest block', async () => {
    expect(await getLogs({})).toEqual(await getLogs({ fromBlock: '0x3', toBlock: '0x3' }))
    expect(await getLogs({})).toHaveLength(2)
  })

  test('the partial block of an earlier flashblock still has its logs by its hash', async () => {
    const [before] = await getLogs({ fromBlock: 'pending', toBlock: 'pending' })
    const partial = await startOfPending()
    expect(partial.map(({ logIndex, transactionHash }) => [logIndex, transactionHash])).toEqual([
      [before!.logIndex, before!.transactionHash],
    ])
  })
})

/** Logs of the open block with the first transaction of users only. */
async function startOfPending(): Promise<WireLog[]> {
  const { partials } = server.node.view().head
  const hash = [...partials.flatMap((ofBlock) => [...ofBlock.values()])].find(
    ({ header, transactionCount }) => header.number === 4 && transactionCount === SYSTEM_TRANSACTIONS + 1,
  )!.hash
  const logs = await getLogs({ blockHash: hash })
  for (const log of logs) expect(log.blockHash).toBe(hash)
  return logs
}

describe('a log', () => {
  const logsOf = (blockNumber: string) => getLogs({ fromBlock: blockNumber, toBlock: blockNumber })

  test('has these members and no others', async () => {
    for (const blockNumber of ['0x2', 'pending']) {
      for (const log of await logsOf(blockNumber)) {
        expect(Object.keys(log).sort()).toEqual(
          [
            ...['address', 'blockHash', 'blockNumber', 'blockTimestamp', 'data', 'logIndex', 'removed', 'topics'],
            ...['transactionHash', 'transactionIndex'],
          ].sort(),
        )
      }
    }
  })

  test('address is the contract that emitted it', async () => {
    expect((await logsOf('0x3')).map(({ address }) => address)).toEqual([LOGGER, OTHER_LOGGER])
  })

  test('topics are 0 to 4 of 32 bytes', async () => {
    const topics = (await logsOf('0x2')).slice(1).map((log) => log.topics)
    expect(topics).toEqual([0, 1, 2, 3, 4].map((count) => [1, 2, 3, 4].slice(0, count).map(word)))
  })

  test('data holds the parameters that are not indexed', async () => {
    expect((await logsOf('0x3')).map(({ data }) => data)).toEqual([word(0x16), word(0x14)])
  })

  test('blockNumber is that of its block', async () => {
    expect(new Set((await logsOf('0x2')).map(({ blockNumber }) => blockNumber))).toEqual(new Set(['0x2']))
    expect(new Set((await logsOf('pending')).map(({ blockNumber }) => blockNumber))).toEqual(new Set(['0x4']))
  })

  test('blockTimestamp is that of its block', async () => {
    expect((await logsOf('0x2'))[0]!.blockTimestamp).toBe(blocks[2]!.timestamp)
    expect((await logsOf('pending'))[0]!.blockTimestamp).toBe(blocks[4]!.timestamp)
  })

  test('transactionHash is that of its transaction', async () => {
    expect((await logsOf('0x3')).map(({ transactionHash }) => transactionHash)).toEqual(
      ofUsers(blocks[3]!.transactions),
    )
    expect((await logsOf('pending')).map(({ transactionHash }) => transactionHash)).toEqual(
      ofUsers(blocks[4]!.transactions),
    )
  })

  test('transactionIndex is the index of the transaction in the block', async () => {
    const indexesIn = async (tag: string) => (await logsOf(tag)).map(({ transactionIndex }) => transactionIndex)
    const [first, second] = [0, 1].map((index) => toQuantity(SYSTEM_TRANSACTIONS + index))
    expect(await indexesIn('0x2')).toEqual([first, second, second, second, second, second])
    expect(await indexesIn('pending')).toEqual([first, second])
  })

  test('blockHash is that of its block; for the open block that of the partial block', async () => {
    for (const number of [2, 3, 4]) {
      const [log] = await logsOf(number === 4 ? 'pending' : `0x${number}`)
      expect(log!.blockHash).toMatch(HASH)
      expect(log!.blockHash).toBe(blocks[number]!.hash)
    }
  })

  test('logIndex is the index of the log in the block', async () => {
    const indexes = (await logsOf('0x2')).map(({ logIndex }) => logIndex)
    expect(indexes).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4', '0x5'])
    expect((await logsOf('pending')).map(({ logIndex }) => logIndex)).toEqual(['0x0', '0x1'])
  })

  test('removed is false without a reorganization', async () => {
    const all = await getLogs({ fromBlock: '0x0', toBlock: 'pending' })
    expect(all.map(({ removed }) => removed)).toEqual(all.map(() => false))
  })
})
