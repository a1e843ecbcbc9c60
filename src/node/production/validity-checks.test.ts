import { pino } from 'pino'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type ManualNode, startManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { createNetwork } from '../../chain/genesis/networks.ts'
import { encodeWaitingTransaction } from '../../chain/transaction/conditional-transaction.ts'
import type { ValidityPredicate } from '../../chain/transaction/validity.ts'
import { WasmState } from '../../engine/evm/wasm-state.ts'
import { type Hash, hexToBytes, toAddress } from '../../primitives/hex.ts'
import { bigintToHash, bigintToSlot, MAX_UINT256 } from '../../primitives/quantity.ts'
import { DENIM_BLOCKS } from './building/schedule.ts'
import { MAX_EVALUATED_PREDICATES } from './flashblock-driver.ts'

const STORE = toAddress(`0x${'5e'.repeat(20)}`)
const SENDERS = Array.from({ length: 41 }, (_, index) => hexToBytes(bigintToHash(BigInt(index + 1))))
const { genesis } = createNetwork({
  upgrade: 'denim',
  timestamp: 1_767_225_600n,
  accounts: SENDERS.map((privateKey) => ({ address: signTransfer({ privateKey, nonce: 0n }).from })),
})
const LAST_BLOCK: ValidityPredicate = { type: 'block_number', op: '<=', value: 3n }

let manual: ManualNode
beforeEach(async () => {
  manual = await startManualNode({ genesis, schedule: DENIM_BLOCKS, log: pino({ level: 'silent' }) })
  onTestFinished(() => manual.node.stop())
})

function slotIs(slot: number, value: bigint): ValidityPredicate {
  return { type: 'storage', address: STORE, slot: bigintToSlot(BigInt(slot)), mask: MAX_UINT256, op: '=', value }
}

async function submit(sender: number, maxPriorityFeePerGas: bigint, validity?: readonly ValidityPredicate[]) {
  const signed = signTransfer({ privateKey: SENDERS[sender]!, nonce: 0n, maxPriorityFeePerGas })
  await manual.node.submit(encodeWaitingTransaction({ ...signed, ...(validity && { validity }) }))
  expect(manual.node.view().pool.get(signed.hash)).toBeDefined()
  return signed.hash
}

/** Replaces the slots of `STORE`, which only predicates read. */
function watchReads(read: () => bigint) {
  const original = WasmState.prototype.storage
  const reads = vi.fn(read)
  const spy = vi.spyOn(WasmState.prototype, 'storage').mockImplementation(function (this: WasmState, address, slot) {
    return address === STORE ? reads() : original.call(this, address, slot)
  })
  onTestFinished(() => spy.mockRestore())
  return reads
}

function heightOf(hash: Hash): number | undefined {
  const found = manual.node.view().transaction(hash)
  return found?.kind === 'included' ? found.block.block.header.number : undefined
}

describe('the predicates of a scheduled flashblock', () => {
  test('are evaluated up to the limit, and further transactions with predicates wait', async () => {
    const slots = Array.from({ length: 62 }, (_, slot) => slotIs(slot, 0n))
    const invalid = [...slots, slotIs(62, 1n), LAST_BLOCK]
    for (let sender = 0; sender < 39; sender++) await submit(sender, 3_000_000n, invalid)
    const conditional = await submit(39, 2_000_000n, [slotIs(0, 0n), { ...LAST_BLOCK, value: 9n }])
    const plain = await submit(40, 1_000_000n)
    const reads = watchReads(() => 0n)

    await manual.nextBlock()

    const onStorage = invalid.length - 1
    expect(reads).toHaveBeenCalledTimes((MAX_EVALUATED_PREDICATES / invalid.length) * onStorage)
    expect([heightOf(plain), heightOf(conditional)]).toEqual([1, undefined])
    for (let height = 2; height <= 4; height++) await manual.nextBlock()
    expect(heightOf(conditional)).toBe(4)
  })

  test('are not evaluated on storage if another predicate of the transaction does not hold', async () => {
    const reads = watchReads(() => 0n)
    const hash = await submit(0, 1n, [slotIs(0, 0n), { type: 'block_number', op: '=', value: 2n }])

    await manual.nextBlock()
    expect(reads).not.toHaveBeenCalled()
    await manual.nextBlock()
    expect(reads).toHaveBeenCalledTimes(1)
    expect(heightOf(hash)).toBe(2)
  })

  test('drop only their transaction when their evaluation fails', async () => {
    watchReads(() => {
      throw new Error('unreadable page')
    })
    const conditional = await submit(0, 2n, [slotIs(0, 0n), LAST_BLOCK])
    const plain = await submit(1, 1n)

    await manual.nextBlock()

    expect(heightOf(plain)).toBe(1)
    expect(manual.node.view().pool.dropReason(conditional)).toEqual({ code: 'INVALID', reason: 'execution failed' })
  })
})
