import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  BEACON_ROOTS_ADDRESS,
  EMPTY_TRIE_ROOT,
  HISTORY_STORAGE_ADDRESS,
  L1_BLOCK_ADDRESS,
  MESSAGE_PASSER_ADDRESS,
  SYSTEM_ADDRESS,
} from '../../src/chain/constants.ts'
import { decodeTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import { CacheDirectory } from '../../src/fork/cache/cache-directory.ts'
import { createNode } from '../../src/library/create-node.ts'
import { openingSlots } from '../../src/node/forking/opening-slots.ts'
import type { Witness } from '../../src/node/tools/witness/witness.ts'
import { WitnessError } from '../../src/node/tools/witness/witness-error.ts'
import { readWitness } from '../../src/node/tools/witness/witness-file.ts'
import { WitnessState } from '../../src/node/tools/witness/witness-state.ts'
import { type Address, type Slot, toSlot } from '../../src/primitives/hex.ts'
import { bigintToSlot, toQuantity } from '../../src/primitives/quantity.ts'
import { conformanceJson, conformancePath, hasConformanceData } from '../support/conformance-data.ts'
import { startWitnessNode } from '../support/witness-node.ts'

const FOLDER = 'op-stack/execution/blocks'
const hasBlocks = hasConformanceData(FOLDER, 'recorded blocks of OP Sepolia')
const names = hasBlocks ? readdirSync(conformancePath(FOLDER)).filter((name) => name.endsWith('.json.gz')) : []

interface RecordedReceipt {
  readonly status: string
  readonly gasUsed: string
  readonly cumulativeGasUsed: string
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[]
  readonly l1Fee?: string
}

interface RecordedBlock {
  readonly expected: { readonly receipts: readonly RecordedReceipt[] }
  /** Changed accounts with what changed; null: removed. */
  readonly poststate: Readonly<Record<string, { balance?: string; storage?: Record<string, string> } | null>>
}

describe.skipIf(!hasBlocks)('a fork of the parent of a recorded block', () => {
  test.each(names)(
    'executes the transactions of %s to the same receipts, logs, fees, state root and hash',
    async (name) => {
      const file = conformanceJson(`${FOLDER}/${name}`) as RecordedBlock
      const witness = readWitness(file)
      const upstream = await startWitnessNode(witness, { hasProofs: true })
      const { hash } = decodeTransaction(witness.transactions.at(-1)!)

      const forkCachePath = await cacheWithProofs(witness)
      const options = { forkUrl: upstream.url, forkTransactionHash: hash, forkCachePath, accounts: 0 } as const
      const node = await createNode({ ...options, mining: 'manual' })

      const number = toQuantity(witness.expected.header.number)
      const request = (method: string, ...params: unknown[]) => node.request({ method, params })
      const receipts = (await request('eth_getBlockReceipts', number)) as readonly RecordedReceipt[]
      expect(receipts.map(shownOf)).toEqual(file.expected.receipts.map(shownOf))
      const { receiptsRoot, stateRoot, timestamp } = witness.expected.header
      expect(await request('eth_getBlockByNumber', number, false)).toMatchObject({
        hash: witness.expected.hash,
        receiptsRoot,
        stateRoot,
        timestamp: toQuantity(timestamp),
      })
      for (const [address, changed] of Object.entries(file.poststate)) {
        const expected = changed === null ? '0x0' : changed.balance
        const balance = (await request('eth_getBalance', address, number)) as string
        if (expected !== undefined) expect([address, BigInt(balance)]).toEqual([address, BigInt(expected)])
        for (const [slot, value] of Object.entries(changed?.storage ?? {})) {
          const stored = await request('eth_getStorageAt', address, slot, number)
          expect([address, slot, BigInt(stored as string)]).toEqual([address, slot, BigInt(value)])
        }
      }
      expect(await request('tickertape_forkStatus')).toMatchObject({
        rules: { name: 'holocene', reason: 'of OP Sepolia Testnet' },
      })
      await node.close()
      await upstream.close()
    },
  )
})

/** Accounts that a fork reads at its start, whatever its blocks do. */
const READ_AT_START = [MESSAGE_PASSER_ADDRESS, HISTORY_STORAGE_ADDRESS, SYSTEM_ADDRESS]
/** Slots of L1Block that a fork reads at its start: members of later upgrades are among them. */
const L1_BLOCK_SLOTS = Array.from({ length: 12 }, (_, index) => bigintToSlot(BigInt(index)))

/**
 * The cache of a fork after an earlier start, which found proofs and read what every start reads. The witnesses lack a
 * part of it, since their blocks do not read it: the zero address, by which a fork finds proofs, accounts, slots of
 * L1Block, and the beacon roots (EIP-4788) of the seconds after the block, which a fork reads together with its own.
 * The cache also has the nodes of the tries that the witness has and `eth_getProof` does not show: those beside a slot
 * that the block clears (docs/fork.md, State roots).
 */
async function cacheWithProofs(witness: Witness): Promise<string> {
  const { config, parent, expected } = witness
  const path = await mkdtemp(join(tmpdir(), 'tickertape-fork-'))
  onTestFinished(() => rm(path, { recursive: true }))
  const place = { chainId: config.chainId, number: parent.header.number, hash: parent.hash }
  const cache = await new CacheDirectory({ path, maxBytes: 2 ** 26 }).open(place)
  cache.putSetting('access', { access: 'proofs', isProvisional: false })
  const absent = { account: undefined, storageRoot: EMPTY_TRIE_ROOT }
  for (const address of READ_AT_START) cache.putAccount(address, absent)
  const state = new WitnessState(witness)
  for (const slot of L1_BLOCK_SLOTS) {
    if (slotOf(state, L1_BLOCK_ADDRESS, slot) === undefined) cache.putSlot(L1_BLOCK_ADDRESS, slot, 0n)
  }
  for (const [path, node] of state.nodes()) cache.putNode(path, node)
  const opening = openingSlots(expected.header).find(({ address }) => address === BEACON_ROOTS_ADDRESS)!
  for (const slot of opening.storageKeys.map(toSlot)) {
    cache.putSlot(BEACON_ROOTS_ADDRESS, slot, slotOf(state, BEACON_ROOTS_ADDRESS, slot)!)
  }
  await cache.close()
  return path
}

/** `undefined`: the witness does not show it. */
function slotOf(state: WitnessState, address: Address, slot: Slot): bigint | undefined {
  try {
    return state.storage(address, slot)
  } catch (error) {
    if (error instanceof WitnessError) return undefined
    throw error
  }
}

function shownOf({ status, gasUsed, cumulativeGasUsed, logs, l1Fee }: RecordedReceipt) {
  return {
    numbers: [status, gasUsed, cumulativeGasUsed, l1Fee ?? '0x0'].map(BigInt),
    logs: logs.map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data })),
  }
}
