import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { toQuantity } from '../src/primitives/quantity.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { startManualNode } from './support/manual-node.ts'
import { spawnNode } from './support/node-processes.ts'
import { damagePage, storedPages } from './support/stored-pages.ts'
import { signTransfer } from './support/transfers.ts'

const BLOCKS = 40

test.each(['--call-workers=0', '--call-workers=1'])(
  'an RPC worker refuses reads of damaged blocks, and says that it is degraded: %s',
  async (flag) => {
    const datadir = mkdtempSync(join(tmpdir(), 'damaged-workers-'))
    onTestFinished(() => rmSync(datadir, { recursive: true, force: true }))
    const directory = join(datadir, 'main')
    const { node, nextBlock } = await startManualNode({ directory, replayBlocks: 4 })
    for (let nonce = 0n; nonce < BLOCKS; nonce++) {
      for (let from = 0; from < 8; from++) await node.submit(signTransfer({ from, nonce }).raw)
      await nextBlock()
    }
    await node.stop()
    const part = storedPages(directory).find(({ table, kind, to }) => table === 'bodies' && kind === 'leaf' && to)
    damagePage(directory, part!.pages[0]!)

    const workers = await spawnNode(['--datadir', datadir, '--rpc-workers', '1', ...flag.split('=')])
    onTestFinished(() => workers.stop())
    const { request } = jsonRpcClient(workers.rpc)
    const codes = []
    for (let number = 0; number <= BLOCKS; number++) {
      const { error, result } = await request('eth_getBlockByNumber', toQuantity(number), true)
      codes.push(error?.code ?? (result === null ? 'null' : 'block'))
    }
    const ready = await fetch(new URL('/ready', workers.rpc))

    expect(new Set(codes)).toEqual(new Set([-32007, 'block']))
    expect(codes.at(-1)).toBe('block')
    expect(ready.status).toBe(503)
    expect(await ready.json()).toMatchObject({ ready: false, degraded: ['bodies'] })
  },
)
