import { Command } from 'commander'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { DEBUG_FLAGS, type DebugOptions } from './debug-flags.ts'

export const DEBUG_EXAMPLES: readonly string[] = [
  'debug 0x5d3f…c1e9',
  'debug 0x5d3f…c1e9 --abi out --json',
  'debug --to 0x5FbDB2315678afecb367f032d93F642f64180aa3 --data 0x18160ddd',
  `debug --call '{"to":"0x5FbDB2315678afecb367f032d93F642f64180aa3","data":"0x18160ddd"}' --block latest`,
]

export const DEBUG_EXITS =
  'Exit codes: 0 shown, also if the transaction failed, 2 wrong usage or no build information, 3 the node cannot be reached or refuses.'

/** `tickertape debug [TX]` */
export function debugCommand(): Command {
  const command = endingOnWrongUsage(new Command('debug'))
    .description('Step through a transaction, or a call that is not sent, by lines of Solidity')
    .argument('[transaction]', 'hash of a transaction that is sealed or pre-confirmed')
    .showHelpAfterError('(tickertape debug --help lists every flag)')
    .addHelpText(
      'after',
      `\nOn a terminal keys step: n over, s into, o out, b back, i by instruction, c FILE:LINE continues, f to the first line, r to the revert, ? lists keys, q ends.\n\n${DEBUG_EXITS}\n\nExamples:\n${DEBUG_EXAMPLES.map((example) => `  $ tickertape ${example}\n`).join('')}`,
    )
    .action(async (transaction: string | undefined, options: DebugOptions) => {
      // Loaded lazily: it imports the ABI decoder, which other commands do not need.
      const { runDebug } = await import('./run-debug.ts')
      await runDebug(transaction, options)
    })
  for (const option of optionsOf({ flags: DEBUG_FLAGS })) command.addOption(option)
  return command
}
