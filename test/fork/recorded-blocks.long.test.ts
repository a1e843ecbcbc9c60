import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { decodeTransaction } from '../../src/chain/transaction/transaction-codec.ts'
import { createNode } from '../../src/library/create-node.ts'
import { readWitness } from '../../src/node/tools/witness/witness-file.ts'
import { toQuantity } from '../../src/primitives/quantity.ts'
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
  test.each(names)('executes the transactions of %s with the same receipts, logs, fees and state', async (name) => {
    const file = conformanceJson(`${FOLDER}/${name}`) as RecordedBlock
    const witness = readWitness(file)
    const upstream = await startWitnessNode(witness)
    const { hash } = decodeTransaction(witness.transactions.at(-1)!)

    const options = { forkUrl: upstream.url, forkTransactionHash: hash, noForkCache: true, accounts: 0 } as const
    const node = await createNode({ ...options, mining: 'manual' })

    const number = toQuantity(witness.expected.header.number)
    const request = (method: string, ...params: unknown[]) => node.request({ method, params })
    const receipts = (await request('eth_getBlockReceipts', number)) as readonly RecordedReceipt[]
    expect(receipts.map(shownOf)).toEqual(file.expected.receipts.map(shownOf))
    const { receiptsRoot, timestamp } = witness.expected.header
    expect(await request('eth_getBlockByNumber', number, false)).toMatchObject({
      receiptsRoot,
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
  })
})

function shownOf({ status, gasUsed, cumulativeGasUsed, logs, l1Fee }: RecordedReceipt) {
  return {
    numbers: [status, gasUsed, cumulativeGasUsed, l1Fee ?? '0x0'].map(BigInt),
    logs: logs.map(({ address, topics, data }) => ({ address: address.toLowerCase(), topics, data })),
  }
}
