#!/usr/bin/env node
import { Command } from 'commander'
import { startCommand } from './start-command.ts'
import { VERSION } from './version.ts'

const program = new Command('tickertape')
  .description(
    'An Ethereum-compatible layer-2 node with 200 ms pre-confirmations, and the supply API of its tokenized stocks',
  )
  .version(VERSION)
  .showHelpAfterError('(--help lists every flag)')

program.addCommand(startCommand(), { isDefault: true })

await program.parseAsync()
