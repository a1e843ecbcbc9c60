import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { flagName } from '../flags/flag.ts'
import type { ServeOptions } from '../flags/start-flags.ts'
import { DEVELOPMENT_NAMESPACES } from '../rpc/compat/compat.ts'
import type { Namespaces } from '../rpc/protocol/namespaces.ts'
import { isLoopback, LOCAL_ORIGINS } from '../server/transport/host-guard.ts'

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

/** Access of the clients of a node. */
export interface ClientAccess {
  readonly httpNamespaces: Namespaces
  readonly wsNamespaces: Namespaces
  /** Whether the methods of development nodes are enabled. */
  readonly development: boolean
  /** Whether the studio is served. */
  readonly studio: boolean
  /** Whether `/metrics` is served. */
  readonly metrics: boolean
  /** Whether sources that clients send are compiled and verified. */
  readonly verify: boolean
  readonly corsOrigins: readonly string[]
  readonly socketOrigins: readonly string[]
  readonly rateLimit: { readonly rate: number; readonly burst: number } | undefined
}

/** Access control of a node. */
export interface Exposure extends ClientAccess {
  /** Access of requests with signs of a proxy; `undefined`: as of others. */
  readonly outside: ClientAccess | undefined
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
  | 'trustProxy'
  | 'compat'
  | 'httpApi'
  | 'wsApi'
  | 'exposeDebug'
  | 'exposeDev'
  | 'exposeMetrics'
  | 'exposeVerify'
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

/** Logged once by a node on loopback. */
export const PROXIED =
  'a request shows signs of a proxy: such requests have the access of clients beyond loopback. Name the proxy with ' +
  '--trust-proxy, as in --trust-proxy 127.0.0.1, so that each client has limits of its own'

type Reach = Pick<ServeOptions, 'host' | 'trustProxy'>

/** Whether clients beyond this machine reach the node, directly or through a proxy. */
export function isPublic({ host, trustProxy }: Reach): boolean {
  return !isLoopback(host) || trustProxy.length > 0
}

/** Derives the access control from the flags, or rejects a dangerous or contradictory combination. */
export function decideExposure(options: ExposureOptions, facts: ExposureFacts): ExposureDecision {
  const { httpApi, wsApi, wsOrigins } = options
  const refusal =
    originRefusal('--cors-origins', corsOriginsOf(options, isPublic(options)), options, facts) ??
    originRefusal('--ws-origins', wsOrigins ?? [], options, facts) ??
    namespaceRefusal('--http-api', httpApi ?? [], options, facts) ??
    namespaceRefusal('--ws-api', wsApi ?? [], options, facts)
  if (refusal !== undefined) return { kind: 'refused', message: refusal }
  const outside = isPublic(options) ? undefined : accessOf(options, facts, true)
  return { kind: 'allowed', exposure: { ...accessOf(options, facts, isPublic(options)), outside } }
}

/** @param isOutside whether the clients are beyond this machine */
function accessOf(options: ExposureOptions, facts: ExposureFacts, isOutside: boolean): ClientAccess {
  const closed = isOutside ? closedGroups(options).flatMap(({ names }) => names) : []
  const opened = (names: readonly string[] | undefined): Namespaces =>
    closed.length === 0 ? (names ?? 'all') : (names ?? facts.namespaces).filter((name) => !closed.includes(name))
  // Published keys are for pages that the operator names.
  const explicit = (origins: readonly string[]) =>
    isOutside && facts.hasDevelopmentKeys ? origins.filter((origin) => origin !== '*') : origins
  const corsOrigins = explicit(corsOriginsOf(options, isOutside))
  return {
    httpNamespaces: opened(options.httpApi),
    wsNamespaces: opened(options.wsApi ?? options.httpApi),
    development: !isOutside || options.exposeDev,
    studio: options.studio ?? !isOutside,
    metrics: !isOutside || options.exposeMetrics,
    verify: !isOutside || options.exposeVerify,
    corsOrigins,
    socketOrigins: options.wsOrigins === undefined ? corsOrigins : explicit(options.wsOrigins),
    rateLimit: rateLimitOf(options, isOutside),
  }
}

/** Anvil and Hardhat's node let every web page send requests; a node that other machines reach does not. */
function corsOriginsOf({ compat, corsOrigins }: ExposureOptions, isOutside: boolean): readonly string[] {
  return corsOrigins.length === 0 && compat !== undefined && !isOutside ? ['*'] : corsOrigins
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
    return hasDevelopmentKeys && (options.compat === undefined || isPublic(options))
      ? `${flag} * lets any web page use this node and its development accounts, whose keys are published: name the origins, as in ${flag} https://app.example`
      : undefined
  }
  const wrong = origins.find((origin) => origin !== LOCAL_ORIGINS && !ORIGIN.test(origin))
  return wrong === undefined
    ? undefined
    : `${flag} ${wrong} is not an origin: write it as in https://app.example or http://localhost:3000, without a path; ${LOCAL_ORIGINS} allows all of this machine`
}

function namespaceRefusal(
  flag: string,
  names: readonly string[],
  options: ExposureOptions,
  { namespaces }: ExposureFacts,
): string | undefined {
  const unknown = names.find((name) => !namespaces.includes(name))
  if (unknown !== undefined) return `${flag}: unknown namespace ${unknown}; known: ${namespaces.join(', ')}`
  for (const guarded of isPublic(options) ? closedGroups(options) : []) {
    const dangerous = names.find((name) => guarded.names.includes(name))
    if (dangerous === undefined) continue
    const [reach, instead] = isLoopback(options.host)
      ? ['behind a proxy', 'omit --trust-proxy']
      : [`on ${options.host}`, 'listen on 127.0.0.1']
    return `${flag} ${dangerous} ${reach} lets every client ${guarded.danger}: leave it out, ${instead}, or add ${flagName(guarded.flag)}`
  }
  return undefined
}

/** Groups of namespaces that clients beyond this machine reach only with a flag that exposes them. */
function closedGroups(options: ExposureOptions): typeof GUARDED {
  return GUARDED.filter(({ flag }) => !options[flag])
}

/** No limit on loopback by default. */
export function rateLimitOf(
  { rateLimit, rateBurst }: Pick<ExposureOptions, 'rateLimit' | 'rateBurst'>,
  isOutside: boolean,
): ClientAccess['rateLimit'] {
  const rate = rateLimit ?? (isOutside ? DEFAULT_RATE : 0)
  return rate === 0 ? undefined : { rate, burst: rateBurst ?? rate * BURST_SECONDS }
}

/** Host and port of a listening socket, for URLs on this machine. */
export function authorityOf(host: string, port: number): string {
  // A client cannot connect to a wildcard address.
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
