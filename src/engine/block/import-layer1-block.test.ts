import { describe, expect, it } from 'vitest'
import { signTransfer } from '../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import type { Block } from '../../chain/block/block.ts'
import { encodeBlock } from '../../chain/block/block-codec.ts'
import type { Header } from '../../chain/block/header.ts'
import {
  CONSOLIDATION_REQUESTS_ADDRESS,
  EMPTY_REQUESTS_HASH,
  EMPTY_TRIE_ROOT,
  EMPTY_UNCLES_HASH,
  WITHDRAWAL_REQUESTS_ADDRESS,
} from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { bloomOf } from '../../chain/receipt/bloom.ts'
import type { RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import { type Address, type Bytes, EMPTY_BYTES, hexToBytes, toAddress, ZERO_HASH } from '../../primitives/hex.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { genesisDiff } from '../../state/genesis-state.ts'
import { layerReader } from '../../state/layered-reader.ts'
import { orderedRoot } from '../../state/trie/ordered-root.ts'
import { createStateTrie } from '../../state/trie/state-trie.ts'
import { createEngine } from '../session/create-engine.ts'
import { type BlockImport, importBlock, importFailureMessage } from './import-block.ts'

const DEPOSIT_CONTRACT = toAddress(`0x${'de'.repeat(20)}`)
const CONFIG: ChainConfig = {
  chainId: 1n,
  forkBlocks: {},
  forkTimes: { osaka: 0n },
  blobSchedule: {},
  depositContractAddress: DEPOSIT_CONTRACT,
}
const STOP = '0x00'
const REVERT = '0x60006000fd'
const INVALID = '0xfe'
const DEPOSIT_EVENT = '649bbc62d0e31342afea4e5cd82d4049e7e1ee912fc0889aa790803be39038c5'
/** Logs its call data as a deposit event: CALLDATACOPY of all of it, LOG1. */
const DEPOSIT_CODE = `0x3660006000377f${DEPOSIT_EVENT}366000a100`
const NOTHING = {
  account: () => undefined,
  storage: () => 0n,
  hasStorage: () => false,
  code: () => EMPTY_BYTES,
  blockHash: () => ZERO_HASH,
}
const [PAYER] = DEVELOPMENT_ACCOUNTS

const HEADER: Header = {
  parentHash: ZERO_HASH,
  sha3Uncles: EMPTY_UNCLES_HASH,
  miner: toAddress(`0x${'c0'.repeat(20)}`),
  stateRoot: ZERO_HASH,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: bloomOf([]),
  difficulty: 0n,
  number: 0,
  gasLimit: 30_000_000n,
  // The gas target, so that the base fee stays.
  gasUsed: 15_000_000,
  timestamp: 0n,
  extraData: EMPTY_BYTES,
  mixHash: ZERO_HASH,
  nonce: new Uint8Array(8),
  baseFeePerGas: 7n,
  withdrawalsRoot: EMPTY_TRIE_ROOT,
  blobGasUsed: 0,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_HASH,
  requestsHash: EMPTY_REQUESTS_HASH,
}

describe('a layer-1 block', () => {
  it('is imported with emptied queues', async () => {
    expect(await importWith({})).toMatchObject({ kind: 'imported' })
  })

  it.each([
    ['is not there', undefined, 'no code'],
    ['reverts', REVERT, 'execution reverted'],
    ['halts', INVALID, /^invalid opcode/],
  ])('is rejected when a queue contract %s', async (_what, code, reason) => {
    for (const address of [WITHDRAWAL_REQUESTS_ADDRESS, CONSOLIDATION_REQUESTS_ADDRESS]) {
      expect(await importWith({ [address]: code })).toMatchObject({
        kind: 'failed',
        failure: {
          code: 'SYSTEM_CALL_FAILED',
          address,
          reason: typeof reason === 'string' ? reason : expect.stringMatching(reason),
        },
      })
    }
  })

  it('is rejected when the deposit contract emits a malformed log', async () => {
    expect(await importWith({}, depositEvent())).toMatchObject({ failure: { member: 'requestsHash' } })
    for (const event of [
      depositEvent().subarray(0, 544),
      Buffer.concat([depositEvent(), new Uint8Array(32)]),
      depositEvent({ 0: 161n }),
      depositEvent({ 4: 544n }),
      depositEvent({ [160 / 32]: 47n }),
      depositEvent({ [512 / 32]: 1n << 200n }),
    ]) {
      expect(await importWith({}, event)).toMatchObject({ failure: { code: 'INVALID_DEPOSIT_EVENT' } })
    }
  })

  it('is rejected above the size limit of EIP-7934', async () => {
    expect(await importWith({}, undefined, 8_388_608)).toMatchObject({ kind: 'imported' })
    const result = await importWith({}, undefined, 8_388_609)
    if (result.kind === 'imported') throw new Error('it was imported')
    expect(result.failure).toEqual({ code: 'BLOCK_TOO_LARGE', size: 8_388_609, limit: 8_388_608 })
    expect(importFailureMessage(result.failure)).toBe('it has 8388609 bytes, at most 8388608 are allowed')
  })
})

/** The event in ABI encoding, except the words given by index. */
function depositEvent(words: Readonly<Record<number, bigint>> = {}): Bytes {
  const event = Buffer.alloc(576)
  const write = (index: number, value: bigint) => event.set(bigintToWord(value), index * 32)
  const usual: Readonly<Record<number, bigint>> = {
    0: 160n,
    1: 256n,
    2: 320n,
    3: 384n,
    4: 512n,
    5: 48n,
    8: 32n,
    10: 8n,
    12: 96n,
    16: 8n,
  }
  for (const [index, value] of Object.entries({ ...usual, ...words })) write(Number(index), value)
  return event
}

/**
 * Imports a block whose header matches its execution, as far as possible.
 *
 * @param codes of contracts that differ from the usual ones
 * @param event logged by the deposit contract in the block's transaction
 */
async function importWith(
  codes: Readonly<Record<Address, string | undefined>>,
  event?: Bytes,
  size?: number,
): Promise<BlockImport> {
  const engine = createEngine({ config: CONFIG })
  const diff = genesisDiff(
    allocation({ [WITHDRAWAL_REQUESTS_ADDRESS]: STOP, [CONSOLIDATION_REQUESTS_ADDRESS]: STOP, ...codes }),
  )
  const trie = createStateTrie().apply(diff)
  const parent = {
    block: { header: { ...HEADER, stateRoot: trie.root }, hash: ZERO_HASH },
    state: layerReader(NOTHING, [{ diff }], new Map()),
    trie,
  }
  const transactions: RecoveredTransaction[] =
    event === undefined
      ? []
      : [signTransfer({ chainId: 1n, nonce: 0n, to: DEPOSIT_CONTRACT, value: 0n, data: event, gasLimit: 500_000n })]
  let header: Header = {
    ...HEADER,
    number: 1,
    timestamp: 1n,
    transactionsRoot: orderedRoot(transactions.map(({ raw }) => raw)),
    stateRoot: trie.root,
  }
  for (;;) {
    const content = { header, transactions, uncles: [], withdrawals: [] }
    const block: Block = { ...content, hash: ZERO_HASH, size: size ?? encodeBlock(content).length }
    const result = await importBlock(block, parent, engine)
    if (result.kind === 'imported' || result.failure.code !== 'DIFFERENT_RESULT') return result
    if (result.failure.member === 'requestsHash') return result
    const { member, expected } = result.failure
    const got = member === 'gasUsed' ? Number(expected) : member === 'logsBloom' ? hexToBytes(expected) : expected
    header = { ...header, [member]: got }
  }
}

function allocation(codes: Readonly<Record<Address, string | undefined>>) {
  const alloc = new Map([[PAYER!.address, { balance: 10n ** 20n, nonce: 0n, code: EMPTY_BYTES, storage: new Map() }]])
  const all: Readonly<Record<string, string | undefined>> = { ...codes, [DEPOSIT_CONTRACT]: DEPOSIT_CODE }
  for (const [address, code] of Object.entries(all)) {
    if (code === undefined) continue
    alloc.set(toAddress(address), { balance: 0n, nonce: 1n, code: hexToBytes(code), storage: new Map() })
  }
  return alloc
}
