import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startManualNode } from '../../test/support/manual-node.ts'
import { MANUAL } from '../node/development/mining-mode.ts'
import type { SoloHandle } from '../node/roles/node-handle.ts'
import { toAddress } from '../primitives/hex.ts'
import { openStateFile, type StateFileOptions } from './state-file.ts'

const FUNDED = toAddress(`0x${'00'.repeat(18)}beef`)
const log = pino({ level: 'silent' })

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'state-file-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function startNode(): Promise<SoloHandle> {
  const { node } = await startManualNode({ development: { mining: MANUAL } })
  onTestFinished(() => node.stop())
  return node
}

function open(flags: Partial<StateFileOptions>, node: SoloHandle) {
  const none = { state: undefined, loadState: undefined, dumpState: undefined, stateInterval: undefined }
  return openStateFile({ ...none, ...flags }, { node, log })
}

function balance(node: SoloHandle): bigint | undefined {
  return node.view().state({ kind: 'tag', tag: 'latest' })!.account(FUNDED)?.balance
}

test.each([
  ['a block', 1],
  ['none', 0],
])('--state keeps newer state of the data directory at the height of the file: %s', async (_, blocks) => {
  const state = join(await temporaryFolder(), 'state.json')
  const node = await startNode()
  await node.development!.state.setBalance(FUNDED, 1n)
  await node.development!.mining.mine({ blocks })
  await (await open({ state }, node)).close()
  await node.development!.state.setBalance(FUNDED, 2n)

  await open({ state }, node)

  expect(balance(node)).toBe(2n)
})

test.each([0, 1])('--state is loaded into an unused chain at height %i', async (height) => {
  const state = join(await temporaryFolder(), 'state.json')
  const used = await startNode()
  await used.development!.state.setBalance(FUNDED, 1n)
  await (await open({ state }, used)).close()
  const node = await startNode()
  await node.development!.mining.mine({ blocks: height })
  await node.idle()

  await open({ state }, node)

  expect(balance(node)).toBe(1n)
})

test('--state keeps the file while the loaded chain is unchanged, because its blocks are not loaded', async () => {
  const state = join(await temporaryFolder(), 'state.json')
  const used = await startNode()
  await used.development!.mining.mine({ blocks: 2 })
  await (await open({ state }, used)).close()
  const written = await readFile(state, 'utf8')
  const node = await startNode()

  const file = await open({ state }, node)
  await file.close()
  expect(await readFile(state, 'utf8')).toBe(written)

  await node.development!.state.setBalance(FUNDED, 1n)
  await file.close()
  expect(JSON.parse(await readFile(state, 'utf8')).accounts[FUNDED].balance).toBe('0x1')
})

test('--state-interval starts no write while another one is running', async () => {
  const dumpState = join(await temporaryFolder(), 'state.json')
  const node = await startNode()
  const view = vi.spyOn(node, 'view')
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const file = await open({ dumpState, stateInterval: 1 }, node)

  vi.advanceTimersByTime(5_000)
  await file.close()

  // One write at the first tick, which runs until `close`, and the last one, with two views each.
  expect(view).toHaveBeenCalledTimes(4)
})

test('a folder that is missing is refused at the start', async () => {
  const { node } = await startManualNode({ development: { mining: MANUAL } })
  onTestFinished(() => node.stop())
  const dumpState = join(tmpdir(), 'tickertape-missing', 'state.json')

  await expect(openStateFile({ dumpState } as StateFileOptions, { node, log })).rejects.toMatchObject({
    code: 'INVALID_STATE_DUMP',
    message: expect.stringContaining('there is no writable folder'),
  })
})
