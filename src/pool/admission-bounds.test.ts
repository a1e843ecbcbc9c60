import { describe, expect, it } from 'vitest'
import { constantSidecar, signBlobTransfer } from '../../test/support/blob-transactions.ts'
import { layer1Genesis } from '../../test/support/layer1-genesis.ts'
import { signTransfer, type TransferOptions } from '../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { createNetwork } from '../chain/genesis/networks.ts'
import type { PoolTransaction } from '../chain/transaction/transaction.ts'
import { signTransaction } from '../chain/transaction/transaction-codec.ts'
import { type AdmissionRules, judgeSender, judgeTransaction } from './admission.ts'
import { DEFAULT_POOL_OPTIONS, type PoolOptions } from './options.ts'
import { poolEntry, senderQueue } from './sender-queue.ts'
import type { SenderState } from './types.ts'

const { config } = createNetwork().genesis
const RULES: AdmissionRules = { config, fork: 'prague', blockGasLimit: 400_000_000n, baseFee: 5_000_000n }
const RICH: SenderState = { nonce: 0n, balance: 10n ** 22n, code: 'none' }

function judge(
  options: Partial<TransferOptions>,
  rules: Partial<AdmissionRules> = {},
  limits: Partial<PoolOptions> = {},
) {
  const transaction = signTransfer({ nonce: 0n, ...options })
  return judgeTransaction(transaction, { ...RULES, ...rules }, { ...DEFAULT_POOL_OPTIONS, ...limits })
}

function signLegacy({ chainId, gasPrice }: { readonly chainId: bigint | undefined; readonly gasPrice: bigint }) {
  const members = { nonce: 0n, to: DEVELOPMENT_ACCOUNTS[9]!.address, value: 1n, data: new Uint8Array(0) }
  const { privateKey } = DEVELOPMENT_ACCOUNTS[0]!
  return signTransaction({ type: 0, chainId, gasLimit: 21_000n, gasPrice, ...members }, privateKey)
}

describe('a transaction exactly at a limit is admitted, and one above it refused', () => {
  const size = signTransfer({ nonce: 0n }).raw.length
  const creation = (bytes: number) => ({ to: null, data: new Uint8Array(bytes), gasLimit: 16_000_000n })
  const fee = 21_000n * 10_000_000_000n

  it.each<[string, ReturnType<typeof judge>, ReturnType<typeof judge>]>([
    [
      'bytes of a transaction',
      judge({}, {}, { maxTransactionBytes: size }),
      judge({}, {}, { maxTransactionBytes: size - 1 }),
    ],
    ['bytes of creation code', judge(creation(49_152)), judge(creation(49_153))],
    ['gas of a block', judge({}, { blockGasLimit: 21_000n }), judge({}, { blockGasLimit: 20_999n })],
    [
      'gas of a transaction',
      judge({}, { config: { ...config, transactionGasCap: 21_000n } }),
      judge({}, { config: { ...config, transactionGasCap: 20_999n } }),
    ],
    [
      'the minimum base fee',
      judge({ maxFeePerGas: 5_000_000n, maxPriorityFeePerGas: 0n }),
      judge({ maxFeePerGas: 4_999_999n, maxPriorityFeePerGas: 0n }),
    ],
    ['the cap of the fee', judge({}, {}, { feeCapWei: fee }), judge({}, {}, { feeCapWei: fee - 1n })],
  ])('%s', (_, at, above) => {
    expect(at).toBeUndefined()
    expect(above).toBeDefined()
  })
})

describe('judgeTransaction', () => {
  it('limits the data of creations only', () => {
    expect(judge({ data: new Uint8Array(60_000), gasLimit: 16_000_000n })).toBeUndefined()
  })

  it('admits larger transactions where code may be larger', () => {
    const large = { to: null, data: new Uint8Array(200_000), gasLimit: 16_000_000n }

    expect(judge(large)).toMatchObject({ code: 'OVERSIZED_DATA', limit: 131_072 })
    expect(judge(large, { config: { ...config, codeSizeLimit: 100_000 } })).toBeUndefined()
    expect(judge({ data: new Uint8Array(131_072) }, { config: { ...config, codeSizeLimit: 10_000 } })).toMatchObject({
      code: 'OVERSIZED_DATA',
      limit: 131_072,
    })
  })

  it('refuses a transaction without a chain id (EIP-155)', () => {
    const unprotected = signLegacy({ chainId: undefined, gasPrice: 10n ** 10n })
    expect(judgeTransaction(unprotected, RULES, DEFAULT_POOL_OPTIONS)).toEqual({ code: 'NOT_REPLAY_PROTECTED' })
    const options = { ...DEFAULT_POOL_OPTIONS, acceptsUnprotected: true }
    expect(judgeTransaction(unprotected, RULES, options)).toBeUndefined()
  })

  it('names the fee that is below the minimum by the type of the transaction', () => {
    const legacy = signLegacy({ chainId: config.chainId, gasPrice: 1n })

    expect(judgeTransaction(legacy, RULES, DEFAULT_POOL_OPTIONS)).toMatchObject({
      field: 'gasPrice',
      floor: 5_000_000n,
    })
    expect(judge({ maxFeePerGas: 1n, maxPriorityFeePerGas: 0n })).toMatchObject({ field: 'maxFeePerGas' })
  })

  it.each([
    ['lower than the minimum: the base fee', 7n, 7n],
    ['higher than the minimum: the minimum', 10n ** 12n, 5_000_000n],
  ])('bounds fee caps, at a base fee %s', (_, baseFee, floor) => {
    expect(judge({ maxFeePerGas: 6n, maxPriorityFeePerGas: 0n }, { baseFee })).toMatchObject({ floor })
  })

  it('has no minimum fee on layer 1', () => {
    const { config: layer1 } = layer1Genesis()
    expect(judge({ maxFeePerGas: 1n, maxPriorityFeePerGas: 0n }, { config: layer1 })).toBeUndefined()
  })
})

describe('a blob transaction', () => {
  const { config: layer1 } = layer1Genesis()
  const judgeBlobs = (transaction: PoolTransaction, fork: AdmissionRules['fork'] = 'osaka') =>
    judgeTransaction(transaction, { ...RULES, config: layer1, fork }, DEFAULT_POOL_OPTIONS)
  const valid = signBlobTransfer().transaction
  const reasonOf = (members: object, fork?: AdmissionRules['fork']) =>
    judgeBlobs({ ...valid, ...members } as PoolTransaction, fork)

  it('with a proof per cell is admitted from Osaka on, with a proof per blob before', () => {
    const before = signBlobTransfer({ sidecar: constantSidecar([5n], 0) }).transaction

    expect(judgeBlobs(valid)).toBeUndefined()
    expect(judgeBlobs(before, 'prague')).toBeUndefined()
    expect(judgeBlobs(before)).toMatchObject({ code: 'INVALID_BLOBS', reason: expect.stringContaining('EIP-7594') })
    expect(judgeBlobs(valid, 'prague')).toMatchObject({ reason: expect.stringContaining('EIP-4844') })
  })

  it.each([
    ['without a sidecar', { sidecar: undefined }, 'missing sidecar in blob transaction'],
    ['without blobs', { blobVersionedHashes: [] }, 'blobless blob transaction'],
    [
      'with more than 6 blobs',
      { blobVersionedHashes: new Array(7).fill(valid.blobVersionedHashes[0]) },
      'too many blobs in transaction: have 7, permitted 6',
    ],
    ['that offers nothing for its blobs', { maxFeePerBlobGas: 0n }, 'blob fee cap 0, minimum needed 1'],
  ])('%s is refused', (_, members, reason) => {
    expect(reasonOf(members)).toEqual({ code: 'INVALID_BLOBS', reason })
  })

  it('may have 6 blobs, and offer 1 wei for them', () => {
    const six = signBlobTransfer({ sidecar: constantSidecar([1n, 2n, 3n, 4n, 5n, 6n]), maxFeePerBlobGas: 1n })
    expect(judgeBlobs(six.transaction)).toBeUndefined()
  })
})

describe('judgeSender', () => {
  const transaction = signTransfer({ nonce: 0n })
  const cost = 21_000n * 10_000_000_000n + 1n

  it('requires funds for the data on layer 1 as well', () => {
    const judgeWith = (balance: bigint) =>
      judgeSender(transaction, { state: { ...RICH, balance }, queue: undefined }, DEFAULT_POOL_OPTIONS, 100n)

    expect(judgeWith(cost + 100n)).toBeUndefined()
    expect(judgeWith(cost + 99n)).toMatchObject({ code: 'INSUFFICIENT_FUNDS', cost: cost + 100n })
  })

  it('refuses a replacement that pays too little more, with the fees that it needs', () => {
    const queue = senderQueue(RICH, [poolEntry(transaction, { arrival: 0, arrivedAt: 0 })])
    const again = signTransfer({ nonce: 0n, value: 2n })

    expect(judgeSender(again, { state: RICH, queue }, DEFAULT_POOL_OPTIONS)).toMatchObject({
      code: 'REPLACEMENT_UNDERPRICED',
      replaced: transaction.hash,
      requiredMaxFeePerGas: 11_000_000_000n,
      requiredMaxPriorityFeePerGas: 1_100_000n,
    })
  })

  it('counts only transactions behind a gap towards the limit of queued ones', () => {
    const pooled = [0n, 1n, 5n].map((nonce, arrival) => poolEntry(signTransfer({ nonce }), { arrival, arrivedAt: 0 }))
    const judgeNext = (maxQueuedPerSender: number) =>
      judgeSender(
        signTransfer({ nonce: 7n }),
        { state: RICH, queue: senderQueue(RICH, pooled) },
        { ...DEFAULT_POOL_OPTIONS, maxQueuedPerSender },
      )

    expect(judgeNext(2)).toBeUndefined()
    expect(judgeNext(1)).toMatchObject({ code: 'ACCOUNT_LIMIT', pooled: 3 })
  })
})
