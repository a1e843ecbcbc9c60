import type { Clock } from '../../node/core/clock.ts'
import type { WorkMeter } from '../../node/core/work-meter.ts'
import type { NodeEventEmitter, NodeEvents, OnFlashblockDelivered } from '../../node/view/events.ts'
import type { Hash } from '../../primitives/hex.ts'
import { EncodedJson, type MethodResult } from '../../rpc/protocol/encoded-json.ts'
import type { RpcError } from '../../rpc/protocol/errors.ts'
import type { MonitoredRequest } from '../../rpc/protocol/rpc-client.ts'
import { parseTraceparent, type TraceContext } from '../../rpc/protocol/trace-context.ts'
import type { SpanTree, SpanWriter } from './span.ts'
import { type MeasuredSteps, transactionSpans } from './transaction-spans.ts'

/** Transactions that are followed at the same time; the oldest are left out of their traces. */
const MAX_FOLLOWED = 10_000
/** Milliseconds after a flashblock for which its traces wait for a subscriber. */
const DELIVERY_PATIENCE_MS = 1_000
/** Requests per second that continue the trace of their client, who chooses whether it is exported. */
const MAX_CONTINUED_PER_SECOND = 100
/** Methods whose requests begin a trace; those of other methods continue the trace of their client. */
const SENDING = /^(?:eth|base)_send\w*Transaction/
const HASH = /^0x[0-9a-f]{64}$/

type Layer = NodeEvents['flashblock'][0]['layer']

interface FollowedFlashblock {
  readonly number: number
  readonly index: number
  readonly transactions: number
  readonly steps: MeasuredSteps
  readonly announcedAt: number
  deliveredAt: number | undefined
  /** Its followed transactions. */
  readonly followed: readonly FollowedTransaction[]
  /** Whether spans need not wait for a subscriber any longer. */
  isClosed: boolean
}

interface FollowedTransaction {
  readonly hash: Hash
  request: { readonly context: TraceContext; readonly startedAt: number; readonly epoch: number } | undefined
  pooled: { readonly at: number; readonly steps: MeasuredSteps } | undefined
  flashblock: FollowedFlashblock | undefined
}

export interface TransactionTracesDeps {
  readonly spans: SpanWriter
  readonly clock: Pick<Clock, 'wall' | 'monotonic' | 'at'>
}

/**
 * Traces requests: those that send a transaction up to the first subscriber's message of the flashblock that includes
 * it, others only when their client has sent a `traceparent`. It observes requests, events of the node, measured steps
 * and deliveries, and writes spans after the fact, so that nothing else knows of traces.
 */
export class TransactionTraces {
  readonly #deps: TransactionTracesDeps
  /** By hash, oldest first. */
  readonly #followed = new Map<Hash, FollowedTransaction>()
  /** Flashblocks whose traces wait for a subscriber. */
  readonly #undelivered = new Map<Layer, FollowedFlashblock>()
  #steps: MeasuredSteps = {}
  /** Requests of the current second that continue the trace of their client. */
  #continued = { second: 0, count: 0 }

  constructor(deps: TransactionTracesDeps) {
    this.#deps = deps
  }

  /** Notes the steps between the events of the node. */
  readonly meter: WorkMeter = (step, milliseconds) => {
    if (step !== 'build' && step !== 'sync' && step !== 'publish') return
    const end = this.#deps.clock.monotonic()
    this.#steps = { ...this.#steps, [step]: { start: end - milliseconds, end } }
  }

  /** Call before subscribers listen to the node. */
  listen(events: NodeEventEmitter): void {
    events.on('pooled', ({ hash }) => {
      this.#follow(hash).pooled = { at: this.#deps.clock.monotonic(), steps: this.#steps }
    })
    events.on('flashblock', ({ layer }) => this.#announced(layer))
    events.on('dropped', ({ hash, reason }) => this.#dropped(hash, reason.code))
  }

  /**
   * Writes the span of an answered request.
   *
   * @param milliseconds since it began
   * @returns the id of its trace; `undefined`: it is not traced
   */
  onResponse(
    method: string,
    milliseconds: number,
    error: RpcError | undefined,
    { client, id, result }: MonitoredRequest,
  ): string | undefined {
    const parent = this.#continuedTrace(client.traceparent)
    const isSending = SENDING.test(method)
    if (!isSending && parent === undefined) return undefined
    const { clock, spans } = this.#deps
    const end = clock.monotonic()
    // Times of a trace have one reference: the system clock may jump.
    const epoch = clock.wall() - end
    const startedAt = end - milliseconds
    const hash = isSending && result !== undefined ? hashOf(result) : undefined
    const context = spans.write({
      name: method,
      start: epoch + startedAt,
      end: epoch + end,
      parent,
      isServer: true,
      error: error?.message,
      attributes: {
        'rpc.system': 'jsonrpc',
        'rpc.method': method,
        'client.address': client.address,
        'tickertape.request.id': client.id,
        ...(id !== undefined && { 'rpc.jsonrpc.request_id': id.slice(0, 100) }),
        ...(error && { 'rpc.jsonrpc.error_code': error.code }),
        ...(hash && { 'tickertape.transaction.hash': hash }),
      },
    })
    if (hash !== undefined && context.isSampled) this.#join(hash, { context, startedAt, epoch })
    else if (hash !== undefined) this.#followed.delete(hash)
    return context.traceId
  }

  #continuedTrace(traceparent: string | undefined): TraceContext | undefined {
    if (traceparent === undefined) return undefined
    const second = Math.floor(this.#deps.clock.monotonic() / 1_000)
    if (second !== this.#continued.second) this.#continued = { second, count: 0 }
    this.#continued.count += 1
    return this.#continued.count > MAX_CONTINUED_PER_SECOND ? undefined : parseTraceparent(traceparent)
  }

  /** Ends the traces of the flashblock with the message of its first subscriber. */
  readonly onFlashblockDelivered: OnFlashblockDelivered = ({ layer }) => {
    const flashblock = this.#undelivered.get(layer)
    if (flashblock === undefined) return
    flashblock.deliveredAt = this.#deps.clock.monotonic()
    this.#end(layer)
  }

  /** Writes the spans of flashblocks that wait for a subscriber. */
  close(): void {
    for (const layer of [...this.#undelivered.keys()]) this.#end(layer)
  }

  #follow(hash: Hash): FollowedTransaction {
    const known = this.#followed.get(hash)
    if (known !== undefined) return known
    const transaction = { hash, request: undefined, pooled: undefined, flashblock: undefined }
    this.#followed.set(hash, transaction)
    if (this.#followed.size > MAX_FOLLOWED) {
      const [oldest] = this.#followed.keys()
      this.#followed.delete(oldest!)
    }
    return transaction
  }

  /** The response may come after the flashblock (`eth_sendRawTransactionSync`). */
  #join(hash: Hash, request: FollowedTransaction['request']): void {
    const transaction = this.#follow(hash)
    transaction.request = request
    if (transaction.flashblock?.isClosed === true) this.#write(transaction)
  }

  #announced(layer: Layer): void {
    const { build, ...steps } = this.#steps
    this.#steps = steps
    const followed = layer.transactions.flatMap(({ hash }) => this.#followed.get(hash) ?? [])
    if (followed.length === 0) return
    const { clock } = this.#deps
    const flashblock: FollowedFlashblock = {
      number: layer.header.number,
      index: layer.index,
      transactions: layer.transactions.length,
      steps: { build, ...steps },
      announcedAt: clock.monotonic(),
      deliveredAt: undefined,
      followed,
      isClosed: false,
    }
    for (const transaction of followed) transaction.flashblock = flashblock
    this.#undelivered.set(layer, flashblock)
    clock.at(flashblock.announcedAt + DELIVERY_PATIENCE_MS, () => {
      this.#end(layer)
      // No response of this process names them any more.
      for (const { hash, request } of followed) if (request === undefined) this.#followed.delete(hash)
    })
  }

  #end(layer: Layer): void {
    const flashblock = this.#undelivered.get(layer)
    if (flashblock === undefined) return
    this.#undelivered.delete(layer)
    flashblock.isClosed = true
    for (const transaction of flashblock.followed) if (transaction.request !== undefined) this.#write(transaction)
  }

  #dropped(hash: Hash, reason: string): void {
    const transaction = this.#followed.get(hash)
    if (transaction === undefined) return
    this.#write(transaction, { at: this.#deps.clock.monotonic(), reason })
  }

  /** Writes the spans inside that of the request, if it is traced, and ends following the transaction. */
  #write(
    { hash, request, pooled, flashblock }: FollowedTransaction,
    dropped?: { readonly at: number; readonly reason: string },
  ): void {
    this.#followed.delete(hash)
    if (request === undefined) return
    const { context, startedAt, epoch } = request
    const trees = transactionSpans({ requestedAt: startedAt, pooled, flashblock, dropped })
    for (const tree of trees) this.#writeTree(tree, context, epoch)
  }

  #writeTree({ start, end, children = [], ...span }: SpanTree, parent: TraceContext, epoch: number): void {
    const context = this.#deps.spans.write({
      ...span,
      start: epoch + start,
      end: epoch + end,
      parent,
      isServer: false,
    })
    for (const child of children) this.#writeTree(child, context, epoch)
  }
}

/** The transaction hash of a result: the hash itself, or that of a receipt. */
function hashOf(result: MethodResult): Hash | undefined {
  const json = result instanceof EncodedJson ? (JSON.parse(result.text) as unknown) : result
  const found = typeof json === 'object' && json !== null && 'transactionHash' in json ? json.transactionHash : json
  // The text has the form of a hash.
  return typeof found === 'string' && HASH.test(found) ? (found as Hash) : undefined
}
