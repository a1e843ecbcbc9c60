import type { ApiDeps, ApiResponse } from './api-request.ts'
import { answerEtherscan } from './etherscan-api.ts'
import { answerSourcify } from './sourcify-api.ts'

/** Path of the interfaces below it. */
export const SOURCES_PATH = '/verify'

export interface SourcesRequest {
  readonly method: string
  /** Path and query as sent. */
  readonly target: string
  readonly body: string
}

const NOT_FOUND: ApiResponse = {
  status: 404,
  body: { error: 'not found: the interfaces are /verify/etherscan/api and /verify/sourcify/v2' },
}
const NOT_ALLOWED: ApiResponse = { status: 405, body: { error: 'method not allowed: GET reads, POST verifies' } }

/** Answers a request below `/verify`. */
export async function answerSources({ method, target, body }: SourcesRequest, deps: ApiDeps): Promise<ApiResponse> {
  if (!['GET', 'HEAD', 'POST'].includes(method)) return NOT_ALLOWED
  const { pathname, searchParams: query } = new URL(target, 'http://localhost')
  const [, , name, ...rest] = pathname.split('/')
  const path = rest.at(-1) === '' ? rest.slice(0, -1) : rest
  const request = { method: method === 'HEAD' ? 'GET' : method, path, query, body }
  if (name === 'etherscan' && (path.length === 0 || path.join('/') === 'api')) return answerEtherscan(request, deps)
  if (name === 'sourcify') return answerSourcify(request, deps)
  // forge appends v2 to its --verifier-url, which may lack the slash.
  return name === 'sourcifyv2' ? answerSourcify({ ...request, path: ['v2', ...path] }, deps) : NOT_FOUND
}
