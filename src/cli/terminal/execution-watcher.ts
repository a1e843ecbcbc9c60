import { setTimeout as delay } from 'node:timers/promises'
import { DEPOSIT_TYPE, type RecoveredTransaction } from '../../chain/transaction/transaction.ts'
import type { TracerChoice } from '../../engine/trace/create-tracer.ts'
import type { ParityTrace } from '../../engine/trace/parity-tracer.ts'
import { type TracedTransaction, traceBlock } from '../../engine/trace/trace-block.ts'
import { TraceBudget, TraceTooLargeError } from '../../engine/trace/trace-budget.ts'
import { ExecutionStoppedError } from '../../engine/types.ts'
import { developmentOf, type ServedNode } from '../../node/roles/node-handle.ts'
import type { NodeEvents } from '../../node/view/events.ts'
import type { View } from '../../node/view/view.ts'
import { type Address, type Bytes, bytesToHex, type Hash, toAddress } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/keccak.ts'
import type { EntryFailure } from '../../rpc/protocol/error-reason.ts'
import type { ReportedCall } from '../../rpc/protocol/reported-call.ts'
import { solidityContractOf } from '../../sources/store/solidity-contract-of.ts'
import type { VerifiedSource } from '../../sources/store/verified-source.ts'
import type { Sources } from '../../sources/verification/sources.ts'
import type { Layer } from '../../state/layer.ts'
import { type AbiBook, type Artifact, artifactOf } from './abi-book.ts'
import { abiLibrary } from './abi-library.ts'
import type { DeveloperOutput } from './developer-output.ts'
import { entryFailureOf } from './entry-failure.ts'
import { type ExecutionReport, failingPath, methodName, reportExecution } from './execution-report.ts'
import { type FailingLine, failingLines } from './failing-lines.ts'
import type { CallReport } from './report-text.ts'

/** Arrival times that are kept. */
const MAX_ARRIVALS = 10_000
/** Larger blocks are not replayed: to replay a flashblock, the earlier transactions of its block run again. */
const MAX_REPLAYED = 50
/** Flashblocks that may wait to be replayed. */
const MAX_WAITING = 32
const MAX_TRACE_BYTES = 1 << 24
/** Lines are found for traces of up to about 100,000 steps: more would hold up the thread that builds blocks. */
const MAX_STEP_TRACE_BYTES = 1_500_000
/** Milliseconds to wait for sources, which are looked for in the build information of a project. */
const MAX_SEARCH_MS = 2_000
/** Time between two searches for lines, as a multiple of what the last one took. */
const SEARCH_PAUSE = 4
/** Milliseconds that the replay of a flashblock may take. */
const MAX_REPLAY_MS = 2_000

interface Deps {
  readonly node: ServedNode
  readonly output: DeveloperOutput
  readonly book: AbiBook
  /** Milliseconds on the monotonic clock. */
  readonly now: () => number
  /** Whether there is output: clients can switch it off (`anvil_setLoggingEnabled`). */
  readonly isEnabled: () => boolean
  /** Whether the process sent a transaction by itself: such are printed only if they fail. */
  readonly isOwn: (hash: Hash) => boolean
  readonly yieldTurn: () => Promise<void>
  readonly onFailure: (error: unknown) => void
}

export interface ExecutionWatcherOptions {
  /** Whether transactions are printed beside calls: by the process that builds blocks. */
  readonly watchesTransactions: boolean
}

type Flashblock = NodeEvents['flashblock'][0]

/**
 * Prints the transactions of each flashblock. They are replayed with a tracer for what contracts print and why they
 * fail, so that building blocks costs nothing more.
 */
export class ExecutionWatcher {
  readonly #deps: Deps
  readonly #arrivals = new Map<Hash, number>()
  #sources: Pick<Sources, 'source'> | undefined
  /** Hashes of codes whose verified ABIs the book has. */
  readonly #named = new Set<Hash>()
  #nextSearch = Number.NEGATIVE_INFINITY
  #waiting = 0
  #last: Promise<void> = Promise.resolve()

  constructor({ watchesTransactions }: ExecutionWatcherOptions, deps: Deps) {
    this.#deps = deps
    const { book, node } = deps
    developmentOf(node)?.logging.onCompiled((contracts) => {
      book.add(contracts.flatMap((contract) => artifactOf(contract, contract.contractName) ?? []))
    })
    if (!watchesTransactions) return
    const { events } = deps.node
    events.on('pooled', this.#onPooled)
    events.on('flashblock', this.#onFlashblock)
  }

  /** Resolves when everything so far is printed. */
  async close(): Promise<void> {
    const { node } = this.#deps
    const { events } = node
    developmentOf(node)?.logging.onCompiled(undefined)
    events.off('pooled', this.#onPooled)
    events.off('flashblock', this.#onFlashblock)
    await this.#last
  }

  /** Prints a call or an estimate. Never throws: a report that fails must not fail the request. */
  report(call: ReportedCall): void {
    try {
      this.#report(call)
    } catch (error) {
      this.#deps.onFailure(error)
    }
  }

  /** The failure of an execution at the entry of a contract whose ABI is known. Never throws, as `report`. */
  entryFailureOf(trace: ParityTrace): EntryFailure | undefined {
    try {
      return entryFailureOf(trace, this.#contractsOf(this.#deps.node.view()))
    } catch (error) {
      this.#deps.onFailure(error)
      return undefined
    }
  }

  /** Verified sources, with which failures of transactions name lines. */
  useSources(sources: Pick<Sources, 'source'>): void {
    this.#sources = sources
  }

  /** The artifact whose deployed code this is. */
  readonly interfaceOf = ({ code }: { readonly code: Bytes }): Artifact | undefined => this.#deps.book.compiledAs(code)

  #report({ method: request, trace }: ReportedCall): void {
    const { output, book, node } = this.#deps
    const top = trace.frames?.[0]
    if (top === undefined || !this.#isEnabled || !output.admits()) return
    const view = node.view()
    const names = this.#names(view)
    const { kind, from, to = null, input } = top.start
    const isCreation = kind === 'CREATE'
    const report: CallReport = {
      request,
      method: isCreation ? 'deployment' : methodName(input, book),
      from,
      to: isCreation ? null : to,
      contract: to === null ? undefined : names.contractAt(to),
      execution: reportExecution(trace, names),
    }
    if (this.#waiting === 0) output.call(report)
    else this.#enqueue(async () => output.call(report))
  }

  /** Reports are printed in the order of their requests: a call waits for the replay of earlier transactions. */
  #enqueue(print: () => Promise<void>): void {
    this.#last = this.#last.then(print).catch((error: unknown) => this.#deps.onFailure(error))
  }

  get #isEnabled(): boolean {
    return this.#deps.isEnabled()
  }

  readonly #onPooled = ({ hash }: { readonly hash: Hash }) => {
    if (this.#arrivals.size >= MAX_ARRIVALS) this.#arrivals.delete(this.#arrivals.keys().next().value!)
    this.#arrivals.set(hash, this.#deps.now())
  }

  readonly #onFlashblock = (event: Flashblock) => {
    const { layer, view } = event
    const shown = layer.transactions.filter(({ type }) => type !== DEPOSIT_TYPE)
    const at = this.#deps.now()
    const arrivals = new Map(shown.map(({ hash }) => [hash, this.#takeArrival(hash)] as const))
    if (!this.#isEnabled) return
    const printed = shown.filter(
      ({ hash }) => (!this.#deps.isOwn(hash) || hasFailed(layer, hash)) && this.#deps.output.admits(),
    )
    if (printed.length === 0) return
    const isReplayed = this.#waiting < MAX_WAITING && layer.firstTransaction + layer.transactions.length <= MAX_REPLAYED
    this.#waiting += 1
    view.retain()
    this.#enqueue(async () => {
      try {
        const traces = isReplayed ? await this.#replay(event) : undefined
        for (const transaction of printed) {
          const arrival = arrivals.get(transaction.hash)
          const milliseconds = arrival === undefined ? undefined : Math.round(at - arrival)
          const trace = traces?.get(transaction.hash)
          const lines = trace && (await this.#linesOf(transaction.hash, trace, event))
          this.#print(transaction, event, { milliseconds, trace, lines })
        }
      } finally {
        this.#waiting -= 1
        view.release()
      }
    })
  }

  #takeArrival(hash: Hash): number | undefined {
    const arrival = this.#arrivals.get(hash)
    this.#arrivals.delete(hash)
    return arrival
  }

  /** Traces by transaction; `undefined` if there is nothing to learn, or the replay takes too long. */
  async #replay(event: Flashblock): Promise<ReadonlyMap<Hash, ParityTrace> | undefined> {
    if (!this.#runsCode(event.layer, event.view)) return undefined
    const tracer = { name: 'parityTracer', options: { trace: true } } as const
    const traced = await this.#traced(event, tracer, MAX_TRACE_BYTES, { from: event.layer.firstTransaction })
    return (
      traced &&
      new Map(
        traced.flatMap(({ hash, trace }) => (trace.name === 'parityTracer' ? [[hash, trace.trace] as const] : [])),
      )
    )
  }

  /** Lines on the way to a failure; `undefined`: it did not fail, or they are not known. */
  async #linesOf(
    hash: Hash,
    { frames = [] }: ParityTrace,
    event: Flashblock,
  ): Promise<readonly FailingLine[] | undefined> {
    const { now } = this.#deps
    const sources = this.#sources
    if (sources === undefined || !hasFailed(event.layer, hash) || now() < this.#nextSearch) return undefined
    const begin = now()
    try {
      const addresses = failingPath(frames).flatMap(({ start: { to } }) => to ?? [])
      const late = delay(MAX_SEARCH_MS, [], { ref: false })
      const found = await Promise.race([Promise.all(addresses.map((address) => sources.source(address))), late])
      if (found.every((source) => source === undefined)) return undefined
      for (const source of found) if (source !== undefined) this.#addNames(source)
      const contracts = new Map(
        found.flatMap((source) => (source ? [[source.address, solidityContractOf(source)]] : [])),
      )
      const tracer = { name: 'stepColumnsTracer' } as const
      const [traced] = (await this.#traced(event, tracer, MAX_STEP_TRACE_BYTES, event.layer.positions.get(hash)!)) ?? []
      return traced?.trace.name === 'stepColumnsTracer' ? await failingLines(traced.trace, contracts) : undefined
    } finally {
      this.#nextSearch = now() + SEARCH_PAUSE * (now() - begin)
    }
  }

  /** Names of functions and errors of verified sources. */
  #addNames({ codeHash, contract: { name, abi } }: VerifiedSource): void {
    if (this.#named.has(codeHash)) return
    this.#named.add(codeHash)
    this.#deps.book.add([{ name, abi, code: new Uint8Array(0), immutables: [] }])
  }

  /** Traces of transactions of a block; `undefined`: they are too large, or take too long. */
  async #traced(
    { view, block }: Flashblock,
    tracer: TracerChoice,
    maxBytes: number,
    selection: Parameters<typeof traceBlock>[3],
  ): Promise<readonly TracedTransaction[] | undefined> {
    const { node, now, yieldTurn } = this.#deps
    const parentState = view.state({ kind: 'hash', hash: block.header.parentHash, requireCanonical: false })
    if (parentState === undefined) return undefined
    const end = now() + MAX_REPLAY_MS
    const mayContinue = async () => {
      await yieldTurn()
      return now() < end
    }
    try {
      const options = { tracer, budget: new TraceBudget(maxBytes), mayContinue }
      return await traceBlock(node.engine, { block, parentState }, options, selection)
    } catch (error) {
      if (error instanceof TraceTooLargeError || error instanceof ExecutionStoppedError) return undefined
      throw error
    }
  }

  /** Plain transfers print nothing and cannot fail. */
  #runsCode({ transactions, receipts }: Layer, view: View): boolean {
    const { state } = view.head.pending
    return transactions.some(({ type, to }, index) => {
      if (type === DEPOSIT_TYPE) return false
      const { outcome } = receipts[index]!
      if (to === null || !('status' in outcome) || outcome.status === 0) return true
      return (state.account(to)?.codeHash ?? EMPTY_CODE_HASH) !== EMPTY_CODE_HASH
    })
  }

  #print(
    transaction: RecoveredTransaction,
    { view, layer, block }: Flashblock,
    { milliseconds, trace, lines }: PrintedParts,
  ): void {
    const { output, book, node } = this.#deps
    const names = this.#names(view)
    const isOnDemand = developmentOf(node)?.mining.mode.kind === 'on-demand'
    const receipt = receiptOf(layer, transaction.hash)
    const { hash, from, to, value, gasLimit, data } = transaction
    const { contractAddress, gasUsed } = receipt
    const calls = batchedCalls(transaction)?.map((call) => ({
      to: call.to,
      contract: names.contractAt(call.to),
      method: callName(call.data, book),
      value: call.value,
    }))
    output.transaction({
      hash,
      method: calls ? 'wallet_sendCalls' : to === null ? 'deployment' : callName(data, book),
      ...(calls && { calls }),
      from,
      to,
      contract: to === null ? undefined : names.contractAt(to),
      contractAddress,
      value,
      gasUsed,
      gasLimit,
      hasFailed: hasFailed(layer, hash),
      blockNumber: block.header.number,
      flashblock: isOnDemand ? undefined : layer.index,
      milliseconds,
      execution: trace && withLines(reportExecution(trace, names), lines),
    })
  }

  #names(view: View) {
    const contractOf = this.#contractsOf(view)
    return { book: this.#deps.book, contractAt: (address: Address) => contractOf(address)?.name }
  }

  #contractsOf(view: View) {
    const { state } = view.head.pending
    return (address: Address) => this.#deps.book.compiledAs(view.code(state, address))
  }
}

/** Details of a transaction that its receipt lacks. */
interface PrintedParts {
  readonly milliseconds: number | undefined
  readonly trace: ParityTrace | undefined
  readonly lines: readonly FailingLine[] | undefined
}

function withLines(report: ExecutionReport, lines: PrintedParts['lines'] = []): ExecutionReport {
  if (report.failure === undefined || lines.length === 0) return report
  return { ...report, failure: { ...report.failure, lines } }
}

/** The receipt of a transaction of the layer. */
function receiptOf({ receipts, positions, firstTransaction }: Layer, hash: Hash): Layer['receipts'][number] {
  return receipts[positions.get(hash)! - firstTransaction]!
}

function hasFailed(layer: Layer, hash: Hash): boolean {
  const { outcome } = receiptOf(layer, hash)
  return 'status' in outcome && outcome.status === 0
}

function callName(data: Bytes, book: AbiBook): string {
  return data.length === 0 ? 'transfer' : methodName(data, book)
}

/** A call of a batch that an account makes of itself (`wallet_sendCalls`, contracts/BatchExecutor.sol). */
interface BatchedCall {
  readonly to: Address
  /** Wei. */
  readonly value: bigint
  readonly data: Bytes
}

const SELECTOR = bytesToHex(keccak256(Buffer.from('execute((address,uint256,bytes)[])')).subarray(0, 4))
/** Arguments are encoded like results, which the library decodes. */
const BATCH = 'function execute() returns ((address to, uint256 value, bytes data)[] calls)'

interface BatchTransaction {
  readonly from: Address
  readonly to: Address | null
  readonly data: Bytes
}

/** The calls of a transaction that is a batch of its sender; `undefined` for others. */
export function batchedCalls({ from, to, data }: BatchTransaction): readonly BatchedCall[] | undefined {
  if (to !== from || bytesToHex(data.subarray(0, 4)) !== SELECTOR) return undefined
  const { createContract, parseAbi } = abiLibrary()
  const { execute } = createContract(parseAbi([BATCH]))
  try {
    const calls = execute!.decodeOutput(data.subarray(4)) as readonly (BatchedCall & { readonly to: string })[]
    return calls.map(({ to, value, data }) => ({ to: toAddress(to), value, data }))
  } catch {
    // The selector fits, the arguments do not.
    return undefined
  }
}
