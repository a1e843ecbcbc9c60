import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { runNode } from '../support/compiled-program.ts'
import { type NodeProcess, spawnNode } from '../support/node-processes.ts'
import { unpackDirectory } from '../support/packed-directory.ts'

// `first-format.json.br` holds the files of a data directory, by name in base64, without LMDB's lock. Commit f760f30a
// wrote it with `start --compat anvil` and was killed with SIGKILL: blocks 0 to 4 are sealed, and a flashblock of
// block 5 was announced. Directories of that commit must open for as long as SCHEMA_VERSION is 1.

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url))
// Its blocks have the rules of Prague, the default of that commit.
const FLAGS = ['--compat', 'anvil', '--hardfork', 'prague']
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TRANSACTIONS = {
  logging: '0x58828b68beaa91391c1b476c2e3e6522698d40e1754801cc5bee40eb0c90875d',
  announced: '0xff363a824ffd48ab66c7fcf6701914d3a0c2e322ef74a5e17d7977c30c9ba042',
  queued: '0x9a372cc074b0597250b1881a92e29bfaa93493f8e22938660d78d77fa5c343de',
  dropped: '0xc710e956a157179d253eccda017b540900c458e672cde05e7b5bb7ecb54423c9',
}
const NEWEST_SEALED = '0x793ca4ddc62c15efeca445f28c089cf3386755cad722381855e903c42cd07b00'

const datadir = unpackDirectory(new URL('first-format.json.br', import.meta.url))
let node: NodeProcess | undefined

afterAll(async () => {
  await node?.stop()
  rmSync(datadir, { recursive: true, force: true })
})

async function call(method: string, ...params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(node!.rpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { readonly result: unknown }).result
}

describe('a data directory in the first format', () => {
  test.each([
    ['start', 1],
    ['verify', 2],
  ])('is refused by %s without the flag of its rules, which the error names', async (command, exitCode) => {
    const { status, errors } = await runNode([MAIN, command, '--datadir', datadir, '--compat', 'anvil'])

    expect(status).toBe(exitCode)
    expect(errors).toContain('--hardfork prague')
  })

  test('passes verify', async () => {
    const { status, output, errors } = await runNode([MAIN, 'verify', '--datadir', datadir, ...FLAGS])

    expect({ status, errors }).toEqual({ status: 0, errors: '' })
    expect(output).toMatch(/^Sound: 5 blocks, 3 transactions, /)
  })

  test('opens with its blocks, state, logs, pool and announced flashblock', async () => {
    node = await spawnNode(['--datadir', datadir, ...FLAGS])

    expect(await call('eth_getBlockByNumber', '0x4', false)).toMatchObject({ hash: NEWEST_SEALED })
    expect(await call('eth_getTransactionReceipt', TRANSACTIONS.announced)).toMatchObject({
      blockNumber: '0x5',
      transactionIndex: '0x0',
      status: '0x1',
    })
    expect(await call('eth_getBalance', '0x00000000000000000000000000000000000000bb', 'pending')).toBe('0x9')
    // Set by `anvil_setBalance`, which a record holds.
    expect(await call('eth_getBalance', '0x00000000000000000000000000000000000000cc', 'pending')).toBe('0x5')
    expect(await call('eth_getTransactionCount', SENDER, '0x0')).toBe('0x0')
    expect(await call('eth_getTransactionCount', SENDER, '0x4')).toBe('0x3')
    expect(await call('eth_getLogs', { fromBlock: '0x0', toBlock: '0x4' })).toMatchObject([
      { transactionHash: TRANSACTIONS.logging },
    ])
    expect(await call('eth_getTransactionByHash', TRANSACTIONS.queued)).toMatchObject({ blockNumber: null })
    expect(await call('eth_getTransactionByHash', TRANSACTIONS.dropped)).toBeNull()
  })
})
