import { Command } from 'commander'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import { stockCommand } from '../../stock/stock-command.ts'
import { StockError, type StockErrorCode } from '../../stock/terms/stock-error.ts'
import type { ToolContext } from './tool.ts'

/** Ends a command where its process would exit. */
class CommandExit extends Error {}

/**
 * Runs a command of `tickertape stock` with `--json` in this process.
 *
 * @param flags as on the command line, without those of the node
 * @returns its last line of output
 * @throws StockError
 */
export async function runStockCommand(
  { rpcUrl, requestTimeoutMs }: ToolContext,
  name: string,
  args: readonly string[],
  flags: readonly string[],
): Promise<JsonRecord> {
  let output = ''
  let errors = ''
  const command = stockCommand({
    out: (text) => {
      output += text
    },
    err: (text) => {
      errors += text
    },
    exit: () => {
      throw new CommandExit()
    },
    setExitCode: () => undefined,
  })
  const node = ['--json', `--rpc-url=${rpcUrl}`, `--request-timeout-ms=${requestTimeoutMs}`]
  const line = ['stock', name, ...node, ...flags, '--', ...args]
  try {
    await new Command('tickertape').addCommand(command).parseAsync(line, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommandExit)) throw error
    throw new StockError('INVALID_INPUT', errors.trim().split('\n')[0] ?? 'wrong usage')
  }
  const result = JSON.parse(output.trim().split('\n').at(-1)!) as JsonRecord
  if (result.error === undefined) return result
  const { code, message, ...details } = result.error as JsonRecord
  throw new StockError(code as StockErrorCode, String(message), details)
}
