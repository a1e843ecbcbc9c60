import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { fallbacksOf } from '../../flags/flag.ts'
import { miningMode } from '../../flags/mining-flags.ts'
import { START_FLAGS, type StartOptions } from '../../flags/start-flags.ts'
import type { ForkStatus } from '../../fork/chain-fork.ts'
import type { Hash } from '../../primitives/hex.ts'
import { banner, FOR_DEVELOPMENT, forkLine, readyText } from './banner.ts'

const DEFAULTS: StartOptions = fallbacksOf(START_FLAGS)

/** Facts of a chain for the banner: its identity, and when blocks are built. */
function factsOf(options: Partial<StartOptions>): readonly string[] {
  const [title, pace] = banner({ ...DEFAULTS, ...options }, []).split('\n')
  return [title!.replace(/^Tickertape \S+: /, ''), pace!]
}

test.each([
  ['flashblocks', 'Blocks every 2 s, flashblocks every 200 ms'],
  ['auto', 'A block for each transaction'],
  ['interval=2.5', 'A block every 2.5 s'],
  ['auto,interval=3', 'A block for each transaction and every 3 s'],
  ['manual', 'Blocks on request only (evm_mine)'],
])('names the mode of --mining %s', (mining, expected) => {
  expect(factsOf({ mining: miningMode(mining) })).toEqual(['profile flashblocks, chain id 31337', expected])
})

test('names the profile, --compat and the chain id, unless a genesis file or a forked chain decides the chain id', () => {
  const standStill = true
  expect(factsOf({ standStill, profile: 'op', compat: 'anvil', chainId: 7n })).toEqual([
    'profile op, chain id 7, --compat anvil',
    'No blocks are built',
  ])
  expect(factsOf({ genesis: 'genesis.json' })).toContain('profile flashblocks')
})

test('fits 80 columns, with one URL a line', () => {
  const urls = (port: number) => ({
    rpc: `http://127.0.0.1:${port}`,
    ws: `ws://127.0.0.1:${port}`,
    rest: `http://127.0.0.1:${port}`,
    studio: `http://127.0.0.1:${port}/studio`,
    metrics: `http://127.0.0.1:${port + 1}/metrics`,
  })
  const variants: Partial<StartOptions>[] = [{}, { ephemeral: true }, { failover: true }, { compat: 'hardhat3' }]
  const ready = readyText('main', urls(8545), urls(8546))
  const texts = [...variants.map((flags) => banner({ ...DEFAULTS, ...flags }, DEVELOPMENT_ACCOUNTS)), ready]

  const lines = [...texts.flatMap((text) => text.split('\n')), FOR_DEVELOPMENT]

  expect(lines.filter((line) => line.length > 80 || line.split('://').length > 2)).toEqual([])
  expect(ready.split('\n').slice(0, 5)).toEqual([
    'Ready. Main network:',
    '  JSON-RPC   http://127.0.0.1:8545',
    '  WebSocket  ws://127.0.0.1:8545',
    '  REST       http://127.0.0.1:8545/v1/tokenized-stocks',
    '  Reference  http://127.0.0.1:8545/docs',
  ])
})

test('lists the demonstration stocks, which are absent with --compat and on a forked chain', () => {
  expect(banner(DEFAULTS, [])).toContain('Demonstration stocks')
  const forkUrl = { urls: ['http://127.0.0.1:1'], blockNumber: undefined }
  expect(banner({ ...DEFAULTS, compat: 'hardhat' }, [])).not.toContain('Demonstration stocks')
  expect(banner({ ...DEFAULTS, forkUrl }, [])).not.toContain('Demonstration stocks')
})

test('shows addresses with their checksums', () => {
  const text = banner(DEFAULTS, DEVELOPMENT_ACCOUNTS)
  expect(text).toContain('  (0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n')
  expect(text).toContain('  (0) 0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80\n')
  expect(text).toContain('Demonstration stocks, owned by account (0)')
})

test('names neither keys nor an owner of stocks without development accounts', () => {
  const text = banner({ ...DEFAULTS, accounts: 0 }, [])
  expect(text).toContain('No development accounts (--accounts 0).\n\nDemonstration stocks\n')
  expect(text).not.toMatch(/Mnemonic|account \(0\)/)
})

test('names the forked node, its chain id and the fork block', () => {
  const hash = `0x${'ab'.repeat(32)}` as Hash
  const status = { chainId: 10n, number: 7, hash, upstream: 'https://node.example/…' } as ForkStatus
  expect(forkLine(status)).toBe(`Fork of https://node.example/…: chain id 10, block 7 (${hash})`)
  expect(forkLine({ ...status, upstream: undefined })).toContain('in the cache (--fork-offline): chain id 10')
})
