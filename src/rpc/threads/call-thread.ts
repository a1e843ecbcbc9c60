// Entry point of a worker thread. `thread-pool.ts` starts it; `messages.ts` describes the messages.
import { randomBytes } from 'node:crypto'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { chainProfile } from '../../chain/forks/chain-profile.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import { openAddressIndex } from '../../node/address-index/start-address-index.ts'
import { systemClock } from '../../node/core/clock.ts'
import type { HeadFollower } from '../../node/following/head-follower.ts'
import { openFollower } from '../../node/following/open-follower.ts'
import type { Head } from '../../node/machine/head.ts'
import type { ServedNode } from '../../node/roles/node-handle.ts'
import { createNodeEvents } from '../../node/view/events.ts'
import { View } from '../../node/view/view.ts'
import { EMPTY_POOL_VIEW } from '../../pool/types.ts'
import { receiveMessages } from '../../primitives/threads/thread-port.ts'
import type { RpcDeps } from '../context/dependencies.ts'
import { Dispatcher } from '../dispatch/dispatcher.ts'
import { RPC_METHODS } from '../methods/all-methods.ts'
import { EncodedJson } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import type { ReportedCall } from '../protocol/reported-call.ts'
import { ANONYMOUS, type RpcClient } from '../protocol/rpc-client.ts'
import { MethodSet } from '../registry/method-set.ts'
import type { CapturedHead, OffloadedRequest } from '../scheduling/offload.ts'
import { ClientGoneError } from '../scheduling/time-slices.ts'
import { garbageCollector } from './collect-garbage.ts'
import type { FromThread, PostedError, PostedResult, ThreadSettings, ToThread } from './messages.ts'
import { createThreadLog } from './thread-log.ts'
import { ThreadMemory } from './thread-memory.ts'
import { WorkQueue } from './work-queue.ts'

const log = createThreadLog((message) => send(parentPort!, message))

/** Eight seconds of flashblocks: more than a request takes to arrive here. */
const RETAINED_HEADS = 40

/** Requests run on given views: this node neither sends nor emits events. */
function readOnlyNode({ genesis, blockTimeMs, slots, gasLimit }: ThreadSettings): ServedNode {
  const { config } = genesis
  const refuse = () => {
    throw new Error('a thread for long requests only reads')
  }
  return {
    role: 'thread',
    config,
    damage: undefined,
    isOnDemand: false,
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
  const methods = new MethodSet(RPC_METHODS, {
    dialect: settings.rpc.dialect,
    profile: chainProfile(settings.genesis.config),
    namespaces: 'all',
    flag: '--http-api',
  })
  const deps: RpcDeps = {
    node: readOnlyNode(settings),
    clock: systemClock,
    log,
    randomBytes,
    ...(settings.hasAddressIndex && { addressIndex: openAddressIndex(settings.directory) }),
    ...(settings.reportsCalls && { onCall: (call: ReportedCall) => send(port, { kind: 'called', call }) }),
  }
  const dispatcher = new Dispatcher(methods, settings.rpc, deps)
  const line = new WorkQueue()
  const rest = new ThreadMemory({
    collect: garbageCollector,
    later(milliseconds, action) {
      const timer = setTimeout(action, milliseconds)
      return () => clearTimeout(timer)
    },
  })
  receiveMessages((message: ToThread) => {
    switch (message.kind) {
      case 'start':
        rest.end()
        return follow(port, follower, message)
      case 'advance':
        return follow(port, follower, message)
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
            const startedAt = systemClock.monotonic()
            const response = await handle(dispatcher, head, { ...message, isCancelled })
            rest.hasWorked(systemClock.monotonic() - startedAt)
            finish(response)
          },
          drop: () => finish({ kind: 'cancelled', id }),
        })
      }
      case 'cancel':
        return line.cancel(message.id)
    }
  })
  send(port, { kind: 'ready' })
}

/** When following fails, all heads are dropped, so that requests answer `unknownHead` until the next start. */
function follow(
  port: MessagePort,
  follower: HeadFollower,
  message: Extract<ToThread, { kind: 'start' | 'advance' }>,
): void {
  try {
    // After an unwind the node sends another start.
    const follows = message.kind === 'start' ? follower.start(message) : follower.advance(message.to)
    if (!follows) follower.close()
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
    const client = { ...ANONYMOUS, isGone: isCancelled, latestState: request.latestState }
    return { ...(await postedResult(dispatcher, new View(head, EMPTY_POOL_VIEW), request, client)), id }
  } catch (error) {
    if (error instanceof ClientGoneError) return { kind: 'cancelled', id }
    return { ...postedError(error), id }
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
  const parts = result instanceof EncodedJson ? result.parts : [JSON.stringify(result)]
  // Cloning an array copies all bytes of its buffer.
  return { kind: 'result', parts: parts.map((part) => (typeof part === 'string' ? part : part.slice())) }
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
