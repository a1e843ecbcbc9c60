import { checksumAddress } from '../../primitives/checksum-address.ts'
import type { Address, Hash } from '../../primitives/hex.ts'
import { oneLine } from '../../primitives/text/foreign-text.ts'
import type { ReportedCall } from '../../rpc/protocol/reported-call.ts'
import { addressName } from './address-name.ts'
import type { ExecutionReport, TracedFrame } from './execution-report.ts'
import type { FailingLine } from './failing-lines.ts'

/** A transaction of a flashblock as developers read it. */
export interface TransactionReport {
  readonly hash: Hash
  /** Signature or selector; `deployment`, `transfer` without calldata, or `wallet_sendCalls` for a batch. */
  readonly method: string
  /** The calls of a batch, in order. */
  readonly calls?: readonly ReportedBatchCall[] | undefined
  readonly from: Address
  readonly to: Address | null
  /** Name of the recipient, where artifacts have its code. */
  readonly contract: string | undefined
  readonly contractAddress: Address | null
  /** Wei. */
  readonly value: bigint
  readonly gasUsed: number
  readonly gasLimit: bigint
  readonly hasFailed: boolean
  readonly blockNumber: number
  /** Index of the flashblock in its block; absent where whole blocks are mined on demand. */
  readonly flashblock: number | undefined
  /** From its arrival to its flashblock or block; absent if this node did not receive it. */
  readonly milliseconds: number | undefined
  /** Absent if it was not replayed, because too many transactions arrived. */
  readonly execution: ExecutionReport | undefined
}

/** A call of a batch, described as a transaction is. */
export interface ReportedBatchCall {
  readonly to: Address
  readonly contract: string | undefined
  readonly method: string
  /** Wei. */
  readonly value: bigint
}

/** A call or an estimate that failed or used the console. */
export interface CallReport {
  readonly request: ReportedCall['method']
  readonly method: string
  readonly from: Address
  readonly to: Address | null
  readonly contract: string | undefined
  readonly execution: ExecutionReport
}

/** Wraps a text in a colour, or does nothing. */
export interface Colours {
  readonly title: (text: string) => string
  readonly failure: (text: string) => string
  readonly console: (text: string) => string
  readonly quiet: (text: string) => string
}

const plain = (text: string) => text
export const NO_COLOURS: Colours = { title: plain, failure: plain, console: plain, quiet: plain }

const coloured = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[39m`
export const TERMINAL_COLOURS: Colours = {
  title: coloured(36),
  failure: coloured(31),
  console: coloured(33),
  quiet: coloured(90),
}

const LABEL = 16
/** Lines of sources that are shown. */
const MAX_LINES = 10
/** Calls of a batch that are shown. */
const MAX_CALLS = 20

/** A block of lines, which ends with an empty one. */
export function transactionText(report: TransactionReport, colours: Colours): string {
  const { hash, method, from, to, contract, contractAddress, value, gasUsed, gasLimit } = report
  const { blockNumber, flashblock, milliseconds, hasFailed, execution } = report
  const title = hasFailed ? colours.failure : colours.title
  const included = flashblock === undefined ? 'Mined' : 'Pre-confirmed'
  return block([
    `${title('Transaction')} ${hash}`,
    line('Method', oneLine(method)),
    line('From', shown(from)),
    contractAddress === null ? line('To', named(to!, contract)) : line('Created', shown(contractAddress)),
    ...callLines(report.calls ?? []),
    ...(value > 0n ? [line('Value', `${ether(value)} ETH`)] : []),
    line('Gas', `${gasUsed} of ${gasLimit}`),
    line('Block', flashblock === undefined ? `${blockNumber}` : `${blockNumber}, flashblock ${flashblock}`),
    ...(milliseconds === undefined ? [] : [line(included, `after ${milliseconds} ms`)]),
    ...(execution === undefined
      ? [...(hasFailed ? [line('Error', colours.failure('failed'))] : [])]
      : executionLines(execution, colours)),
  ])
}

function callLines(calls: readonly ReportedBatchCall[]): string[] {
  const omitted = calls.length - MAX_CALLS
  const lines = calls.slice(0, MAX_CALLS).map(({ to, contract, method, value }, index) => {
    const amount = value > 0n ? `, ${ether(value)} ETH` : ''
    return line(`Call ${index + 1}`, `${oneLine(method)} to ${named(to, contract)}${amount}`)
  })
  return omitted > 0 ? [...lines, line('', `... and ${omitted} more`)] : lines
}

export function callText({ request, method, from, to, contract, execution }: CallReport, colours: Colours): string {
  const title = execution.failure === undefined ? colours.title : colours.failure
  return block([
    title(request),
    line('Method', oneLine(method)),
    line('From', shown(from)),
    ...(to === null ? [] : [line('To', named(to, contract))]),
    ...executionLines(execution, colours),
  ])
}

function executionLines({ console, failure }: ExecutionReport, colours: Colours): string[] {
  const lines = console.flatMap((text) => text.split('\n'))
  const printed = lines.map((text) => `    ${colours.console(oneLine(text))}`)
  return [
    ...(printed.length > 0 ? ['  console.log', ...printed] : []),
    ...(failure === undefined ? [] : [line('Error', colours.failure(oneLine(failure.reason)))]),
    ...(failure?.trace ?? []).map((frame, index, { length }) => frameLine(frame, index === length - 1, colours)),
    ...(failure?.lines ?? []).slice(0, MAX_LINES).map((place, index) => sourceLine(place, index)),
  ]
}

function sourceLine({ file, line: number, contract, function: name }: FailingLine, index: number): string {
  const place = contract === undefined ? name : `${contract}.${name}`
  return line(index === 0 ? 'Source' : '', oneLine(`${file}:${number} in ${place}`))
}

function frameLine(
  { depth, address, contract, function: name }: TracedFrame,
  isLast: boolean,
  colours: Colours,
): string {
  const at = address === undefined ? 'new contract' : (addressName(address) ?? contract ?? checksumAddress(address))
  return `    ${'  '.repeat(depth)}${oneLine(`${at}.${name}`)}${isLast ? colours.quiet('  <- failed here') : ''}`
}

function line(label: string, text: string): string {
  return `  ${label.padEnd(LABEL)}${text}`
}

function block(lines: readonly string[]): string {
  return `${lines.join('\n')}\n\n`
}

function named(address: Address, contract: string | undefined): string {
  const name = addressName(address) ?? (contract === undefined ? undefined : oneLine(contract))
  return name === undefined ? checksumAddress(address) : `${checksumAddress(address)} (${name})`
}

function shown(address: Address): string {
  return named(address, undefined)
}

const ETHER = 10n ** 18n

/** @example ether(1_500_000_000_000_000_000n) // '1.5' */
export function ether(wei: bigint): string {
  const fraction = (wei % ETHER).toString().padStart(18, '0').replace(/0+$/, '')
  return fraction === '' ? String(wei / ETHER) : `${wei / ETHER}.${fraction}`
}
