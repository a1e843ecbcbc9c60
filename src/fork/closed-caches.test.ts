import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { COUNTER, type ForkedNode, openTestFork, startForkedNode } from '../../test/support/forked-node.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { whenLoaded } from '../state/missing-state.ts'
import type { StateReader } from '../state/state-reader.ts'

const HEIGHT = 4
const SENDER = DEVELOPMENT_ACCOUNTS[2]!.address

let upstream: ForkedNode
beforeAll(async () => {
  upstream = await startForkedNode()
})
afterAll(() => upstream.close())

async function open() {
  const cachePath = mkdtempSync(join(tmpdir(), 'fork-'))
  const fork = await openTestFork(upstream.proxy.url, { blockNumber: HEIGHT, cachePath })
  onTestFinished(async () => {
    await fork.close()
    rmSync(cachePath, { recursive: true, force: true })
  })
  return { fork, cachePath }
}

/** The state of the upstream, as its own node reads it. */
function stateAt(number: number): StateReader {
  return upstream.node.node.view().state({ kind: 'number', number })!
}

/** Number of caches below a directory that this process has open. */
function openCachesIn(path: string): number {
  const files = readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)]
    } catch {
      return []
    }
  })
  return new Set(files.filter((file) => file.startsWith(path)).map(dirname)).size
}

test.runIf(process.platform === 'linux')('50 resets to other blocks leave two caches open at most', async () => {
  const { fork, cachePath } = await open()
  const before = fork.below
  await whenLoaded(() => before.state.account(COUNTER))
  for (let reset = 0; reset < 50; reset++) {
    fork.adopt(await fork.openAt({ blockNumber: reset % HEIGHT }))
    expect(await whenLoaded(() => fork.state.account(SENDER))).toEqual(stateAt(fork.point.number).account(SENDER))
  }

  await expect.poll(() => openCachesIn(cachePath)).toBeLessThanOrEqual(2)
  await expect(whenLoaded(() => before.state.account(COUNTER))).rejects.toMatchObject({ code: 'FORK_STOPPED' })
})

test('a request that began before the last reset reads what is cached', async () => {
  const { fork } = await open()
  const { state } = fork.below
  const account = await whenLoaded(() => state.account(COUNTER))
  fork.adopt(await fork.openAt({ blockNumber: 1 }))
  expect(state.account(COUNTER)).toEqual(account)
})
