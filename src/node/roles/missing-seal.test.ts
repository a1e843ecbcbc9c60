import { expect, test } from 'vitest'
import { NO_STATE } from '../../../test/conformance/fixture-accounts.ts'
import { ForgetfulDirectory, type ForgetfulNodeOptions, SLOTS } from '../../../test/support/forgetful-node.ts'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import type { ManualNode } from '../../../test/support/manual-node.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import type { Block } from '../../chain/block/block.ts'
import { WITHDRAWAL_REQUESTS_ADDRESS } from '../../chain/constants.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import { importBlock } from '../../engine/block/import-block.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { layerReader } from '../../state/layered-reader.ts'
import { decodeRecord } from '../../state/records/record.ts'
import { openSegmentLog } from '../../storage/segment-log.ts'
import { buildGenesis } from '../core/genesis-chain.ts'
import { createSchedule } from '../production/building/schedule.ts'
import { LATEST } from '../view/block-reference.ts'

/** The withdrawal queue (EIP-7002) counts the calls at the ends of blocks, and each returns the count as a request. */
function countingGenesis(): Genesis {
  const genesis = layer1Genesis()
  // PUSH0 SLOAD PUSH1 1 ADD DUP1 PUSH0 SSTORE PUSH0 MSTORE PUSH1 32 PUSH0 RETURN
  const code = Buffer.from('5f54600101805f555f5260205ff3', 'hex')
  const queue = genesis.alloc.get(WITHDRAWAL_REQUESTS_ADDRESS)!
  return { ...genesis, alloc: new Map([...genesis.alloc, [WITHDRAWAL_REQUESTS_ADDRESS, { ...queue, code }]]) }
}

const OPTIONS: ForgetfulNodeOptions = { settings: { genesis: countingGenesis() } }

/** Builds block 1 until it has a flashblock of this index, with a transaction in each. */
async function build({ node, nextFlashblock }: ManualNode, index: number): Promise<void> {
  while (node.view().head.pending.index < index) {
    await node.submit(signTransfer({ nonce: BigInt(node.view().head.pending.index) }).raw)
    await nextFlashblock()
  }
}

/** A directory whose records end with the last flashblock of block 1, which missed slots. */
async function withoutSeal(options: ForgetfulNodeOptions): Promise<ForgetfulDirectory> {
  const directory = new ForgetfulDirectory()
  const manual = await directory.open(options)
  directory.holdCommits = true
  await build(manual, 1)
  const { node, clock } = manual
  clock.moveTo(clock.next! + 1000)
  await node.idle()
  await node.submit(signTransfer({ nonce: 1n }).raw)
  clock.moveTo(clock.next!)
  // The store stays at block 0, so that the node never becomes idle.
  while (node.view().head.sealed.latest === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(node.view().head.recent[0]!.layers.at(-1)!.index).toBeLessThan(SLOTS)
  await directory.powerOff(() => 0)
  const log = await openSegmentLog(
    { directory: '/chain/records', segmentBytes: 4_096, sync: true },
    { fileSystem: directory.disk },
  )
  const records = [...log.read(1)].map(({ sequence, payload }) => ({ sequence, kind: decodeRecord(payload).kind }))
  await log.removeAfter(records.find(({ kind }) => kind === 'seal')!.sequence - 1)
  await log.close()
  return directory
}

function sealedBlock({ node }: ManualNode): Block {
  return node.view().block({ kind: 'number', number: 1 })!.block
}

/** Executes block 1 as another node that imports it. */
async function isValid(built: ManualNode, genesis: Genesis): Promise<boolean> {
  const { block, diff, trie } = buildGenesis(genesis)
  const state = layerReader(NO_STATE, [{ diff }], new Map())
  const outcome = await importBlock(
    sealedBlock(built),
    { block, state, trie },
    createEngine({ config: genesis.config }),
  )
  return outcome.kind !== 'failed'
}

test('a restart seals a block that missed slots as its last flashblock left it', async () => {
  const directory = await withoutSeal(OPTIONS)

  const restarted = await directory.open(OPTIONS)

  expect(restarted.node.view().head.sealed.latest).toBe(1)
  expect(sealedBlock(restarted).transactions).toHaveLength(2)
  expect(restarted.node.view().state(LATEST)!.storage(WITHDRAWAL_REQUESTS_ADDRESS, bigintToSlot(0n))).toBe(1n)
  await expect(isValid(restarted, countingGenesis())).resolves.toBe(true)
  await restarted.node.stop()
})

test('a restart with fewer slots continues a block that lacks its last flashblock', async () => {
  const directory = new ForgetfulDirectory()
  const manual = await directory.open(OPTIONS)
  await build(manual, SLOTS - 1)
  await directory.powerOff(() => 0)

  const schedule = createSchedule(1000, 500)
  const restarted = await directory.open({ ...OPTIONS, leading: { schedule } })

  expect(restarted.node.view().head.sealed.latest).toBe(0)
  await restarted.nextBlock()
  expect(sealedBlock(restarted).transactions).toHaveLength(SLOTS - 1)
  await expect(isValid(restarted, countingGenesis())).resolves.toBe(true)
  await restarted.node.stop()
})
