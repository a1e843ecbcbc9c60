import { Command } from 'commander'
import { expect, test } from 'vitest'
import { FORK_FLAGS } from '../../flags/fork-flags.ts'
import { optionsOf } from './command-options.ts'

test.each([
  [[], true],
  [['--no-fork-cache'], false],
])('with the arguments %j the cache of a fork is on: %s', (args, isOn) => {
  const command = new Command()
  for (const option of optionsOf({ title: 'Fork', flags: FORK_FLAGS })) command.addOption(option)

  command.parse(args, { from: 'user' })

  expect(command.opts()).toMatchObject({ forkCache: isOn })
})
