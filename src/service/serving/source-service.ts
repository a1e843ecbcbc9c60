import { randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Logger } from 'pino'
import type { ServeOptions } from '../../flags/start-flags.ts'
import type { LeaderReply, LeaderRequest } from '../../node/log/record-source.ts'
import { forwardingOf, type NodeHandle } from '../../node/roles/node-handle.ts'
import type { Rpc } from '../../rpc/create-rpc.ts'
import { RPC_METHODS } from '../../rpc/methods/all-methods.ts'
import { resultJson } from '../../rpc/protocol/encoded-json.ts'
import { RPC_CODES, RpcError, rateLimited } from '../../rpc/protocol/errors.ts'
import { ANONYMOUS, type RpcClient } from '../../rpc/protocol/rpc-client.ts'
import type { HttpResponse, Section } from '../../server/http/exchange.ts'
import { answerSources, SOURCES_PATH } from '../../sources/api/answer-sources.ts'
import { findBuiltInProcess } from '../../sources/build-info/find-process.ts'
import { buildInfoVersion } from '../../sources/build-info/read-build-infos.ts'
import type { NodeRequest } from '../../sources/chain/node-requests.ts'
import { compileInProcess } from '../../sources/compiler/compile-process.ts'
import { installedCompilers } from '../../sources/compiler/installed-compilers.ts'
import { NodeRequestError } from '../../sources/source-error.ts'
import { SOURCES_DIRECTORY, SourceStore } from '../../sources/store/source-store.ts'
import { BuiltSources } from '../../sources/verification/built-sources.ts'
import {
  answerSourcesRequest,
  forwardedSources,
  SOURCES_REQUEST,
} from '../../sources/verification/forwarded-sources.ts'
import {
  LocalSources,
  type LocalSourcesDeps,
  type Sources,
  withoutProject,
} from '../../sources/verification/sources.ts'
import type { Exposure } from '../exposure.ts'

/** A user installs compilers in the folder of the project, or beside this package. */
const COMPILER_DIRECTORIES = [process.cwd(), dirname(fileURLToPath(import.meta.url))]

const COSTS: ReadonlyMap<string, number> = new Map(RPC_METHODS.map(({ name, cost }) => [name, cost ?? 1]))

export interface SourceServiceDeps {
  readonly node: NodeHandle
  readonly rpc: Pick<Rpc, 'run' | 'scope'>
  readonly log: Logger
  /** Default: a process for each compilation. */
  readonly compile?: LocalSourcesDeps['compile']
}

/** Verified sources of a node. */
export interface SourceService {
  readonly sources: Sources
  /** Resources for clients. */
  readonly section: Section
  /** Answers a request that a follower has forwarded; `undefined`: it is about something else. */
  answerFollower(request: LeaderRequest): Promise<Omit<LeaderReply, 'sequence'>> | undefined
  /** Ends verifications. */
  close(): Promise<void>
}

export interface SourceServiceOptions extends Pick<ServeOptions, 'abi' | 'maxBodyBytes' | 'maxResponseBytes'> {
  readonly exposure: Exposure
  readonly chainId: bigint
}

/** The sources in the data directory of a node, or of the node that it follows. */
export function openSources(
  { exposure, chainId, abi, maxBodyBytes, maxResponseBytes }: SourceServiceOptions,
  { node, rpc, log, compile }: SourceServiceDeps,
): SourceService {
  const ending = new AbortController()
  const forwarding = forwardingOf(node)
  const local =
    forwarding === undefined
      ? new LocalSources({
          store: new SourceStore({ directory: join(node.logPosition().directory, SOURCES_DIRECTORY) }),
          request: requestsOf(rpc, ANONYMOUS),
          compilers: () => installedCompilers(COMPILER_DIRECTORIES),
          compile: compile ?? ((request) => compileInProcess(request, undefined, ending.signal)),
          now: () => new Date(),
          randomId: randomUUID,
          delay: (milliseconds) => delay(milliseconds, undefined, { ref: false }),
          log,
          built: abi === undefined ? undefined : builtSources(abi, ending.signal),
        })
      : undefined
  const sources: Sources = local ?? forwardedSources((request) => forwarding!.forward(request), maxBodyBytes)
  return {
    sources,
    section: {
      path: SOURCES_PATH,
      async handle({ method, target }, body, client): Promise<HttpResponse> {
        const mayPost = (client.hasOutsideAccess ? exposure.outside : exposure)?.verify === true
        const scope = rpc.scope(client)
        try {
          const shown = mayPost ? sources : withoutProject(sources)
          const deps = { sources: shown, request: requestsOf(scope, client), chainId, mayPost, log }
          const { status, headers, body: answer } = await answerSources({ method, target, body }, deps)
          const text = JSON.stringify(answer)
          // A large response puts the client into debt: it was parsed and made on the thread that makes blocks.
          client.charge(Math.floor(text.length / CHARACTERS_PER_COST))
          return { status, headers: { ...HEADERS, ...headers }, body: text }
        } finally {
          scope.release()
        }
      },
    },
    answerFollower({ method, params }) {
      if (method !== SOURCES_REQUEST) return undefined
      return answerSourcesRequest(sources, params, {
        mayPost: exposure.verify,
        maxReplyBytes: maxResponseBytes,
        log,
      })
    },
    async close() {
      ending.abort()
      await local?.close()
    },
  }
}

/** Sources of the project of `--abi`, for clients that may verify. */
function builtSources(folder: string, signal: AbortSignal): BuiltSources {
  return new BuiltSources(folder, {
    find: (request) => findBuiltInProcess(request, signal),
    version: buildInfoVersion,
    now: () => new Date(),
  })
}

const HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const

const RETRY_AFTER_MS = 1_000
/** Characters of a response that cost as much as the cheapest method. */
const CHARACTERS_PER_COST = 8_192

/** Methods that run for a client cost what they cost over JSON-RPC. */
export function requestsOf(rpc: Pick<Rpc, 'run'>, client: RpcClient): NodeRequest {
  return async (method, ...params) => {
    const wait = client.charge(COSTS.get(method) ?? 1)
    if (wait > 0) throw new NodeRequestError(rateLimited(wait).message, wait)
    try {
      return JSON.parse(resultJson(await rpc.run(method, params, client)))
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      const retryAfterMs = error.code === RPC_CODES.limitExceeded ? RETRY_AFTER_MS : undefined
      throw new NodeRequestError(error.message, retryAfterMs, { cause: error })
    }
  }
}
