import { expect, test } from 'vitest'
import type { StartOptions } from '../flags/start-flags.ts'
import { withStartDefaults } from './start-defaults.ts'

test.each([
  [{}, false],
  [{ quiet: true }, true],
  [{ silent: true }, true],
])('--silent includes --quiet (%j)', async (flags, quiet) => {
  const options = { silent: false, quiet: false, ...flags } as StartOptions

  expect(await withStartDefaults(options, 0)).toMatchObject({ quiet })
})

const EPHEMERAL = { ephemeral: true, compat: 'hardhat', rpcWorkers: 0 } as const

test.each([
  ['a temporary chain with --compat hardhat', EPHEMERAL, true],
  ['a chain that is kept', { ...EPHEMERAL, ephemeral: false }, false],
  ['--compat anvil', { ...EPHEMERAL, compat: 'anvil' }, false],
  ['--timestamp, with which a replica can be started', { ...EPHEMERAL, timestamp: 5n }, false],
  ['--genesis', { ...EPHEMERAL, genesis: 'genesis.json' }, false],
  ['--rpc-workers', { ...EPHEMERAL, rpcWorkers: 2 }, false],
  ['--nats', { ...EPHEMERAL, nats: ['nats://localhost'] }, false],
] as const)('resets renew block 0 only where no one else knows it: %s', async (_, flags, renewsGenesis) => {
  expect(await withStartDefaults(flags as unknown as StartOptions, 9_000)).toMatchObject({ renewsGenesis })
})
