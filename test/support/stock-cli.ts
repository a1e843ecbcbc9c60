import { Command } from 'commander'
import { stockCommand } from '../../src/cli/stock/stock-command.ts'
import type { ProgramResult } from './compiled-program.ts'

/** Ends a command where the process would exit. */
class Exit extends Error {}

/** Runs `tickertape stock` with these arguments in this process, over real HTTP. */
export async function runStock(...args: readonly string[]): Promise<ProgramResult> {
  let output = ''
  let errors = ''
  let status = 0
  const setExitCode = (code: number) => {
    status = code
  }
  const command = stockCommand({
    out: (text) => {
      output += text
    },
    err: (text) => {
      errors += text
    },
    exit: (code) => {
      setExitCode(code)
      throw new Exit()
    },
    setExitCode,
  })
  try {
    await new Command('tickertape').addCommand(command).parseAsync(['stock', ...args], { from: 'user' })
  } catch (error) {
    if (!(error instanceof Exit)) throw error
  }
  return { status, output, errors }
}
