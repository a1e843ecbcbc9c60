import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { flagName } from '../flags/flag.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import { DEVELOPMENT_NAMESPACES } from '../rpc/compat/compat.ts'
import type { Namespaces } from '../rpc/protocol/namespaces.ts'
import { isLoopback } from '../server/transport/host-guard.ts'

/** Namespaces that are enabled on loopback only, unless a flag exposes them. */
const GUARDED: readonly {
  readonly names: readonly string[]
  readonly flag: 'exposeDebug' | 'exposeDev'
  readonly danger: string
}[] = [
  { names: ['debug', 'testing'], flag: 'exposeDebug', danger: 'unwind the chain' },
  { names: DEVELOPMENT_NAMESPACES, flag: 'exposeDev', danger: 'change any state' },
]
/** Cost per second and address beyond loopback: 100 calls, or 2,000 values. */
const DEFAULT_RATE = 2_000
/** Seconds of the rate in one burst. */
const BURST_SECONDS = 10

/** Access control of a node. */
export interface Exposure {
  readonly httpNamespaces: Namespaces
  readonly wsNamespaces: Namespaces
  /** Whether the methods of development nodes are enabled. */
  readonly development: boolean
  /** Whether the studio is served. */
  readonly studio: boolean
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
  | 'host'
  | 'compat'
  | 'httpApi'
  | 'wsApi'
  | 'exposeDebug'
  | 'exposeDev'
  | 'studio'
  | 'corsOrigins'
  | 'wsOrigins'
  | 'rateLimit'
  | 'rateBurst'
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
  const { httpApi, wsApi, wsOrigins } = options
  const corsOrigins = corsOriginsOf(options)
  const refusal =
    originRefusal('--cors-origins', corsOrigins, options, facts) ??
    originRefusal('--ws-origins', wsOrigins ?? [], options, facts) ??
    namespaceRefusal('--http-api', httpApi ?? [], options, facts) ??
    namespaceRefusal('--ws-api', wsApi ?? [], options, facts)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const httpNamespaces = httpApi ?? usualNamespaces(options, facts)
  return {
    kind: 'allowed',
    exposure: {
      httpNamespaces,
      wsNamespaces: wsApi ?? httpNamespaces,
      development: isLoopback(options.host) || options.exposeDev,
      studio: options.studio ?? isLoopback(options.host),
      corsOrigins,
      socketOrigins: wsOrigins ?? corsOrigins,
      rateLimit: rateLimitOf(options),
    },
  }
}

/** Anvil and Hardhat's node let every web page send requests; a node that other machines reach does not. */
function allowsAnyOrigin({ compat, host }: Pick<ExposureOptions, 'compat' | 'host'>): boolean {
  return compat !== undefined && isLoopback(host)
}

function corsOriginsOf(options: ExposureOptions): readonly string[] {
  return options.corsOrigins.length === 0 && allowsAnyOrigin(options) ? ['*'] : options.corsOrigins
}

/** Whether the genesis funds accounts whose keys are published. */
export function hasDevelopmentKeys({ alloc }: Pick<Genesis, 'alloc'>): boolean {
  return DEVELOPMENT_ACCOUNTS.some(({ address }) => alloc.has(address))
}

/** Scheme, host and port, as in the Origin header of a browser. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+$|^null$/i

function originRefusal(
  flag: string,
  origins: readonly string[],
  options: ExposureOptions,
  { hasDevelopmentKeys }: ExposureFacts,
): string | undefined {
  if (origins.includes('*')) {
    return hasDevelopmentKeys && !allowsAnyOrigin(options)
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
  for (const guarded of closedGroups(options)) {
    const dangerous = names.find((name) => guarded.names.includes(name))
    if (dangerous === undefined) continue
    return `${flag} ${dangerous} on ${options.host} lets every client ${guarded.danger}: leave it out, listen on 127.0.0.1, or add ${flagName(guarded.flag)}`
  }
  return undefined
}

function usualNamespaces(options: ExposureOptions, { namespaces }: ExposureFacts): Namespaces {
  const closed = closedGroups(options).flatMap(({ names }) => names)
  return closed.length === 0 ? 'all' : namespaces.filter((name) => !closed.includes(name))
}

/** Groups of namespaces that other machines would reach without a flag that exposes them. */
function closedGroups(options: ExposureOptions): typeof GUARDED {
  return isLoopback(options.host) ? [] : GUARDED.filter(({ flag }) => !options[flag])
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
