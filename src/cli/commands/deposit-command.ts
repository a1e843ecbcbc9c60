import { Command } from 'commander'
import { DEPOSIT_FLAGS } from '../../flags/deposit-flags.ts'
import type { ValuesOf } from '../../flags/flag.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { JsonRpc } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { failureLine } from '../terminal/terminal-text.ts'

export const DEPOSIT_EXAMPLES: readonly string[] = [
  'deposit --to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --value 1000000000000000000',
  'deposit --to 0x4200000000000000000000000000000000000006 --value 1 --data 0xd0e30db0 --json',
]

export const DEPOSIT_EXITS =
  'Exit codes: 0 the deposit succeeded, 1 it failed on layer 2, which keeps what it minted, 2 wrong usage, ' +
  '3 the node cannot be reached or refuses.'

/** Milliseconds for which a deposit may wait for its block, besides the time of a request. */
const BLOCK_WAIT_MS = 600_000

type DepositOptions = ValuesOf<typeof DEPOSIT_FLAGS>

/** `tickertape deposit` */
export function depositCommand(): Command {
  const command = endingOnWrongUsage(new Command('deposit'))
    .description('Make a deposit on a running node, as if a user had called the portal on layer 1')
    .showHelpAfterError('(tickertape deposit --help lists every flag)')
    .addHelpText(
      'after',
      `\n${DEPOSIT_EXITS}\n\nExamples:\n${DEPOSIT_EXAMPLES.map((example) => `  $ tickertape ${example}\n`).join('')}`,
    )
    .action(run)
  for (const option of optionsOf({ flags: DEPOSIT_FLAGS })) command.addOption(option)
  return command
}

async function run(options: DepositOptions): Promise<void> {
  try {
    const { hash, receipt } = await deposit(options)
    const hasSucceeded = receipt.status === '0x1'
    const outcome = hasSucceeded ? 'succeeded' : 'failed'
    const line = `Deposit ${hash} in block ${Number(receipt.blockNumber)} ${outcome}`
    process.stdout.write(options.json ? `${JSON.stringify({ hash, receipt })}\n` : `${line}\n`)
    process.exitCode = hasSucceeded ? 0 : 1
  } catch (error) {
    if (!(error instanceof StockError)) throw error
    const { code, message, details, exitCode } = error
    process.stderr.write(failureLine(message))
    if (options.json) process.stdout.write(`${JSON.stringify({ error: { code, message, ...details } })}\n`)
    process.exitCode = exitCode
  }
}

/** @throws StockError */
async function deposit({ rpcUrl, requestTimeoutMs, ...options }: DepositOptions) {
  const rpc = new JsonRpc({ url: rpcUrl, timeoutMs: requestTimeoutMs })
  const { to, from, value, mint, gas, data } = options
  const request = {
    ...(to !== undefined && { to }),
    ...(from !== undefined && { from }),
    value: toQuantity(value),
    ...(mint !== undefined && { mint: toQuantity(mint) }),
    ...(gas !== undefined && { gas: toQuantity(gas) }),
    data,
  }
  const hash = String(await rpc.request(['tickertape_deposit', request], BLOCK_WAIT_MS))
  const receipt = (await rpc.request(['eth_getTransactionReceipt', hash])) as {
    readonly status: string
    readonly blockNumber: string
  }
  return { hash, receipt }
}
