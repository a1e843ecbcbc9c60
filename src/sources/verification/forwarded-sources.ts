import { type Address, isHexBytes, toAddress, toHash } from '../../primitives/hex.ts'
import { requiredObject, standardInput } from '../compiler/standard-json.ts'
import { type SourceErrorReason, VerificationError } from '../source-error.ts'
import type { VerificationRequest } from '../store/verified-source.ts'
import type { Sources } from './sources.ts'
import type { VerificationJob } from './verification-queue.ts'

/** Name under which followers forward requests about sources to the node that they follow. */
export const SOURCES_REQUEST = 'tickertape_sources'

type Operation = keyof Sources

const OPERATIONS: readonly string[] = ['submit', 'job', 'source', 'list'] satisfies readonly Operation[]

/** The JSON of the answer: the result is absent where it is `undefined`. */
export interface SourcesReply {
  readonly kind: 'result' | 'error'
  readonly text: string
}

/**
 * The sources of the node that this one follows.
 *
 * @param forward runs a request there
 * @param maxBytes of an encoded request: the other node ends a connection with a larger message
 */
export function forwardedSources(
  forward: (request: {
    readonly method: string
    readonly params: string
  }) => Promise<Pick<SourcesReply, 'text'> & { readonly kind: string }>,
  maxBytes: number,
): Sources {
  const run = async (operation: Operation, ...parameters: readonly unknown[]) => {
    const params = JSON.stringify([operation, ...parameters])
    // The parameters are JSON inside a JSON text.
    const bytes = Buffer.byteLength(JSON.stringify(params)) + MESSAGE_BYTES
    if (bytes > maxBytes) {
      throw new VerificationError(
        'too_large',
        `the request has ${bytes} bytes for the node that has the sources, at most ${maxBytes} (--max-body-bytes): ` +
          'send it to that node',
      )
    }
    const { kind, text } = await forward({ method: SOURCES_REQUEST, params }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new VerificationError('source_unreachable', `the node that has the sources does not answer: ${reason}`)
    })
    const answer = jsonOf(text)
    if (kind === 'result') return answer?.result
    const { code, message } = { code: 'source_unreachable', message: text.slice(0, 500), ...answer }
    throw new VerificationError(code as SourceErrorReason, String(message))
  }
  return {
    submit: (request) => run('submit', request) as ReturnType<Sources['submit']>,
    async job(id, patienceMs) {
      for (let left = patienceMs; ; left -= FORWARDED_PATIENCE_MS) {
        const job = (await run('job', id, Math.min(left, FORWARDED_PATIENCE_MS))) as VerificationJob
        if (job.finishedAt !== undefined || left <= FORWARDED_PATIENCE_MS) return job
      }
    },
    source: (address, includesProject = true) =>
      run('source', address, includesProject) as ReturnType<Sources['source']>,
    list: (after, limit) => run('list', after ?? null, limit) as ReturnType<Sources['list']>,
  }
}

function jsonOf(
  text: string,
): { readonly result?: unknown; readonly code?: string; readonly message?: string } | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export interface FollowerAccess {
  readonly mayPost: boolean
  readonly maxReplyBytes: number
  readonly log: { error(details: object, message: string): void }
}

/**
 * Answers a request that a follower has forwarded.
 *
 * @param options.mayPost whether followers may begin verifications and read the sources of a project
 * @param options.maxReplyBytes of the text of a reply
 */
export async function answerSourcesRequest(
  sources: Sources,
  params: string,
  { mayPost, maxReplyBytes, log }: FollowerAccess,
): Promise<SourcesReply> {
  try {
    const [operation, ...parameters] = JSON.parse(params) as [string, ...unknown[]]
    const text = JSON.stringify({ result: await run(sources, operation, parameters, mayPost) })
    if (Buffer.byteLength(text) <= maxReplyBytes) return { kind: 'result', text }
    const problem = `the sources are larger than ${maxReplyBytes} bytes (--max-response-bytes)`
    throw new VerificationError('too_large', `${problem}: read them from the node that stores them`)
  } catch (error) {
    const isExpected = error instanceof VerificationError
    if (!isExpected) log.error({ err: error }, 'a forwarded request about sources failed unexpectedly')
    const code = isExpected ? error.code : 'internal_error'
    return { kind: 'error', text: JSON.stringify({ code, message: isExpected ? error.message : 'internal error' }) }
  }
}

/** A follower checked the request of its client, but it may be an older or a strange program. */
function run(sources: Sources, operation: string, [first, second]: readonly unknown[], mayPost: boolean) {
  if (!OPERATIONS.includes(operation)) throw new VerificationError('invalid_parameter', 'unknown operation')
  if (operation === 'list') {
    const limit = Math.min(Number(second) || MAX_LISTED, MAX_LISTED)
    return sources.list(first === null ? undefined : addressIn(first), limit)
  }
  if (operation === 'job') return sources.job(String(first), Math.min(Number(second) || 0, FORWARDED_PATIENCE_MS))
  if (operation === 'source') return sources.source(addressIn(first), mayPost && second !== false)
  if (!mayPost) throw postingRefused()
  return sources.submit(verificationRequest(first))
}

function verificationRequest(json: unknown): VerificationRequest {
  const {
    address,
    input,
    contract,
    compilerVersion,
    creationTransactionHash: hash,
  } = requiredObject(json, 'the request')
  const { path, name } = requiredObject(contract, 'contract')
  const hasPath = typeof path === 'string'
  if (typeof name !== 'string' || typeof compilerVersion !== 'string' || (path !== undefined && !hasPath)) {
    throw new VerificationError('invalid_parameter', 'contract.name and compilerVersion are needed, as texts')
  }
  return {
    address: addressIn(address),
    input: standardInput(input),
    contract: { name, ...(hasPath && { path }) },
    compilerVersion,
    ...(isHexBytes(hash) && hash.length === 66 && { creationTransactionHash: toHash(hash) }),
  }
}

function addressIn(json: unknown): Address {
  if (isHexBytes(json) && json.length === 42) return toAddress(json)
  throw new VerificationError('invalid_parameter', 'an address is needed')
}

/** Everything in a forwarded request but its parameters. */
const MESSAGE_BYTES = 256
/** Contracts in one listing. */
export const MAX_LISTED = 200
/** Milliseconds for which a request may wait for the end of a verification. */
export const MAX_PATIENCE_MS = 10_000
/** A forwarded request has to be answered within seconds. */
const FORWARDED_PATIENCE_MS = 2_000

export function postingRefused(): VerificationError {
  return new VerificationError(
    'posting_not_allowed',
    'clients of other machines may reach this node, so it compiles no sources: start it with --expose-verify',
  )
}
