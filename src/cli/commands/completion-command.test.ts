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

const hasFish = spawnSync('fish', ['--version']).status === 0

/** Completions that fish offers at the end of a command line. */
function completedByFish(line: string): readonly string[] {
  const script = `${completionScript('fish', wordsOf(program))}\ncomplete -C ${JSON.stringify(line)}`
  const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test.runIf(hasFish)('completes commands and flags in fish', () => {
  expect(completedByFish('tickertape sto')).toContain('stock')
  expect(completedByFish('tickertape --block-t')).toEqual(['--block-time'])
  expect(completedByFish('tickertape start --port 1 --fla')).toEqual(['--flashblock-interval'])
  expect(completedByFish('tickertape stock ')).toContain('split')
  expect(completedByFish('tickertape stock split --r')).toEqual(['--ratio'])
})

test('a script for fish names the words of each command', () => {
  const script = completionScript('fish', wordsOf(program))

  expect(script).toContain("case 'stock split'\n        set command 'stock split'")
  expect(script).toContain("case 'stock split'\n      printf '%s\\n' --ratio --help")
  expect(script).toMatch(/case ''\n {6}printf '%s\\n' start .*--block-time/)
})

/** Completions that zsh offers for the last of the words. */
function completedByZsh(...words: string[]): readonly string[] {
  // The words as bashcompinit passes them to the function of a completion.
  const script = `${completionScript('zsh', wordsOf(program))}
whence -w _tickertape complete
[[ -n "\${_comps[tickertape]}" ]] || exit 3
emulate -L sh
COMP_WORDS=(tickertape "$@")
COMP_CWORD=$#
_tickertape
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr, status } = spawnSync('zsh', ['-f', '-c', script, 'zsh', ...words], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  const [first, second, ...offered] = stdout.split('\n')
  expect([first, second]).toEqual(['_tickertape: function', 'complete: function'])
  // zsh itself drops words with another beginning.
  return offered.filter((word) => word !== '' && word.startsWith(words.at(-1)!))
}

test('completes commands and flags in zsh', (context) => {
  if (spawnSync('zsh', ['--version']).status !== 0) return context.skip('zsh is not installed')
  expect(completedByZsh('st')).toEqual(['start', 'stock'])
  expect(completedByZsh('--block-t')).toEqual(['--block-time'])
  expect(completedByZsh('stock', 'split', '--r')).toEqual(['--ratio'])
})

test('completes commands, and flags of the default command', () => {
  expect(completed('st')).toEqual(['start', 'stock'])
  expect(completed('--block-t')).toEqual(['--block-time'])
})

test('completes the flags of the command before the cursor', () => {
  expect(completed('start', '--port', '1', '--fla')).toEqual(['--flashblock-interval'])
  expect(completed('stock', '')).toEqual(['split', '--help'])
  expect(completed('stock', 'split', '--r')).toEqual(['--ratio'])
})
