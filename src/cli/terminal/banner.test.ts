import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../chain/accounts/development-accounts.ts'
import { fallbacksOf } from '../../flags/flag.ts'
import { miningMode } from '../../flags/mining-flags.ts'
import { START_FLAGS, type StartOptions } from '../../flags/start-flags.ts'
import type { ForkStatus } from '../../fork/chain-fork.ts'
import type { Hash } from '../../primitives/hex.ts'
import { banner, forkLine } from './banner.ts'

const DEFAULTS: StartOptions = fallbacksOf(START_FLAGS)

/** Facts of a chain for the banner. */
function titleOf(options: Partial<StartOptions>): string {
  const [title] = banner({ ...DEFAULTS, ...options }, []).split('\n')
  return title!.replace(/^Tickertape \S+: /, '')
}

test.each([
  ['flashblocks', 'chain id 31337, blocks every 2 s, flashblocks every 200 ms'],
  ['auto', 'chain id 31337, a block for each transaction'],
  ['interval=2.5', 'chain id 31337, a block every 2.5 s'],
  ['auto,interval=3', 'chain id 31337, a block for each transaction and a block every 3 s'],
  ['manual', 'chain id 31337, blocks on request only (evm_mine)'],
])('names the mode of --mining %s', (mining, expected) => {
  expect(titleOf({ mining: miningMode(mining) })).toBe(expected)
})

test('names --compat and the chain id, unless a genesis file or a forked chain decides the chain id', () => {
  const standStill = true
  expect(titleOf({ standStill, compat: 'anvil', chainId: 7n })).toBe('chain id 7, --compat anvil, no blocks are built')
  expect(titleOf({ standStill, genesis: 'genesis.json' })).toBe('no blocks are built')
})

test('lists the demonstration stocks, which are absent with --compat and on a forked chain', () => {
  expect(banner(DEFAULTS, [])).toContain('Demonstration stocks')
  const forkUrl = { urls: ['http://127.0.0.1:1'], blockNumber: undefined }
  expect(banner({ ...DEFAULTS, compat: 'hardhat' }, [])).not.toContain('Demonstration stocks')
  expect(banner({ ...DEFAULTS, forkUrl }, [])).not.toContain('Demonstration stocks')
})

test('shows addresses with their checksums', () => {
  const text = banner(DEFAULTS, DEVELOPMENT_ACCOUNTS)
  expect(text).toContain('  (0) 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266  0xac09')
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
