import { spawnSync } from 'node:child_process'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { completionCommand, completionScript, wordsOf } from './completion-command.ts'
import { startCommand } from './start-command.ts'

const program = new Command('tickertape')
program.addCommand(startCommand(), { isDefault: true })
const stock = new Command('stock')
stock.addCommand(new Command('split').option('--ratio <ratio>'))
program.addCommand(stock)
program.addCommand(completionCommand(program))

/** Completions that bash offers for the last of the words. */
function completed(...words: string[]): readonly string[] {
  const script = `${completionScript('bash', wordsOf(program))}
COMP_WORDS=(tickertape "$@")
COMP_CWORD=$#
_tickertape
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test('completes commands, and flags of the default command', () => {
  expect(completed('st')).toEqual(['start', 'stock'])
  expect(completed('--block-t')).toEqual(['--block-time'])
})

test('completes the flags of the command before the cursor', () => {
  expect(completed('start', '--port', '1', '--fla')).toEqual(['--flashblock-interval'])
  expect(completed('stock', '')).toEqual(['split', '--help'])
  expect(completed('stock', 'split', '--r')).toEqual(['--ratio'])
})
