import { Command } from 'commander'
import { expect, test, vi } from 'vitest'
import type { FlagTable } from '../../flags/flag.ts'
import { FORK_FLAGS } from '../../flags/fork-flags.ts'
import { POOL_FLAGS } from '../../flags/limit-flags.ts'
import { optionsOf } from './command-options.ts'

function commandOf(flags: FlagTable): Command {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  for (const option of optionsOf({ flags })) command.addOption(option)
  return command
}

test.each([
  [[], true],
  [['--no-fork-cache'], false],
])('with the arguments %j the cache of a fork is on: %s', (args, isOn) => {
  const command = commandOf(FORK_FLAGS)

  command.parse(args, { from: 'user' })

  expect(command.opts()).toMatchObject({ forkCache: isOn })
})

test('a flag under its former name sets the option, with a warning that names the new one', () => {
  const command = commandOf(POOL_FLAGS)
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)

  command.parse(['--pool-gapped-slots', '7'], { from: 'user' })

  expect(written.mock.calls).toEqual([['tickertape: --pool-gapped-slots is now named --max-queued-per-sender\n']])
  written.mockRestore()
  expect(command.opts()).toMatchObject({ maxQueuedPerSender: 7 })
  expect(command.opts()).not.toHaveProperty('poolGappedSlots')
  expect(command.getOptionValueSource('maxQueuedPerSender')).toBe('cli')
  expect(command.helpInformation()).not.toContain('--pool-gapped-slots')
})

test('a wrong value under a former name is an error', () => {
  const command = commandOf(POOL_FLAGS)
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)

  expect(() => command.parse(['--pool-gapped-slots', 'x'], { from: 'user' })).toThrow(/a whole number/)
  written.mockRestore()
})
