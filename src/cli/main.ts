#!/usr/bin/env node
import { Command } from 'commander'
import { exportCommand } from './export-command.ts'
import { importCommand } from './import-command.ts'
import { endingOnWrongUsage } from './process-end.ts'
import { replicaCommand } from './replica-command.ts'
import { stocksCommand } from './standalone/stocks-command.ts'
import { START_EXAMPLES, startCommand } from './start-command.ts'
import { stockCommand } from './stock/stock-command.ts'
import { verifyCommand } from './verify-command.ts'
import { VERSION } from './version.ts'

const program = endingOnWrongUsage(new Command('tickertape'))
  .description(
    'An Ethereum-compatible layer-2 node with 200 ms pre-confirmations, and the supply API of its tokenized stocks',
  )
  .version(VERSION)
  .showHelpAfterError('(tickertape --help lists every flag)')

const start = startCommand()
program.addCommand(start, { isDefault: true })
const others = [replicaCommand(), stocksCommand(), stockCommand(), verifyCommand(), exportCommand(), importCommand()]
for (const command of others) program.addCommand(command)
// It runs when no command is named, so its flags are what most people look for.
program.addHelpText('after', () => `\n${start.helpInformation()}${START_EXAMPLES}`)

await program.parseAsync()
