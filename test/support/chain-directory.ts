import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import type { Block } from '../../src/chain/block/block.ts'
import type { NetworkOptions } from '../../src/chain/genesis/networks.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { FLASHBLOCKS } from '../../src/node/development/mining-mode.ts'
import { readBlockFile } from '../../src/node/tools/block-file.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { bigintToSlot } from '../../src/primitives/quantity.ts'
import { COUNTER_RUNTIME, FIVE_LOGS_INIT, initCode, LOGGER_RUNTIME, word } from './contracts.ts'
import { type ManualNode, startManualNode } from './manual-node.ts'
import { signTransfer, type TransferOptions } from './transfers.ts'

/** Directories that go when the test does. */
export class ChainDirectories {
  readonly #parent = mkdtempSync(join(tmpdir(), 'chain-directories-'))
  #count = 0

  /** One that is not there yet. */
  next(): string {
    this.#count += 1
    return join(this.#parent, `${this.#count}`)
  }

  remove(): void {
    rmSync(this.#parent, { recursive: true, force: true })
  }
}

const COUNTER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 0n)
const LOGGER = createAddress(DEVELOPMENT_ACCOUNTS[0]!.address, 1n)
const GAS = 300_000n
/** An account without transactions. */
const ALTERED = toAddress(`0x${'a1'.repeat(20)}`)

/**
 * Runs a node in a directory until it has sealed six blocks with transfers, creations, storage, logs and one
 * transaction that reverts, over several flashblocks; two blocks are unwound on the way, and state is changed from
 * outside before two blocks.
 */
export async function runChain(
  directory: string,
  options: { readonly history?: number; readonly network?: NetworkOptions } = {},
): Promise<void> {
  const manual = await startManualNode({ directory, development: { mining: FLASHBLOCKS }, ...options })
  await send(
    manual,
    { nonce: 0n, to: null, value: 0n, data: initCode(COUNTER_RUNTIME), gasLimit: GAS },
    { nonce: 1n, to: null, value: 0n, data: initCode(LOGGER_RUNTIME), gasLimit: GAS },
  )
  await send(manual, { from: 1, nonce: 0n, to: null, value: 0n, data: FIVE_LOGS_INIT, gasLimit: GAS })
  await manual.nextBlock()
  for (let round = 0; round < 2; round++) {
    const nonce = BigInt(2 + 3 * round)
    await send(manual, { nonce, to: COUNTER, value: 0n, gasLimit: GAS })
    await send(manual, { nonce: nonce + 1n, to: LOGGER, value: 0n, gasLimit: GAS, data: hexToBytes(word(round)) })
    await send(manual, { nonce: nonce + 2n, to: COUNTER, value: 0n, gasLimit: GAS })
    await manual.nextBlock()
  }
  await manual.node.idle()
  await manual.node.setHead(1)
  const { state } = manual.node.development!
  for (let from = 2; from < 7; from++) {
    if (from === 3) {
      await state.setBalance(ALTERED, 5n)
      await state.setStorage(COUNTER, bigintToSlot(0n), 100n)
    }
    if (from === 5) await state.setCode(ALTERED, hexToBytes(`0x${COUNTER_RUNTIME}`))
    await send(
      manual,
      { from, nonce: 0n, to: COUNTER, value: 0n, gasLimit: GAS },
      { from, nonce: 1n, gasLimit: 21_000n },
    )
    await send(manual, { from, nonce: 2n, to: LOGGER, value: 0n, gasLimit: GAS, data: hexToBytes(word(from)) })
    await manual.nextBlock()
  }
  await manual.node.stop()
}

/** Sends the transactions and advances to the flashblock that includes them. */
export async function send(
  { node, nextFlashblock }: ManualNode,
  ...transfers: readonly TransferOptions[]
): Promise<void> {
  for (const transfer of transfers) {
    const { kind } = await node.submit(signTransfer(transfer).raw)
    if (kind !== 'accepted') throw new Error(`the transaction was not taken: ${kind}`)
  }
  await nextFlashblock()
}

/** All blocks of a file. */
export async function blocksIn(path: string): Promise<readonly Block[]> {
  const blocks: Block[] = []
  for await (const block of readBlockFile(path)) blocks.push(block)
  return blocks
}
