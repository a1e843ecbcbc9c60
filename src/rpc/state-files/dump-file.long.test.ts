import { randomBytes } from 'node:crypto'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startManualNode } from '../../../test/support/manual-node.ts'
import { MANUAL } from '../../node/development/mining-mode.ts'
import { toAddress } from '../../primitives/hex.ts'
import { compressedState, loadStateFile } from './dump-file.ts'

const ACCOUNT_COUNT = 30
const CODE_BYTES = 24_000

/** A node with state that gzip cannot shorten, and the number of times that its view is retained. */
async function startNode() {
  const { node } = await startManualNode({ development: { mining: MANUAL } })
  onTestFinished(() => node.stop())
  for (let index = 1; index <= ACCOUNT_COUNT; index++) {
    const address = toAddress(`0x${index.toString(16).padStart(40, '0')}`)
    await node.development!.state.setCode(address, randomBytes(CODE_BYTES))
  }
  const view = node.view()
  const retain = vi.spyOn(view, 'retain')
  const release = vi.spyOn(view, 'release')
  return {
    node: { ...node, config: node.config, view: () => view },
    retained: () => retain.mock.calls.length - release.mock.calls.length,
  }
}

const yieldTurn = () => new Promise((resolve) => setImmediate(resolve))

test('a dump beyond the limit is ended, and its view released', async () => {
  const { node, retained } = await startNode()

  expect(await compressedState(node, 100_000, yieldTurn)).toBeUndefined()

  await vi.waitFor(() => expect(retained()).toBe(0))
})

test('a dump that fails while it is written is rejected with the error, and its view released', async () => {
  const { node, retained } = await startNode()
  let turns = 0
  const failing = async () => {
    turns += 1
    if (turns === 2) throw new Error('a page is damaged')
  }

  await expect(compressedState(node, 10_000_000, failing)).rejects.toThrow('a page is damaged')

  await vi.waitFor(() => expect(retained()).toBe(0))
})

test('a dump of empty blocks yields to other work every few hundred blocks', async () => {
  const { node } = await startManualNode({ development: { mining: MANUAL } })
  onTestFinished(() => node.stop())
  const blocks = 3_000
  await node.development!.mining.mine({ blocks })
  let turns = 0

  await compressedState(node, 100_000_000, async () => {
    turns += 1
  })

  // Each block is read twice: for the block itself and for its transactions.
  expect(turns).toBeGreaterThan((2 * blocks) / 500)
})

test('refuses what is no regular file', async () => {
  const { node } = await startManualNode({ development: { mining: MANUAL } })
  onTestFinished(() => node.stop())

  const loading = loadStateFile('/dev/zero', { node, development: node.development! })

  await expect(loading).rejects.toMatchObject({ code: 'EFTYPE' })
})
