import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ChainDirectories } from './support/chain-directory.ts'
import { runNode } from './support/compiled-program.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { type NodeProcess, spawnNode, until } from './support/node-processes.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const KILLER = new URL('./support/kill-in-transfer.mjs', import.meta.url)
/** Accounts with code that fills more than two files of records, which the leader then deletes. */
const LARGE_CODES = 24
const CODE_BYTES = 2 ** 20
/** More than a leader retains for replicas. */
const BLOCKS = 480

const directories = new ChainDirectories()
let leader: NodeProcess
/** A stopped replica with the first blocks of the chain, which now needs a snapshot. */
let outdated: string
afterAll(async () => {
  await leader.stop()
  directories.remove()
})

beforeAll(async () => {
  leader = await spawnNode(['--datadir', directories.next(), '--mining', 'manual', '--log-level', 'silent'])
  const { result } = jsonRpcClient(leader.rpc)
  await result('evm_mine', { blocks: 5 })
  outdated = directories.next()
  const replica = await startReplica(outdated)
  await until(async () => (await heightOf(replica)) === 5)
  await replica.stop()
  for (let index = 0; index < LARGE_CODES; index++) {
    await result('anvil_setCode', addressOf(index), `0x${'5b'.repeat(CODE_BYTES - index)}`)
    await result('evm_mine', { blocks: BLOCKS / LARGE_CODES })
  }
  await result('evm_mine', { blocks: BLOCKS })
}, 180_000)

function startReplica(datadir: string, preload?: string): Promise<NodeProcess> {
  const flags = ['--datadir', datadir, '--from', `${leader.ws}/replica`, '--log-level', 'silent']
  return spawnNode(flags, preload, 'replica')
}

async function heightOf({ rpc }: NodeProcess): Promise<number> {
  return Number(await jsonRpcClient(rpc).result('eth_blockNumber'))
}

function addressOf(index: number): string {
  return `0x${(0xc0de + index).toString(16).padStart(40, '0')}`
}

/** The old chain verifies; the new one is refused, because it begins with a snapshot, after it was opened. */
async function expectOldOrNew(datadir: string): Promise<void> {
  const { status, errors } = await runNode([MAIN, 'verify', '--datadir', datadir])
  if (status !== 0) expect(errors).toContain('is a replica that began with a snapshot')
}

/** Whether a process was killed while it received a snapshot: it shows its old chain until then, or never a chain. */
async function killedIn(moment: string, datadir: string): Promise<boolean> {
  try {
    const replica = await startReplica(datadir, new URL(`?at=${moment}`, KILLER).href)
    const newest = await heightOf(leader)
    const reached = until(async () => (await heightOf(replica).catch(() => -1)) === newest).then(() => 'reached')
    const end = await Promise.race([replica.exited, reached])
    if (end === 'reached') await replica.stop()
    return end === 'SIGKILL'
  } catch (error) {
    expect(String(error)).toMatch(/ended \(SIGKILL\) before it was ready/)
    return true
  }
}

test.each(['state', 'block', 'commit-0', 'commit-1', 'commit-3', 'records'])(
  'a replica that is killed in the transfer of a snapshot (%s) has its old chain or the new one, and catches up',
  async (moment) => {
    const datadir = directories.next()
    cpSync(outdated, datadir, { recursive: true, filter: (path) => !path.endsWith('/lock') })

    expect(await killedIn(moment, datadir)).toBe(true)

    await expectOldOrNew(datadir)
    const replica = await startReplica(datadir)
    onTestFinished(() => replica.stop())
    const newest = await heightOf(leader)
    await until(async () => (await heightOf(replica)) === newest)
    const [own, wanted] = await Promise.all(
      [replica, leader].map(({ rpc }) => jsonRpcClient(rpc).result('eth_getBlockByNumber', 'latest', false)),
    )
    expect(own).toEqual(wanted)
    const code = await jsonRpcClient(replica.rpc).result<string>('eth_getCode', addressOf(LARGE_CODES - 1), 'latest')
    expect(code.length).toBe(2 + 2 * (CODE_BYTES - LARGE_CODES + 1))
  },
  120_000,
)
