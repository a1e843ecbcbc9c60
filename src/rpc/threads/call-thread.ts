// Entry point of a worker thread. `thread-pool.ts` starts it; `messages.ts` describes the messages.
import { randomBytes } from 'node:crypto'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { createEngine } from '../../engine/create-engine.ts'
import { systemClock } from '../../node/core/clock.ts'
import { createNodeEvents } from '../../node/core/events.ts'
import type { ServedNode } from '../../node/core/node-handle.ts'
import { View } from '../../node/core/view.ts'
import type { Head } from '../../node/replay/head.ts'
import type { HeadFollower } from '../../node/replay/head-follower.ts'
import { openFollower } from '../../node/replay/open-follower.ts'
import { EMPTY_POOL_VIEW } from '../../pool/types.ts'
import type { RpcDeps } from '../context.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import { NO_ID, readEnvelope } from '../dispatch/envelope.ts'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EncodedJson, resultJson } from '../memoized/encoded-json.ts'
import { MethodSet } from '../registry/method-set.ts'
import { RPC_METHODS } from '../registry/methods.ts'
import { ANONYMOUS, type RpcClient } from '../rpc-client.ts'
import type { BurstRequest, CapturedHead, Offload, OffloadedRequest } from '../scheduling/offload.ts'
import { SLICE } from '../scheduling/run-queue.ts'
import { ClientGoneError } from '../scheduling/time-slices.ts'
import { garbageCollector } from './collect-garbage.ts'
import type { FromThread, PostedError, PostedResponse, PostedResult, ThreadSettings, ToThread } from './messages.ts'
import { createThreadLog } from './thread-log.ts'
import { ThreadMemory } from './thread-memory.ts'
import { WorkQueue } from './work-queue.ts'

const log = createThreadLog((message) => send(parentPort!, message))

/** Eight seconds of flashblocks: more than a request takes to arrive here. */
const RETAINED_HEADS = 40

/** Milliseconds for one batch of short requests, in case they are long. */
const BURST_TIME = 2 * SLICE
/** Characters of the results of one batch, in case they are large. */
const BURST_CHARACTERS = 1024 * 1024

/** Result of a burst request that used more than its slice: the main thread queues it as a long request. */
const TAKES_LONG = new EncodedJson('')

const STOP_AFTER_SLICE: Offload = {
  isFree: () => true,
  run: () => Promise.resolve(TAKES_LONG),
}

/** Requests run on given views: this node neither sends nor emits events. */
function readOnlyNode({ genesis, blockTimeMs, slots, gasLimit }: ThreadSettings): ServedNode {
  const { config } = genesis
  const refuse = () => {
    throw new Error('a thread for long requests only reads')
  }
  return {
    config,
    blockTimeMs,
    slots,
    gasLimit,
    events: createNodeEvents(),
    engine: createEngine({ config }),
    view: refuse,
    submit: refuse,
    setHead: refuse,
  }
}

async function serve(port: MessagePort, settings: ThreadSettings): Promise<void> {
  const follower = await openFollower({ ...settings, retainedHeads: RETAINED_HEADS })
  const methods = new MethodSet(RPC_METHODS, { dialect: settings.rpc.dialect, namespaces: 'all', flag: '--http-api' })
  const deps: RpcDeps = {
    node: readOnlyNode(settings),
    clock: systemClock,
    log,
    randomBytes,
  }
  const dispatcher = new Dispatcher(methods, settings.rpc, deps)
  const shortDispatcher = new Dispatcher(methods, settings.rpc, { ...deps, offload: STOP_AFTER_SLICE })
  const line = new WorkQueue()
  const rest = new ThreadMemory({
    collect: garbageCollector,
    later(milliseconds, action) {
      const timer = setTimeout(action, milliseconds)
      return () => clearTimeout(timer)
    },
  })
  port.on('message', (message: ToThread) => {
    switch (message.kind) {
      case 'start':
        rest.end()
        follow(port, follower, message)
        return send(port, { kind: 'followed' })
      case 'advance':
        follow(port, follower, message)
        return send(port, { kind: 'followed' })
      case 'rest':
        rest.begin()
        return follower.close()
      case 'request': {
        const { id, request } = message
        const head = followedHead(follower, request)
        if (head === undefined) return send(port, { kind: 'unknownHead', id })
        head.base.retain()
        const finish = (message: FromThread) => {
          head.base.release()
          send(port, message)
        }
        return line.add(id, {
          async work(isCancelled) {
            const startedAt = performance.now()
            const response = await handle(dispatcher, head, { ...message, isCancelled })
            rest.hasWorked(performance.now() - startedAt)
            finish(response)
          },
          drop: () => finish({ kind: 'cancelled', id }),
        })
      }
      case 'cancel':
        return line.cancel(message.id)
      case 'burst':
        void handleBurst(shortDispatcher, follower, message).then((responses) => send(port, responses))
    }
  })
}

/** When following fails, all heads are dropped, so that requests answer `unknownHead` until the next start. */
function follow(
  port: MessagePort,
  follower: HeadFollower,
  message: Extract<ToThread, { kind: 'start' | 'advance' }>,
): void {
  try {
    if (message.kind === 'start') follower.start(message)
    else if (!follower.advance(message.to)) follower.close()
  } catch (error) {
    // A failed start ends the thread; the next request starts another.
    if (message.kind === 'start') throw error
    follower.close()
    send(port, { kind: 'lost', reason: error instanceof Error ? error.message : String(error) })
  }
}

function followedHead(follower: HeadFollower, { sequence, sealed }: CapturedHead): Head | undefined {
  const head = follower.head(sequence)
  return head && { ...head, sealed }
}

async function handle(
  dispatcher: Dispatcher,
  head: Head,
  { id, request, isCancelled }: { id: number; request: OffloadedRequest; isCancelled: () => boolean },
): Promise<FromThread> {
  try {
    const client = { ...ANONYMOUS, isGone: isCancelled }
    return { ...(await postedResult(dispatcher, new View(head, EMPTY_POOL_VIEW), request, client)), id }
  } catch (error) {
    if (error instanceof ClientGoneError) return { kind: 'cancelled', id }
    return { ...postedError(error), id }
  }
}

/** Requests beyond the time or size of a batch are left to the main thread. */
async function handleBurst(
  dispatcher: Dispatcher,
  follower: HeadFollower,
  { id, requests }: Extract<ToThread, { kind: 'burst' }>,
): Promise<FromThread> {
  const startedAt = performance.now()
  const responses: PostedResponse[] = []
  let characters = 0
  let captured: CapturedHead | undefined
  let view: View | undefined
  for (const request of requests) {
    if (performance.now() - startedAt > BURST_TIME || characters > BURST_CHARACTERS) break
    // Most requests share a head, and structured cloning preserves object identity within a message.
    if (captured?.sequence !== request.sequence || captured.sealed !== request.sealed) {
      view?.release()
      const head = followedHead(follower, request)
      view = head && new View(head, EMPTY_POOL_VIEW)
      view?.retain()
      captured = request
    }
    const handle = view && (await handleShort(dispatcher, view, request))
    if (handle?.kind === 'result') characters += handle.text.length
    responses.push(handle)
  }
  view?.release()
  return { kind: 'burst', id, responses, ms: performance.now() - startedAt }
}

async function handleShort(dispatcher: Dispatcher, view: View, { text }: BurstRequest): Promise<PostedResponse> {
  try {
    // The main thread adds the id to the result.
    const envelope = readEnvelope(JSON.parse(text), () => NO_ID)
    if (envelope.kind === 'invalid') throw new Error(`no request: ${text.slice(0, 80)}`)
    const { method, params } = envelope
    const result = await dispatcher.run(view, method, params as readonly unknown[], { client: ANONYMOUS })
    return result === TAKES_LONG ? { kind: 'takesLong' } : { kind: 'result', text: resultJson(result) }
  } catch (error) {
    return postedError(error)
  }
}

/** @throws the error of the method, or ClientGoneError */
async function postedResult(
  dispatcher: Dispatcher,
  view: View,
  { method, params }: Pick<OffloadedRequest, 'method' | 'params'>,
  client: RpcClient,
): Promise<PostedResult> {
  const result = await dispatcher.run(view, method, params, { client })
  return { kind: 'result', text: resultJson(result) }
}

function postedError(error: unknown): PostedError {
  if (error instanceof RpcError) {
    const { code, message, data } = error
    return { kind: 'error', code, message, data }
  }
  log.error({ err: error }, 'a JSON-RPC method failed unexpectedly')
  return { kind: 'error', code: RPC_CODES.internal, message: 'internal error', data: undefined }
}

function send(port: MessagePort, message: FromThread): void {
  port.postMessage(message)
}

await serve(parentPort!, workerData as ThreadSettings)
