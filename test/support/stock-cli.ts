import { Command } from 'commander'
import { expect } from 'vitest'
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

/** `tickertape stock` at a node. */
export interface StockCommands {
  run(...args: readonly string[]): Promise<ProgramResult>
  /** JSON output of a command that must succeed. */
  // biome-ignore lint/suspicious/noExplicitAny: the output is whatever the test expects.
  done(...args: readonly string[]): Promise<any>
  /** Error of a command that must fail. */
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  refused(...args: readonly string[]): Promise<any>
}

export function stockCommands(rpcUrl: string): StockCommands {
  const run = (...args: readonly string[]) => runStock(...args, '--rpc-url', rpcUrl)
  return {
    run,
    async done(...args) {
      const { status, output, errors } = await run(...args, '--json')
      expect({ status, errors }).toEqual({ status: 0, errors: '' })
      return JSON.parse(output)
    },
    async refused(...args) {
      const { status, output, errors } = await run(...args, '--json')
      const { error } = JSON.parse(output)
      expect(errors).toBe(`tickertape: ${error.message}\n`)
      return { status, ...error }
    },
  }
}
