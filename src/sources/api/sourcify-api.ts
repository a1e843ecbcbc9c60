import { isHexBytes, toHash } from '../../primitives/hex.ts'
import { requiredObject, type StandardInput, standardInput } from '../compiler/standard-json.ts'
import { NodeRequestError, type SourceErrorReason, VerificationError } from '../source-error.ts'
import { bestMatch } from '../store/verified-source.ts'
import { MAX_LISTED, MAX_PATIENCE_MS, postingRefused } from '../verification/forwarded-sources.ts'
import type { VerificationJob } from '../verification/verification-queue.ts'
import { type ApiDeps, type ApiRequest, type ApiResponse, addressOf, contractNameOf, jsonOf } from './api-request.ts'
import { contractFields, minimalContract, selectedFields } from './sourcify-contract.ts'

/** Statuses of errors of requests; errors of verifications are part of their result. */
const STATUSES: Partial<Readonly<Record<SourceErrorReason, number>>> = {
  already_verified: 409,
  internal_error: 500,
  job_not_found: 404,
  posting_not_allowed: 403,
  source_unreachable: 502,
  too_large: 413,
  too_many_jobs: 429,
  unsupported_chain: 404,
}

/** Answers a request to `/verify/sourcify`, with the paths and members of Sourcify's API, version 2. */
export async function answerSourcify(request: ApiRequest, deps: ApiDeps): Promise<ApiResponse> {
  try {
    return (await route(request, deps)) ?? failure(404, 'route_not_found', 'there is no such path: see docs/sources.md')
  } catch (error) {
    if (error instanceof VerificationError) return failure(STATUSES[error.code] ?? 400, error.code, error.message)
    if (error instanceof NodeRequestError) return requestFailure(error)
    deps.log.error({ err: error }, 'a request about sources failed unexpectedly')
    return failure(500, 'internal_error', 'internal error: the log of the node says more')
  }
}

function requestFailure({ message, retryAfterMs }: NodeRequestError): ApiResponse {
  if (retryAfterMs === undefined) return failure(400, 'invalid_parameter', message)
  const headers = { 'retry-after': `${Math.ceil(retryAfterMs / 1_000)}` }
  return { ...failure(429, 'rate_limited', message), headers }
}

function failure(status: number, customCode: string, message: string): ApiResponse {
  return { status, body: { customCode, message, errorId: crypto.randomUUID() } }
}

async function route({ method, path, query, body }: ApiRequest, deps: ApiDeps): Promise<ApiResponse | undefined> {
  const [version, resource, ...rest] = path
  if (version !== 'v2') return undefined
  if (method === 'POST' && resource === 'verify') return verify(rest, jsonOf(body, 'the body'), deps)
  if (method !== 'GET') return undefined
  const [first = '', second] = rest
  if (resource === 'verify' && rest.length === 1) {
    return { status: 200, body: jobBody(await deps.sources.job(first, MAX_PATIENCE_MS), deps) }
  }
  if (resource === 'contract' && second !== undefined && rest.length === 2) {
    requireChain(first, deps)
    return contractResponse(second, query, deps)
  }
  if (resource !== 'contracts' || rest.length !== 1) return undefined
  requireChain(first, deps)
  return { status: 200, body: { results: await listed(query, deps) } }
}

/** @throws VerificationError `unsupported_chain` */
function requireChain(text: string, { chainId }: ApiDeps): void {
  if (text === `${chainId}`) return
  throw new VerificationError('unsupported_chain', `the chain ${text.slice(0, 40)} is not this one, ${chainId}`)
}

async function contractResponse(text: string, query: URLSearchParams, deps: ApiDeps): Promise<ApiResponse> {
  const address = addressOf(text)
  const source = await deps.sources.source(address)
  if (source === undefined) {
    const absent = { match: null, creationMatch: null, runtimeMatch: null, chainId: `${deps.chainId}`, address: text }
    return { status: 404, body: absent }
  }
  const selected = selectedFields(query.get('fields'), query.get('omit'))
  return { status: 200, body: await contractFields(source, selected, deps) }
}

async function listed(query: URLSearchParams, { sources, chainId }: ApiDeps): Promise<readonly unknown[]> {
  const limit = Number(query.get('limit') ?? MAX_LISTED)
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LISTED) {
    throw new VerificationError('invalid_parameter', `limit must be an integer from 1 to ${MAX_LISTED}`)
  }
  const after = query.get('afterMatchId')
  const found = await sources.list(after === null ? undefined : addressOf(after), limit)
  return found.map((source) => minimalContract(source, chainId))
}

/** `verify/{chainId}/{address}` with compiler input, `verify/metadata/{chainId}/{address}` with metadata. */
async function verify(
  path: readonly string[],
  body: Readonly<Record<string, unknown>>,
  deps: ApiDeps,
): Promise<ApiResponse | undefined> {
  const isMetadata = path[0] === 'metadata'
  const [chain, text, ...rest] = isMetadata ? path.slice(1) : path
  if (chain === undefined || text === undefined || rest.length > 0) return undefined
  requireChain(chain, deps)
  if (!deps.mayPost) throw postingRefused()
  const address = addressOf(text)
  const { creationTransactionHash: hash } = body
  const creationTransactionHash = isHexBytes(hash) && hash.length === 66 ? toHash(hash) : undefined
  const described = isMetadata ? fromMetadata(body) : fromInput(body)
  const verificationId = await deps.sources.submit({ address, ...described, creationTransactionHash })
  return { status: 202, body: { verificationId } }
}

type Described = Pick<Parameters<ApiDeps['sources']['submit']>[0], 'input' | 'contract' | 'compilerVersion'>

function fromInput({
  stdJsonInput,
  compilerVersion,
  contractIdentifier,
}: Readonly<Record<string, unknown>>): Described {
  if (typeof compilerVersion !== 'string' || typeof contractIdentifier !== 'string') {
    throw new VerificationError('invalid_parameter', 'compilerVersion and contractIdentifier are needed')
  }
  return { input: standardInput(stdJsonInput), contract: contractNameOf(contractIdentifier), compilerVersion }
}

/** Metadata names settings and target; the sources come beside it. */
function fromMetadata({ metadata, sources }: Readonly<Record<string, unknown>>): Described {
  const { language, compiler, settings, sources: described = {} } = requiredObject(metadata, 'metadata')
  const { version } = requiredObject(compiler, 'metadata.compiler')
  const { compilationTarget, libraries, ...others } = requiredObject(settings, 'metadata.settings')
  const [target] = Object.entries(requiredObject(compilationTarget, 'metadata.settings.compilationTarget'))
  const [path, name] = target ?? []
  if (path === undefined || typeof name !== 'string' || typeof version !== 'string') {
    throw new VerificationError('invalid_parameter', 'metadata needs compiler.version and settings.compilationTarget')
  }
  const given = requiredObject(sources ?? {}, 'sources')
  const contents = Object.entries(requiredObject(described, 'metadata.sources')).map(([file, source]) => {
    const { content } = requiredObject(source, `the source ${file}`)
    return [file, { content: given[file] ?? content }]
  })
  const input: StandardInput = standardInput({
    language,
    sources: Object.fromEntries(contents),
    settings: { ...others, ...(libraries !== undefined && { libraries: byFile(libraries) }) },
  })
  return { input, contract: { path, name }, compilerVersion: version }
}

/** Metadata has libraries as `path:Name`, compiler input by path. */
function byFile(libraries: unknown): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const files: Record<string, Record<string, unknown>> = {}
  for (const [identifier, address] of Object.entries(requiredObject(libraries, 'metadata.settings.libraries'))) {
    const { path = '', name } = contractNameOf(identifier)
    files[path] = { ...files[path], [name]: address }
  }
  return files
}

function jobBody(
  { id, address, startedAt, finishedAt, matches, error }: VerificationJob,
  { chainId }: ApiDeps,
): unknown {
  return {
    isJobCompleted: finishedAt !== undefined,
    verificationId: id,
    jobStartTime: startedAt,
    ...(finishedAt !== undefined && { jobFinishTime: finishedAt }),
    contract: {
      match: matches === undefined ? null : bestMatch(matches),
      creationMatch: matches?.creation.match ?? null,
      runtimeMatch: matches?.runtime.match ?? null,
      chainId: `${chainId}`,
      address,
      ...(matches && { verifiedAt: matches.verifiedAt, matchId: address }),
    },
    ...(error && { error: { customCode: error.code, message: error.message, errorId: id } }),
  }
}
