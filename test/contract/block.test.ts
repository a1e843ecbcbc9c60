import { createHash } from 'node:crypto'
import { createMPT } from '@ethereumjs/mpt'
import { concat, type Hex, keccak256, toRlp } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
import { CONTRACT_NETWORK, ofUsers, SYSTEM_TRANSACTIONS } from '../support/contract-chain.ts'
import { FIVE_LOGS_INIT } from '../support/contracts.ts'
import type { WireBlock, WireReceipt } from '../support/json-rpc-client.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { signTransfer } from '../support/transfers.ts'

const EMPTY_LIST_HASH = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const ZERO_HASH = `0x${'0'.repeat(64)}`
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/
const HASH = /^0x[0-9a-f]{64}$/
const creation = signTransfer({ nonce: 0n, to: null, value: 0n, data: FIVE_LOGS_INIT, gasLimit: 200_000n })

let server: ManualServer
let parent: WireBlock
let block: WireBlock
let full: WireBlock
/** Receipts of all transactions in `block`. The last one is the user's. */
let receipts: readonly WireReceipt[]
let receipt: WireReceipt
/** Raw bytes of all transactions in `block` (EIP-2718), in hex. */
let encoded: readonly Hex[]

beforeAll(async () => {
  server = await startManualServer({}, { network: CONTRACT_NETWORK })
  await server.nextBlock()
  await server.result('eth_sendRawTransaction', bytesToHex(creation.raw))
  await server.nextBlock()
  parent = await server.result('eth_getBlockByNumber', '0x1', false)
  block = await server.result('eth_getBlockByNumber', '0x2', false)
  full = await server.result('eth_getBlockByNumber', '0x2', true)
  receipts = await server.result('eth_getBlockReceipts', '0x2')
  receipt = receipts.at(-1)!
  encoded = await Promise.all(block.transactions.map((hash) => server.result<Hex>('debug_getRawTransaction', hash)))
})
afterAll(() => server.stop())

/** RLP encodes zero as an empty string: quantities have no leading zeros. */
function integer(quantity: unknown): Hex {
  const digits = BigInt(quantity as string).toString(16)
  return digits === '0' ? '0x' : `0x${digits.padStart(digits.length + (digits.length % 2), '0')}`
}

const HEADER: readonly (readonly [name: string, isQuantity: boolean])[] = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(
    (name) => [name, false] as const,
  ),
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'].map((name) => [name, true] as const),
  ...['extraData', 'mixHash', 'nonce'].map((name) => [name, false] as const),
  ['baseFeePerGas', true],
  ['withdrawalsRoot', false],
  ['blobGasUsed', true],
  ['excessBlobGas', true],
  ['parentBeaconBlockRoot', false],
  ['requestsHash', false],
]

function headerFields(of: WireBlock): Hex[] {
  return HEADER.map(([name, isQuantity]) => (isQuantity ? integer(of[name]) : (of[name] as Hex)))
}

/** The root of the trie of transactions or receipts of a block, by another implementation. */
async function rootOf(values: readonly Hex[]): Promise<Hex> {
  const trie = await createMPT()
  for (const [index, value] of values.entries()) await trie.put(hexToBytes(toRlp(integer(index))), hexToBytes(value))
  return bytesToHex(trie.root())
}

/** A receipt as it is encoded (EIP-2718); those of deposits have two members more (OP-stack specs, deposits). */
function encodedReceipt(of: WireReceipt): Hex {
  const logs = of.logs.map(({ address, topics, data }) => [address, topics, data] as Hex[])
  const deposit = of.type === '0x7e' ? [of.depositNonce, of.depositReceiptVersion].map(integer) : []
  const members = [integer(of.status), integer(of.cumulativeGasUsed), of.logsBloom as Hex, logs, ...deposit]
  const type = String(of.type).slice(2).padStart(2, '0')
  return concat([`0x${type}`, toRlp(members as Parameters<typeof toRlp>[0])])
}

/** Three bits per address and topic (yellow paper, section 4.3.1). */
function bloomOf(values: readonly string[]): Hex {
  const bits = values.flatMap((value) => {
    const digest = Buffer.from(keccak256(value as Hex).slice(2), 'hex')
    return [0, 2, 4].map((offset) => digest.readUInt16BE(offset) & 2047)
  })
  const bloom = bits.reduce((filter, bit) => filter | (1n << BigInt(bit)), 0n)
  return `0x${bloom.toString(16).padStart(512, '0')}`
}

describe('a block object', () => {
  test('has these members and no others', () => {
    const named = HEADER.map(([name]) => name)
    expect(Object.keys(block).sort()).toEqual(
      [...named, 'hash', 'size', 'transactions', 'uncles', 'withdrawals'].sort(),
    )
  })

  test('number is the height', () => {
    expect(block.number).toBe('0x2')
  })

  test('hash is the keccak of the header', () => {
    expect(block.hash).toBe(keccak256(toRlp(headerFields(block))))
  })

  test('parentHash is the hash of the parent', () => {
    expect(block.parentHash).toBe(parent.hash)
  })

  test('nonce is always 0x0000000000000000', () => {
    expect(block.nonce).toBe('0x0000000000000000')
  })

  test('sha3Uncles is the hash of the empty list', () => {
    expect(block.sha3Uncles).toBe(EMPTY_LIST_HASH)
  })

  test('logsBloom contains the address and the topics of each log, and nothing else', () => {
    expect(receipt.logs).toHaveLength(5)
    expect(block.logsBloom).toBe(bloomOf(receipt.logs.flatMap((log) => [log.address, ...log.topics])))
    expect(parent.logsBloom).toBe(`0x${'0'.repeat(512)}`)
  })

  test('transactionsRoot is the root of the transactions', async () => {
    expect(ofUsers(encoded)).toEqual([bytesToHex(creation.raw)])
    expect(block.transactionsRoot).toBe(await rootOf(encoded))
  })

  test('stateRoot is 32 bytes and changes with the state', () => {
    expect(block.stateRoot).toMatch(HASH)
    expect(block.stateRoot).not.toBe(parent.stateRoot)
  })

  test('receiptsRoot is the root of the receipts', async () => {
    expect(block.receiptsRoot).toBe(await rootOf(receipts.map(encodedReceipt)))
  })

  test('miner is the fee recipient', () => {
    expect(block.miner).toBe('0x4200000000000000000000000000000000000011')
  })

  test('difficulty is always 0x0', () => {
    expect(block.difficulty).toBe('0x0')
  })

  test('mixHash is 32 bytes and differs between blocks', () => {
    expect(block.mixHash).toMatch(HASH)
    expect(block.mixHash).not.toBe(parent.mixHash)
  })

  test('extraData holds version 1, denominator 100, elasticity 5 and the minimum base fee', () => {
    expect(block.extraData).toBe(`0x01${'00000064'}${'00000005'}${'00000000004c4b40'}`)
  })

  test('size is the length of the encoded block', () => {
    const header = headerFields(block)
    const whole = toRlp([header, [...encoded], [], []] as Parameters<typeof toRlp>[0])
    expect(block.size).toBe(`0x${((whole.length - 2) / 2).toString(16)}`)
  })

  test('gasLimit is the maximum gas of the block', () => {
    expect(block.gasLimit).toBe('0x17d78400')
  })

  test('gasUsed is the gas of all its transactions', () => {
    expect(block.gasUsed).toBe(receipt.cumulativeGasUsed)
    expect(Number(block.gasUsed)).toBe(receipts.reduce((sum, { gasUsed }) => sum + Number(gasUsed), 0))
    expect(Number(receipt.gasUsed)).toBeGreaterThan(53_000)
    if (SYSTEM_TRANSACTIONS === 0) expect(parent.gasUsed).toBe('0x0')
    else expect(parent.gasUsed).not.toBe('0x0')
  })

  test('timestamp is in Unix seconds, one block time after the parent', () => {
    expect(Number(block.timestamp)).toBe(Number(parent.timestamp) + 2)
    expect(block.timestamp).toMatch(QUANTITY)
    expect(Number(parent.timestamp)).toBe(Date.UTC(2026, 0, 1) / 1000 + 2)
  })

  test('transactions are hashes', () => {
    expect(ofUsers(block.transactions)).toEqual([creation.hash])
  })

  test('transactions are full objects when requested', () => {
    expect({ ...full, transactions: [] }).toEqual({ ...block, transactions: [] })
    expect(ofUsers(full.transactions)).toEqual([
      {
        blockHash: block.hash,
        blockNumber: '0x2',
        blockTimestamp: block.timestamp,
        transactionIndex: toQuantity(SYSTEM_TRANSACTIONS),
        type: '0x2',
        hash: creation.hash,
        from: DEVELOPMENT_ACCOUNTS[0]!.address,
        to: null,
        nonce: '0x0',
        gas: '0x30d40',
        value: '0x0',
        input: bytesToHex(FIVE_LOGS_INIT),
        chainId: '0x7a69',
        accessList: [],
        maxFeePerGas: '0x2540be400',
        maxPriorityFeePerGas: '0xf4240',
        gasPrice: `0x${(BigInt(block.baseFeePerGas) + 1_000_000n).toString(16)}`,
        v: expect.stringMatching(/^0x[01]$/),
        yParity: expect.stringMatching(/^0x[01]$/),
        r: expect.stringMatching(QUANTITY),
        s: expect.stringMatching(QUANTITY),
      },
    ])
  })

  test('uncles is always []', () => {
    expect(block.uncles).toEqual([])
  })

  test('withdrawals is always []', () => {
    expect(block.withdrawals).toEqual([])
  })

  test('withdrawalsRoot is 32 bytes', () => {
    expect(block.withdrawalsRoot).toMatch(HASH)
  })

  test('baseFeePerGas follows from the parent and never falls below the minimum', () => {
    expect(block.baseFeePerGas).toMatch(QUANTITY)
    expect(BigInt(block.baseFeePerGas)).toBeLessThanOrEqual(BigInt(parent.baseFeePerGas))
    expect(BigInt(block.baseFeePerGas)).toBeGreaterThanOrEqual(5_000_000n)
  })

  test('blobGasUsed is a quantity: zero, or the data-availability footprint of the transactions', () => {
    const footprints = receipts.map(({ blobGasUsed }) => Number(blobGasUsed ?? 0))
    expect(block.blobGasUsed).toBe(toQuantity(footprints.reduce((sum, footprint) => sum + footprint)))
    if (SYSTEM_TRANSACTIONS === 0) expect(block.blobGasUsed).toBe('0x0')
    else expect(block.blobGasUsed).not.toBe('0x0')
  })

  test('excessBlobGas is a quantity', () => {
    expect(block.excessBlobGas).toBe('0x0')
  })

  test('parentBeaconBlockRoot is zero: there is no layer 1', () => {
    expect(block.parentBeaconBlockRoot).toBe(ZERO_HASH)
  })

  test('requestsHash is the hash of no requests', () => {
    expect(block.requestsHash).toBe(`0x${createHash('sha256').digest('hex')}`)
  })
})
