import { DEVELOPMENT_ACCOUNTS } from '../../chain/genesis/development-accounts.ts'
import type { Genesis } from '../../chain/genesis/genesis.ts'
import type { Namespaces } from '../../rpc/registry/namespaces.ts'
import { isLoopback } from '../../server/loopback.ts'
import type { ServeOptions } from './start-flags.ts'

/** Namespaces whose methods change the chain or cost far more than others: for this machine only. */
const DEVELOPMENT_NAMESPACES = ['debug', 'testing']
/** Cost per second and address beyond loopback: 100 calls, or 2,000 values. */
const DEFAULT_RATE = 2_000
/** Seconds of it that an address may have at once. */
const BURST_SECONDS = 10

/** Who may ask, and for what. */
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

/** The node would be open in a way that nobody can want; the message says what to do. */
export class ExposureError extends Error {
  readonly code = 'EXPOSED'
  override readonly name = 'ExposureError'
}

export type ExposureOptions = Pick<
  ServeOptions,
  'host' | 'httpApi' | 'wsApi' | 'exposeDebug' | 'corsOrigins' | 'wsOrigins' | 'rateLimit' | 'rateBurst'
>

/** What of the chain and the node decides beside the flags. */
export interface ExposureFacts {
  /** Namespaces that there are. */
  readonly namespaces: readonly string[]
  /** Whether accounts have money whose keys everybody knows. */
  readonly hasDevelopmentKeys: boolean
}

/** Decides who may ask for what, or that the flags contradict each other. */
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

/** Whether accounts of a chain's genesis can be used by everybody. */
export function hasDevelopmentKeys({ alloc }: Pick<Genesis, 'alloc'>): boolean {
  return DEVELOPMENT_ACCOUNTS.some(({ address }) => alloc.has(address))
}

/** A browser sends its pages' origin as scheme, host and port, and nothing more. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$|^null$/i

function originRefusal(flag: string, origins: readonly string[], { hasDevelopmentKeys }: ExposureFacts) {
  if (origins.includes('*')) {
    return hasDevelopmentKeys
      ? `${flag} * would let every web page that anybody opens use this node, and the keys of its development accounts are known to all: name the origins, as in ${flag} https://app.example`
      : undefined
  }
  const wrong = origins.find((origin) => !ORIGIN.test(origin))
  return wrong === undefined
    ? undefined
    : `${flag} ${wrong} is no origin: it is written as in https://app.example or http://localhost:3000, without a path`
}

function namespaceRefusal(
  flag: string,
  names: readonly string[],
  options: ExposureOptions,
  { namespaces }: ExposureFacts,
): string | undefined {
  const unknown = names.find((name) => !namespaces.includes(name))
  if (unknown !== undefined) return `${flag}: there is no namespace ${unknown}, only ${namespaces.join(', ')}`
  const dangerous = names.find((name) => DEVELOPMENT_NAMESPACES.includes(name))
  if (dangerous === undefined || !isOpen(options)) return undefined
  return `${flag} ${dangerous} on ${options.host} would let everybody who reaches the port take blocks back: leave it out, listen on 127.0.0.1, or add --expose-debug`
}

/** Whether others than this machine reach it, and nobody said that they may have everything. */
function isOpen({ host, exposeDebug }: ExposureOptions): boolean {
  return !isLoopback(host) && !exposeDebug
}

/** None on loopback unless it is asked for. */
export function rateLimitOf({
  host,
  rateLimit,
  rateBurst,
}: Pick<ExposureOptions, 'host' | 'rateLimit' | 'rateBurst'>): Exposure['rateLimit'] {
  const rate = rateLimit ?? (isLoopback(host) ? 0 : DEFAULT_RATE)
  return rate === 0 ? undefined : { rate, burst: rateBurst ?? rate * BURST_SECONDS }
}
