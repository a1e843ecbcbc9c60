import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { runNode } from '../support/compiled-program.ts'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { unpackDirectory } from '../support/packed-directory.ts'

// Commit e424cd8b, whose only demonstration stocks were those that are now `--demo-stocks v1`, wrote the directory with
// `start` and was killed with SIGKILL. Block 1 has a transfer of 1.5 VIREOd, which had 18 decimals.

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
const TRANSFER = '0x237c769bde3c342b78dd64e7f1157ca987fdb0ff1a0801bfb5e56fe8f5f71564'
const NEWEST_SEALED = '0xcaa4e1bb634183c7113a099ef1c37af2706365226942dbceee92639846c313a8'

const datadir = unpackDirectory(new URL('demo-stocks-v1.json.br', import.meta.url))
let node: NodeProcess | undefined

afterAll(async () => {
  await node?.stop()
  rmSync(datadir, { recursive: true, force: true })
})

describe('a data directory with the former demonstration stocks', () => {
  test('is refused with an error that names the flag that opens it', async () => {
    const { status, errors } = await runNode([MAIN, 'start', '--port', '0', '--datadir', datadir])

    expect(status).toBe(1)
    expect(errors).toContain('--demo-stocks v1 ')
  })

  test('opens with that flag, with its blocks and balances', async () => {
    node = await spawnNode(['--datadir', datadir, '--demo-stocks', 'v1'])

    const post = async (method: string, ...params: readonly unknown[]) => {
      const response = await fetch(node!.rpc, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return ((await response.json()) as { readonly result: unknown }).result
    }
    expect(await post('eth_getBlockByNumber', '0x1', false)).toMatchObject({ hash: NEWEST_SEALED })
    expect(await post('eth_getTransactionReceipt', TRANSFER)).toMatchObject({ blockNumber: '0x1', status: '0x1' })
    const list = await (await fetch(new URL('/v1/tokenized-stocks', node.rpc))).json()
    expect(list).toMatchObject({
      tokens: [18, 6, 18, 8, 18, 6].map((decimals) => ({ decimals })),
    })
    expect(list).toHaveProperty('tokens[4]', expect.objectContaining({ symbol: 'VIREOd', total_supply: 1_250_000 }))
  })
})
