import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { ValuesOf } from '../../flags/flag.ts'
import { boundedFetch } from '../../primitives/bounded-fetch.ts'
import { hexToBytes, isHexBytes } from '../../primitives/hex.ts'
import { foreignText, oneLine } from '../../primitives/text/foreign-text.ts'
import { contractNameOf } from '../../sources/api/api-request.ts'
import { type BuiltContract, findBuiltContract } from '../../sources/build-info/read-build-infos.ts'
import { optionsOf } from '../process/command-options.ts'
import { endingOnWrongUsage } from '../process/process-end.ts'
import { JsonRpc } from '../stock/chain/json-rpc.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { failureLine } from '../terminal/terminal-text.ts'
import { VERIFY_SOURCE_FLAGS } from './verify-source-flags.ts'

export const VERIFY_SOURCE_EXAMPLES: readonly string[] = [
  'verify-source 0x5FbDB2315678afecb367f032d93F642f64180aa3',
  'verify-source 0x5FbDB2315678afecb367f032d93F642f64180aa3 --abi out --contract src/Token.sol:Token --json',
]

export const VERIFY_SOURCE_EXITS =
  'Exit codes: 0 the sources match, 1 they do not, 2 wrong usage or no build information, 3 the node cannot be reached or refuses.'

const MAX_RESPONSE_BYTES = 2 ** 20
/** Milliseconds that the node may take to answer while the compiler runs. */
const COMPILE_WAIT_MS = 70_000

type VerifySourceOptions = ValuesOf<typeof VERIFY_SOURCE_FLAGS>

/** `tickertape verify-source ADDRESS` */
export function verifySourceCommand(): Command {
  const command = endingOnWrongUsage(new Command('verify-source'))
    .description('Verify the sources of a contract on a running node, from the build information of a project')
    .argument('<address>', 'address of the contract')
    .showHelpAfterError('(tickertape verify-source --help lists every flag)')
    .addHelpText(
      'after',
      `\n${VERIFY_SOURCE_EXITS}\n\nExamples:\n${VERIFY_SOURCE_EXAMPLES.map((example) => `  $ tickertape ${example}\n`).join('')}`,
    )
    .action(run)
  for (const option of optionsOf({ flags: VERIFY_SOURCE_FLAGS })) command.addOption(option)
  return command
}

async function run(address: string, options: VerifySourceOptions): Promise<void> {
  try {
    const result = await verifyBuiltSource(address, options)
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${oneLine(textOf(result))}\n`)
    process.exitCode = result.match === null ? 1 : 0
  } catch (error) {
    if (!(error instanceof StockError)) throw error
    const { code, message, details, exitCode } = error
    process.stderr.write(failureLine(message))
    if (options.json) process.stdout.write(`${JSON.stringify({ error: { code, message, ...details } })}\n`)
    process.exitCode = exitCode
  }
}

interface Result {
  readonly address: string
  readonly contract: string
  readonly match: string | null
  readonly reason?: string
}

function textOf({ address, contract, match, reason }: Result): string {
  if (match === null) return `${contract} is not the source of ${address}: ${reason}`
  return `${contract} is verified at ${address}: ${match === 'exact_match' ? 'exact match' : 'match, but for the metadata'}`
}

/**
 * Lets the node compare the build information of a project with a contract.
 *
 * @param address of the contract, as users type it
 * @throws StockError
 */
export async function verifyBuiltSource(address: string, options: VerifySourceOptions): Promise<Result> {
  if (!isHexBytes(address) || address.length !== 42)
    throw new StockError('INVALID_INPUT', 'an address has 20 bytes in hex')
  const rpc = new JsonRpc({ url: options.rpcUrl, timeoutMs: options.requestTimeoutMs })
  const [chain, code] = (await rpc.batch([['eth_chainId'], ['eth_getCode', address, 'pending']])) as [string, string]
  if (code === '0x') throw new StockError('INVALID_INPUT', `there is no contract at ${address}`)
  const built = builtContract(options, code)
  const contract = `${built.contract.path}:${built.contract.name}`
  const place = `${BigInt(chain)}/${address}`
  const verification = await submit(options, place, built, contract)
  if (verification.customCode === 'already_verified') return storedResult(options, place, contract)
  if (typeof verification.verificationId !== 'string') throw refused(verification)
  for (;;) {
    const job = await send(options, `verify/${verification.verificationId}`)
    if (job.isJobCompleted !== true) continue
    const { match } = job.contract as { readonly match: string | null }
    const { message = '' } = (job.error ?? {}) as { readonly message?: string }
    return { address, contract, match, ...(match === null && { reason: foreignText(message) }) }
  }
}

/** The node compares nothing with a contract that it has verified before. */
async function storedResult(options: VerifySourceOptions, place: string, contract: string): Promise<Result> {
  const stored = await send(options, `contract/${place}`, { query: '?fields=compilation' })
  const { fullyQualifiedName } = stored.compilation as { readonly fullyQualifiedName: string }
  const address = String(stored.address)
  if (options.contract === undefined || contract === fullyQualifiedName) {
    return { address, contract: fullyQualifiedName, match: String(stored.match) }
  }
  return { address, contract, match: null, reason: foreignText(`it is verified as ${fullyQualifiedName}`) }
}

function builtContract({ abi, contract }: VerifySourceOptions, code: string): BuiltContract {
  const folder = abi ?? (existsSync('artifacts') ? 'artifacts' : 'out')
  if (!existsSync(join(folder, 'build-info'))) {
    throw new StockError(
      'INVALID_INPUT',
      `there is no build-info in ${folder}: compile with hardhat build or forge build --build-info, and name the folder with --abi`,
    )
  }
  const found = findBuiltContract(
    folder,
    hexToBytes(code),
    contract === undefined ? undefined : contractNameOf(contract),
  )
  if (found !== undefined) return found
  throw new StockError(
    'INVALID_INPUT',
    `no contract in ${folder}/build-info has ${contract === undefined ? 'this code' : 'this name'}`,
  )
}

type Answer = Readonly<Record<string, unknown>>

function submit(options: VerifySourceOptions, place: string, built: BuiltContract, contract: string): Promise<Answer> {
  const { input, compilerVersion } = built
  const body = { stdJsonInput: input, compilerVersion, contractIdentifier: contract }
  return send(options, `verify/${place}`, { body: JSON.stringify(body) })
}

async function send(
  { rpcUrl }: VerifySourceOptions,
  path: string,
  { query = '', body }: { readonly query?: string; readonly body?: string } = {},
): Promise<Answer> {
  const url = new URL(rpcUrl)
  url.pathname = `/verify/sourcify/v2/${path}`
  url.search = query
  try {
    const response = await boundedFetch(MAX_RESPONSE_BYTES)(`${url}`, {
      ...(body !== undefined && { method: 'POST', headers: { 'content-type': 'application/json' }, body }),
      signal: AbortSignal.timeout(COMPILE_WAIT_MS),
    })
    return (await response.json()) as Answer
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new StockError('NODE_UNREACHABLE', `${url.origin} does not answer as a node that verifies sources: ${reason}`)
  }
}

function refused({ message }: Answer): StockError {
  return new StockError('NODE_ERROR', `the node refuses: ${foreignText(String(message))}`)
}
