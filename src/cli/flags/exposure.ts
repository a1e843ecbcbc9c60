import { DEVELOPMENT_ACCOUNTS } from '../../chain/genesis/development-accounts.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { Namespaces } from '../../rpc/registry/namespaces.ts'
import { isLoopback } from '../../server/host-guard.ts'
import type { ServeOptions } from './start-flags.ts'

/** Namespaces whose methods change the chain or are expensive: enabled on loopback only. */
const DEVELOPMENT_NAMESPACES = ['debug', 'testing']
/** Cost per second and address beyond loopback: 100 calls, or 2,000 values. */
const DEFAULT_RATE = 2_000
/** Seconds of the rate in one burst. */
const BURST_SECONDS = 10

/** Access control of a node. */
export interface Exposure {
  readonly httpNamespaces: Namespaces
  readonly wsNamespaces: Namespaces
  readonly corsOrigins: readonly string[]
  readonly socketOrigins: readonly string[]
  readonly rateLimit: { readonly rate: number; readonly burst: number } | undefined
}

export type ExposureDecision =
  | { readonly kind: 'allowed'; readonly exposure: Exposure }
  /** `message` says which flag to change. */
  | { readonly kind: 'refused'; readonly message: string }

/** Rejected combination of access flags; the message says which flag to change. */
export class ExposureError extends Error {
  readonly code = 'EXPOSED'
  override readonly name = 'ExposureError'
}

export type ExposureOptions = Pick<
  ServeOptions,
  'host' | 'httpApi' | 'wsApi' | 'exposeDebug' | 'corsOrigins' | 'wsOrigins' | 'rateLimit' | 'rateBurst'
>

/** Properties of the chain and the node that the decision depends on. */
export interface ExposureFacts {
  /** All namespaces. */
  readonly namespaces: readonly string[]
  /** Whether accounts with published keys have funds. */
  readonly hasDevelopmentKeys: boolean
}

/** Derives the access control from the flags, or rejects a dangerous or contradictory combination. */
export function decideExposure(options: ExposureOptions, facts: ExposureFacts): ExposureDecision {
  const { httpApi, wsApi, corsOrigins, wsOrigins } = options
  const refusal =
    originRefusal('--cors-origins', corsOrigins, facts) ??
    originRefusal('--ws-origins', wsOrigins ?? [], facts) ??
    namespaceRefusal('--http-api', httpApi ?? [], options, facts) ??
    namespaceRefusal('--ws-api', wsApi ?? [], options, facts)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const usual = isOpen(options) ? facts.namespaces.filter((name) => !DEVELOPMENT_NAMESPACES.includes(name)) : 'all'
  const httpNamespaces = httpApi ?? usual
  return {
    kind: 'allowed',
    exposure: {
      httpNamespaces,
      wsNamespaces: wsApi ?? httpNamespaces,
      corsOrigins,
      socketOrigins: wsOrigins ?? corsOrigins,
      rateLimit: rateLimitOf(options),
    },
  }
}

/** Whether the genesis funds accounts whose keys are published. */
export function hasDevelopmentKeys({ alloc }: Pick<Genesis, 'alloc'>): boolean {
  return DEVELOPMENT_ACCOUNTS.some(({ address }) => alloc.has(address))
}

/** Scheme, host and port, as in the Origin header of a browser. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$|^null$/i

function originRefusal(flag: string, origins: readonly string[], { hasDevelopmentKeys }: ExposureFacts) {
  if (origins.includes('*')) {
    return hasDevelopmentKeys
      ? `${flag} * lets any web page use this node and its development accounts, whose keys are published: name the origins, as in ${flag} https://app.example`
      : undefined
  }
  const wrong = origins.find((origin) => !ORIGIN.test(origin))
  return wrong === undefined
    ? undefined
    : `${flag} ${wrong} is not an origin: write it as in https://app.example or http://localhost:3000, without a path`
}

function namespaceRefusal(
  flag: string,
  names: readonly string[],
  options: ExposureOptions,
  { namespaces }: ExposureFacts,
): string | undefined {
  const unknown = names.find((name) => !namespaces.includes(name))
  if (unknown !== undefined) return `${flag}: unknown namespace ${unknown}; known: ${namespaces.join(', ')}`
  const dangerous = names.find((name) => DEVELOPMENT_NAMESPACES.includes(name))
  if (dangerous === undefined || !isOpen(options)) return undefined
  return `${flag} ${dangerous} on ${options.host} lets every client unwind the chain: leave it out, listen on 127.0.0.1, or add --expose-debug`
}

/** Whether the node is reachable from other machines without --expose-debug. */
function isOpen({ host, exposeDebug }: ExposureOptions): boolean {
  return !isLoopback(host) && !exposeDebug
}

/** No limit on loopback by default. */
export function rateLimitOf({
  host,
  rateLimit,
  rateBurst,
}: Pick<ExposureOptions, 'host' | 'rateLimit' | 'rateBurst'>): Exposure['rateLimit'] {
  const rate = rateLimit ?? (isLoopback(host) ? 0 : DEFAULT_RATE)
  return rate === 0 ? undefined : { rate, burst: rateBurst ?? rate * BURST_SECONDS }
}

/** Host and port of a listening socket, for URLs on this machine. */
export function authorityOf(host: string, port: number): string {
  // A client cannot connect to a wildcard address.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
