import { isLatestState, LATEST_STATES, type LatestState } from '../../rpc/protocol/latest-state.ts'

/** The choice that the URL of a JSON-RPC client makes with `?latest=…`. */
export type RequestedState =
  | { readonly kind: 'valid'; readonly latestState: LatestState | undefined }
  /** The message is for the response, with status 400. */
  | { readonly kind: 'invalid'; readonly message: string }

const NONE: RequestedState = { kind: 'valid', latestState: undefined }

/**
 * Reads the state at `latest` from the query of a URL. Other parameters mean nothing: providers put keys there.
 *
 * @param target path and query
 * @example requestedState('/?latest=preconfirmed') // { kind: 'valid', latestState: 'preconfirmed' }
 */
export function requestedState(target: string): RequestedState {
  const query = target.indexOf('?')
  if (query === -1) return NONE
  const values = new URLSearchParams(target.slice(query)).getAll('latest')
  const [chosen] = values
  if (chosen === undefined) return NONE
  if (values.length === 1 && isLatestState(chosen)) return { kind: 'valid', latestState: chosen }
  return { kind: 'invalid', message: `invalid query: latest is given once, as ${LATEST_STATES.join(' or ')}` }
}
