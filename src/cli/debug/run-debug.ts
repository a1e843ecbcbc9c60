import { isHexBytes } from '../../primitives/hex.ts'
import { isJsonObject } from '../../rpc/protocol/json.ts'
import type { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { exitWhenUnread } from '../process/process-end.ts'
import { builtContracts } from '../reports/built-contracts.ts'
import { JsonRpc } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { failureLine } from '../terminal/terminal-text.ts'
import type { DebugOptions } from './debug-flags.ts'
import { debugJson } from './debug-json.ts'
import { linesText, summaryText } from './debug-text.ts'
import { type DebuggedExecution, openDebugSession } from './open-session.ts'
import { runKeys } from './run-keys.ts'

/** Lines on a standard output that is no terminal. */
const MAX_LINES = 1_000

/** Shows a transaction, or the call that the options describe. Sets the exit code. */
export async function runDebug(transaction: string | undefined, options: DebugOptions): Promise<void> {
  exitWhenUnread(process.stdout)
  try {
    await show(await open(transaction, options), options)
  } catch (error) {
    if (!(error instanceof StockError)) throw error
    const { code, message, details, exitCode } = error
    process.stderr.write(failureLine(message))
    if (options.json) process.stdout.write(`${JSON.stringify({ error: { code, message, ...details } })}\n`)
    process.exitCode = exitCode
  }
}

async function open(transaction: string | undefined, options: DebugOptions): Promise<DebugSession> {
  const execution = executionOf(transaction, options)
  const { rpcUrl, requestTimeoutMs, abi } = options
  const note = (text: string) => process.stderr.write(failureLine(text))
  const built = builtContracts(abi, note)
  return openDebugSession(execution, options, {
    rpc: new JsonRpc({ url: rpcUrl, timeoutMs: requestTimeoutMs }),
    built,
    note,
  })
}

/** @throws StockError unless it is one transaction or one call */
function executionOf(
  transaction: string | undefined,
  { call, to, data, from, block }: DebugOptions,
): DebuggedExecution {
  const members = Object.entries({ to, data, from }).filter(([, value]) => value !== undefined)
  const ways = [transaction !== undefined, call !== undefined, members.length > 0].filter((isGiven) => isGiven)
  if (ways.length !== 1) {
    throw new StockError('INVALID_INPUT', 'name one transaction, or one call: by --call, or by --to, --data and --from')
  }
  if (transaction !== undefined) {
    if (block !== undefined) {
      throw new StockError('INVALID_INPUT', '--block is for calls: a transaction runs where it was executed')
    }
    if (isHexBytes(transaction) && transaction.length === 66) return { hash: transaction }
    const shown = transaction.slice(0, 80)
    throw new StockError('INVALID_INPUT', `${shown} is no transaction: its hash has 32 bytes in hex, 0x and 64 digits`)
  }
  checkHex('--to', to, 20)
  checkHex('--from', from, 20)
  checkHex('--data', data)
  return { call: call === undefined ? Object.fromEntries(members) : callIn(call), block: blockIn(block) }
}

/** @param bytes the only length that is accepted; absent: any */
function checkHex(name: string, value: string | undefined, bytes?: number): void {
  if (value === undefined) return
  const isValid = isHexBytes(value) && (bytes === undefined || value.length === 2 + 2 * bytes)
  if (isValid) return
  const wanted = bytes === undefined ? 'bytes in hex, as in 0x18160ddd' : `an address: 0x and ${2 * bytes} hex digits`
  throw new StockError('INVALID_INPUT', `${name} needs ${wanted}, got ${value.slice(0, 80)}`)
}

const BLOCK_TAGS: readonly string[] = ['latest', 'pending', 'safe', 'finalized', 'earliest']

/** A tag, or a number or hash in hex. */
function blockIn(text = 'latest'): string {
  if (/^\d+$/.test(text)) return `0x${BigInt(text).toString(16)}`
  if (BLOCK_TAGS.includes(text) || /^0x[0-9a-f]+$/i.test(text)) return text
  throw new StockError(
    'INVALID_INPUT',
    `--block needs ${BLOCK_TAGS.join(', ')}, a number or a hash, got ${text.slice(0, 80)}`,
  )
}

function callIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const json: unknown = JSON.parse(text)
    if (isJsonObject(json)) return json
  } catch {
    // Named below.
  }
  throw new StockError('INVALID_INPUT', '--call needs an object of eth_call as JSON')
}

async function show(session: DebugSession, { json }: DebugOptions): Promise<void> {
  const { stdin, stdout } = process
  if (json) {
    stdout.write(`${JSON.stringify(await debugJson(session))}\n`)
    return
  }
  stdout.write(summaryText(session))
  if (!stdin.isTTY || !stdout.isTTY) {
    if (session.hasLines) stdout.write(`\n${linesText(session, MAX_LINES)}`)
    return
  }
  stdin.setRawMode(true)
  stdin.setEncoding('utf8')
  try {
    await runKeys(session, { keys: stdin as AsyncIterable<string>, write: (text) => stdout.write(text) })
  } finally {
    stdin.setRawMode(false)
    stdin.pause()
  }
}
