import { once } from 'node:events'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { ChainDirectories } from './support/chain-directory.ts'
import { runNode } from './support/compiled-program.ts'
import { jsonRpcClient } from './support/json-rpc-client.ts'
import { spawnNode } from './support/node-processes.ts'
import { damagePage, storedPages } from './support/stored-pages.ts'

const MAIN = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url))
const MINING = ['--mining', 'manual']
const ALTERED = `0x${'11'.repeat(20)}`
/** Blocks before and after the state change; later ones are in the records only. */
const BLOCKS = [5, 100] as const

const directories = new ChainDirectories()
let sound: string
afterAll(() => directories.remove())

beforeAll(async () => {
  sound = directories.next()
  const node = await spawnNode(['--datadir', sound, ...MINING])
  const { result } = jsonRpcClient(node.rpc)
  await result('evm_mine', { blocks: BLOCKS[0] })
  await result('anvil_setBalance', ALTERED, '0x77')
  await result('evm_mine', { blocks: BLOCKS[1] })
  await node.stop()
}, 60_000)

/** A copy of the chain. @param damaged tables of which the first page is damaged */
function copyOfSound(...damaged: readonly string[]): string {
  const datadir = directories.next()
  cpSync(sound, datadir, { recursive: true, filter: (path) => !path.endsWith('/lock') })
  const directory = join(datadir, 'main')
  const pages = storedPages(directory).filter(({ kind }) => kind === 'leaf')
  for (const table of damaged) damagePage(directory, pages.find((part) => part.table === table)!.pages[0]!)
  return datadir
}

function repair(datadir: string, ...flags: readonly string[]) {
  return runNode([MAIN, 'repair', '--datadir', datadir, ...flags])
}

/** Starts a node on the directory: the chain is whole. */
async function expectWhole(datadir: string): Promise<void> {
  const verified = await runNode([MAIN, 'verify', '--datadir', datadir])
  expect(verified).toMatchObject({ status: 0 })
  const node = await spawnNode(['--datadir', datadir, ...MINING])
  onTestFinished(() => node.stop())
  const { result } = jsonRpcClient(node.rpc)
  expect(Number(await result('eth_blockNumber'))).toBe(BLOCKS[0] + BLOCKS[1])
  expect(await result('eth_getBlockByNumber', '0x3', true)).toMatchObject({ number: '0x3' })
  expect(await result('eth_getBalance', ALTERED, '0x5')).toBe('0x77')
}

test('repairs a directory from a running node, and keeps the state changes between blocks', {
  timeout: 120_000,
}, async () => {
  const datadir = copyOfSound('bodies')
  const source = await spawnNode(['--datadir', copyOfSound(), ...MINING])
  onTestFinished(() => source.stop())

  const result = await repair(datadir, '--from', source.rpc, '--json')

  expect(result.status, result.errors).toBe(0)
  const { fetched, old, ...outcome } = JSON.parse(result.output)
  expect(outcome).toMatchObject({ repaired: true, tables: ['bodies'] })
  expect(fetched).toBeGreaterThan(0)
  expect(existsSync(old)).toBe(true)
  await expectWhole(datadir)
})

test('repairs a directory from a backup', { timeout: 120_000 }, async () => {
  const datadir = copyOfSound('bodies', 'preludes')
  const backup = directories.next()
  expect(await runNode([MAIN, 'backup', backup, '--datadir', copyOfSound()])).toMatchObject({ status: 0 })

  const { status, output } = await repair(datadir, '--from', backup)

  expect({ status, output }).toEqual({ status: 0, output: expect.stringMatching(/^Repaired .*bodies.*preludes/) })
  await expectWhole(datadir)
})

test('changes nothing without the blocks, and says where they can come from', { timeout: 120_000 }, async () => {
  const datadir = copyOfSound('bodies', 'preludes')
  const files = readdirSync(join(datadir, 'main'))
  const source = await spawnNode(['--datadir', copyOfSound(), ...MINING])
  onTestFinished(() => source.stop())

  const outcomes = [await repair(datadir), await repair(datadir, '--from', source.rpc)]

  expect(outcomes).toEqual([
    {
      status: 1,
      output: '',
      errors: expect.stringMatching(/^tickertape: block \d+ is damaged here: name another node/),
    },
    {
      status: 1,
      output: '',
      errors: expect.stringMatching(/changes before block 6 .* name a backup or a stopped data/),
    },
  ])
  expect(readdirSync(join(datadir, 'main'))).toEqual(files)
  expect(readdirSync(datadir)).toEqual(['main'])
})

test('names the node and the flag when a node gives no blocks', { timeout: 120_000 }, async () => {
  const datadir = copyOfSound('bodies')
  const source = await spawnNode(['--datadir', copyOfSound(), ...MINING, '--http-api', 'eth'])
  onTestFinished(() => source.stop())
  const other = createServer((_, response) => response.writeHead(502).end('<html>')).listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const gateway = `127.0.0.1:${(other.address() as AddressInfo).port}`

  const outcomes = []
  for (const url of [source.rpc, `http://user:s3cret@${gateway}`, 'http://user:s3cret@127.0.0.1:1']) {
    outcomes.push(await repair(datadir, '--from', url))
  }

  const needed = 'it needs --http-api eth,debug'
  expect(outcomes.map(({ status, output }) => [status, output])).toEqual(Array(3).fill([2, '']))
  expect(outcomes.map(({ errors }) => errors)).toEqual([
    expect.stringMatching(new RegExp(`^tickertape: .* gives no block 1: .*; ${needed}\n$`)),
    `tickertape: ${gateway} gives no block 1: HTTP status 502; ${needed}\n`,
    expect.stringMatching(/^tickertape: 127\.0\.0\.1:1 does not respond: .*\n$/),
  ])
})
