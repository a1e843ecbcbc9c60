import { verifyMerkleProof } from '@ethereumjs/mpt'
import {
  createPublicClient,
  createWalletClient,
  defineChain,
  hexToBytes,
  http,
  keccak256,
  parseEther,
  toRlp,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  buildProveWithdrawal,
  chainConfig,
  getWithdrawalHashStorageSlot,
  getWithdrawals,
  publicActionsL2,
  walletActionsL2,
} from 'viem/op-stack'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { outputRoot } from '../../src/chain/block/output-root.ts'
import type { Hash } from '../../src/primitives/hex.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { SENDER_KEY } from './ledger.ts'

const FRIEND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const PASSER_ABI = [
  {
    type: 'function',
    name: 'initiateWithdrawal',
    stateMutability: 'payable',
    inputs: [
      { name: '_target', type: 'address' },
      { name: '_gasLimit', type: 'uint256' },
      { name: '_data', type: 'bytes' },
    ],
    outputs: [],
  },
] as const

let server: ManualServer
let client: ReturnType<typeof clientOf>
beforeAll(async () => {
  server = await startManualServer({}, { network: { upgrade: 'jovian' } })
  client = clientOf(server.url)
  await server.nextBlock()
})
afterAll(() => server.stop())

function clientOf(url: string) {
  const chain = defineChain({
    ...chainConfig,
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  })
  const account = privateKeyToAccount(SENDER_KEY)
  const transport = http(url, { retryCount: 0 })
  const reader = createPublicClient({ chain, transport, cacheTime: 0 }).extend(publicActionsL2())
  const writer = createWalletClient({ account, chain, transport }).extend(walletActionsL2())
  return { chain, account, reader, writer }
}

/** The receipt of a transaction in the next block. */
async function sealed(hash: Hash | `0x${string}`) {
  await server.nextBlock()
  return client.reader.getTransactionReceipt({ hash: hash as `0x${string}` })
}

describe("viem's actions for OP-stack chains", () => {
  test('estimate the L1 fee that a transaction pays, within the size of a signature', async () => {
    const { reader, writer, account } = client
    const request = { account, to: FRIEND, value: parseEther('1'), data: `0x${'ab12'.repeat(300)}` } as const
    const estimated = await reader.estimateL1Fee(request)
    const receipt = await sealed(await writer.sendTransaction({ ...request, gas: 100_000n }))
    expect(receipt.status).toBe('success')
    expect(receipt.l1Fee).toBeGreaterThan(0n)
    const difference = Number(estimated - receipt.l1Fee!) / Number(receipt.l1Fee)
    expect(Math.abs(difference)).toBeLessThan(0.05)
    expect(receipt.l1GasPrice).toBe(1_000_000_000n)
  })

  test('estimate gas and fee of both layers', async () => {
    const { reader, account } = client
    const request = { account, to: FRIEND, value: 1n } as const
    const [l1Gas, l1Fee, base, gas, total, fee] = await Promise.all([
      reader.estimateL1Gas(request),
      reader.estimateL1Fee(request),
      reader.getL1BaseFee(),
      reader.estimateGas(request),
      reader.estimateTotalGas(request),
      reader.estimateTotalFee(request),
    ])
    expect(base).toBe(1_000_000_000n)
    expect(gas).toBe(21_000n)
    expect(l1Gas).toBe(1_600n)
    expect(total).toBe(gas + l1Gas)
    expect(fee).toBeGreaterThan(l1Fee)
  })

  test('build the proof of a withdrawal, at once and 130 blocks later, that leads to the output root of its block', async () => {
    const { reader, writer } = client
    const hash = await writer.writeContract({
      address: '0x4200000000000000000000000000000000000016',
      abi: PASSER_ABI,
      functionName: 'initiateWithdrawal',
      args: [FRIEND, 21_000n, '0x1234'],
      value: 7n,
    })
    const receipt = await sealed(hash)
    const [withdrawal] = getWithdrawals(receipt)
    expect(withdrawal).toMatchObject({ value: 7n, gasLimit: 21_000n, data: '0x1234' })
    const output = { l2BlockNumber: receipt.blockNumber, outputIndex: 0n, outputRoot: '0x', timestamp: 0n } as const
    const proof = await buildProveWithdrawal(reader, { output, withdrawal: withdrawal! })

    // Beyond the blocks whose tries are computed in one step.
    for (let block = 0; block < 130; block++) await server.nextBlock()
    expect(await buildProveWithdrawal(reader, { output, withdrawal: withdrawal! })).toEqual(proof)

    const { outputRootProof, withdrawalProof } = proof
    const { result } = await server.request('optimism_outputAtBlock', `0x${receipt.blockNumber.toString(16)}`)
    expect(
      outputRoot({
        stateRoot: outputRootProof.stateRoot as Hash,
        withdrawalStorageRoot: outputRootProof.messagePasserStorageRoot as Hash,
        blockHash: outputRootProof.latestBlockhash as Hash,
      }),
    ).toBe((result as { outputRoot: string }).outputRoot)
    const slot = getWithdrawalHashStorageSlot({ withdrawalHash: withdrawal!.withdrawalHash })
    const proven = await verifyMerkleProof(
      hexToBytes(keccak256(slot)),
      withdrawalProof.map((node) => hexToBytes(node)),
      {
        useKeyHashing: false,
        root: hexToBytes(outputRootProof.messagePasserStorageRoot),
      },
    )
    expect(proven).toEqual(hexToBytes(toRlp('0x01')))
  })

  test('read the deposit with which a block begins', async () => {
    const { transactions } = await client.reader.getBlock({ blockNumber: 1n, includeTransactions: true })
    expect(transactions[0]).toMatchObject({
      type: 'deposit',
      from: '0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001',
      to: '0x4200000000000000000000000000000000000015',
    })
  })
})
