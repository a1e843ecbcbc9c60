import { expect, test } from 'vitest'
import { flagName } from '../../flags/flag.ts'
import { START_FLAGS } from '../../flags/start-flags.ts'
import { withFlagHint } from './flag-hints.ts'
import { startCommand } from './start-command.ts'

/** The error that a start with these arguments prints. */
async function errorOf(...args: string[]): Promise<string> {
  let printed = ''
  const command = startCommand().exitOverride()
  const { outputError } = command.configureOutput()
  command.configureOutput({
    writeErr: (text) => {
      printed += text
    },
    outputError,
  })
  await command.parseAsync(args, { from: 'user' }).catch(() => undefined)
  return printed
}

test.each([
  [['-b', '2'], '--mining interval=SECONDS'],
  [['--gas-price', '0'], '--base-fee'],
  [['--hostname=0.0.0.0'], '--host'],
  [['--no-mine'], '--no-mining'],
  [['--steps-tracing'], 'always has its steps'],
  [['--steps'], 'always has its steps'],
  [['--optimism'], '--profile op'],
  [['--compute-units-per-second', '100'], '--fork-requests-per-second'],
  [['--number', '7'], 'chains begin with block 0'],
  [['--disable-console-log'], '--silent'],
  [['--config-out', 'x.json'], '--json-ready'],
  [['--no-rate-limit'], 'only --fork-requests-per-second limits'],
])('the error for %j of Anvil or Hardhat names what this node has instead', async (args, expected) => {
  const error = await errorOf(...args)

  expect(error).toContain(`error: unknown option '${args[0]}'`)
  expect(error).toContain(expected)
})

test('a misspelt flag is suggested, also one that the short help leaves out', async () => {
  expect(await errorOf('--minning', 'auto')).toContain('Did you mean --mining?')
  expect(await errorOf('--max-body-byte', '1')).toContain('Did you mean --max-body-bytes?')
})

test('a block time in seconds is refused with the flag that takes seconds', async () => {
  expect(await errorOf('--block-time', '2')).toMatch(/milliseconds.*--mining interval=2/)
})

test.each([[['--no-mining', '--mining', 'auto']], [['--mining', 'interval=2', '--no-mining']]])(
  '%j is refused in either order, because one flag contradicts the other',
  async (args) => {
    expect(await errorOf(...args)).toContain('--no-mining contradicts --mining')
  },
)

test('hints name flags that exist, for flags that do not', () => {
  const names = Object.keys(START_FLAGS).map(flagName)
  const hints = ['-p', '--init', '--mixed-mining', '--prune-history', '--tx-gas-limit', '--no-request-size-limit']

  for (const flag of hints) {
    const [, hinted] = /use (--[a-z-]+)/.exec(withFlagHint(`error: unknown option '${flag}'\n`)) ?? []
    expect(names).toContain(hinted)
    expect(names).not.toContain(flag)
  }
})
