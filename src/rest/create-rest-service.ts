import { damagedTableOf } from '../node/core/damaged-data.ts'
import type { Address } from '../primitives/hex.ts'
import { catchMaybe, type MaybePromise } from '../primitives/maybe-promise.ts'
import { CurrentResponses } from './current-responses.ts'
import { CORS_HEADERS, type Content, digestOf, Representation } from './http/representation.ts'
import type { RestRequest, RestResponse, RestService } from './http/rest-service.ts'
import { rpcStatus, STATUS, StatusError } from './http/status.ts'
import { checkEscapes, matchPath, pathOf, queryOf } from './http/target.ts'
import { openApiDocument } from './open-api.ts'
import { REVALIDATE, type RestContext } from './routes/rest-context.ts'
import type { Route } from './routes/route.ts'
import { ROUTES } from './routes/routes.ts'
import { BlockOrigin, type SealedEvents } from './stock-events/block-origin.ts'
import type { EventLog } from './stock-events/change-origin.ts'
import { type RecordedEvents, RecordOrigin } from './stock-events/record-origin.ts'
import { StockEventHub } from './stock-events/stock-event-hub.ts'
import { BlockCache, type OnLookup } from './tokenized-stocks/block-cache.ts'
import { chainEntry } from './tokenized-stocks/chain-entry.ts'
import type { ChainSource } from './tokenized-stocks/chain-source.ts'
import { ListingDates } from './tokenized-stocks/listing-dates.ts'
import { isForkFailure } from './tokenized-stocks/node-logs.ts'
import { EMPTY_REGISTRY, type Registry } from './tokenized-stocks/registry.ts'

export interface RestOptions {
  /** Name of the chain in the response of `/v1/tokenized-stocks/chains`. */
  readonly chain: string
  /** Factory whose stocks are listed. Default: none. */
  readonly factory?: Address | undefined
  /** Policies of stocks. Default: none. */
  readonly policyRegistry?: Address | undefined
  /** Supplies and responses cached per block. Default: 1,000. */
  readonly maxCached?: number
}

export interface RestDeps {
  readonly source: ChainSource
  /** The current registry. Default: an empty one. */
  readonly registry?: () => Registry
  readonly log: EventLog
  /** Makes the page at `/docs`; called again after a failure. */
  readonly readReference: () => Promise<Content>
  readonly onLookup?: OnLookup
  /** The node whose records, or sealed blocks, give the events. Default: there are none. */
  readonly events?: RecordedEvents | SealedEvents
  /** Milliseconds on the monotonic clock. Default: that of the process. */
  readonly now?: () => number
}

/** Blocks with cached values. */
const MAX_BLOCKS = 8
const MAX_CACHED = 1_000
/** Responses with lists per block: pages, without and with exact amounts. */
const MAX_CACHED_LISTS = 8
/** Lists per block: before and after a change of the registry. */
const MAX_CACHED_LISTINGS = 2
const PATHS = ROUTES.map((route) => ({ route, pattern: route.path.split('/') }))

/** The REST interface for a chain source. */
export function createRestService(options: RestOptions, deps: RestDeps): RestService {
  const { source, registry = () => EMPTY_REGISTRY, log, onLookup, now = () => performance.now() } = deps
  const { chain, factory, policyRegistry, maxCached = MAX_CACHED } = options
  const context: RestContext = {
    source,
    registry,
    factory,
    chains: [chainEntry(source.chainId, chain, { factory, policyRegistry })],
    supplies: new BlockCache({ maxBlocks: MAX_BLOCKS, maxPerBlock: maxCached }, { onLookup }),
    lists: new BlockCache({ maxBlocks: MAX_BLOCKS, maxPerBlock: MAX_CACHED_LISTS }, { onLookup }),
    listings: new BlockCache({ maxBlocks: MAX_BLOCKS, maxPerBlock: MAX_CACHED_LISTINGS }),
    dates: new ListingDates({ source, now }),
    events: deps.events && eventHub(options, { ...deps, events: deps.events, registry }),
    openApi: once(openApiRepresentation),
    referencePage: referenceOf(deps),
  }
  const cache = new CurrentResponses({ maxResponses: maxCached }, { source, registry })
  return {
    handle(request) {
      return catchMaybe(
        () => {
          const cached = cache.get(request)
          if (cached !== undefined) onLookup?.('hit')
          return cached?.respond(request) ?? route(request, context, cache)
        },
        (error) => failureResponse(request, error, log),
      )
    },
  }
}

function eventHub(
  { factory }: RestOptions,
  { events, source, registry, log }: Required<Pick<RestDeps, 'events' | 'source' | 'registry' | 'log'>>,
): StockEventHub {
  const origin =
    'node' in events
      ? new RecordOrigin({ factory }, { ...events, source, log })
      : new BlockOrigin({ factory }, { ...events, source, log })
  return new StockEventHub({ origin, registry, log })
}

function openApiRepresentation(): Representation {
  const body = JSON.stringify(openApiDocument(ROUTES))
  return new Representation({ type: 'application/json', body, tag: digestOf(body), cacheControl: REVALIDATE })
}

/** The page, made by its first request and kept. */
function referenceOf({ readReference }: RestDeps): () => Promise<Representation> {
  let made: Promise<Representation> | undefined
  return () => {
    made ??= readReference().then(
      (content) => new Representation(content),
      (error: unknown) => {
        made = undefined
        throw error
      },
    )
    return made
  }
}

/** The result of the first call, from then on. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

function route(request: RestRequest, context: RestContext, cache: CurrentResponses): MaybePromise<RestResponse> {
  const { method } = request
  const found = find(pathOf(request.target))
  if (method === 'OPTIONS' && request.header('origin') !== undefined) return PREFLIGHT
  if (!METHODS.includes(method)) {
    throw new StatusError('methodNotAllowed', 'Method Not Allowed: this resource is read with GET')
  }
  const query = queryOf(request.target)
  const outcome = found.route.handle(found.values, query, context)
  if (!(outcome instanceof Promise)) return outcome.respond(request)
  return outcome.then((representation) => {
    if (found.route.isCachedByBlock && representation instanceof Representation)
      cache.set(request.target, query, representation)
    return representation.respond(request)
  })
}

/** @throws StatusError */
function find(path: string): { readonly route: Route; readonly values: ReadonlyMap<string, string> } {
  const found = routeAt(path)
  if (found !== undefined) return found
  checkEscapes(path)
  if (path.endsWith('/') && routeAt(path.slice(0, -1)) !== undefined) {
    throw new StatusError('notFound', 'Not Found: leave out the slash at the end of the path')
  }
  throw new StatusError('notFound', 'Not Found: /docs shows what there is')
}

function routeAt(path: string): { readonly route: Route; readonly values: ReadonlyMap<string, string> } | undefined {
  for (const { route, pattern } of PATHS) {
    const values = matchPath(pattern, path)
    if (values !== undefined) return { route, values }
  }
  return undefined
}

const DAMAGED = 'the database of this node is damaged here: ask another node'

function failureResponse(request: RestRequest, error: unknown, log: RestDeps['log']): RestResponse {
  if (error instanceof StatusError) return errorResponse(error)
  const table = damagedTableOf(error)
  if (table !== undefined) return errorResponse(new StatusError('unavailable', DAMAGED))
  if (isForkFailure(error)) return errorResponse(new StatusError('unavailable', error.message))
  log.error({ err: error, requestId: request.id, path: request.target }, 'a REST request failed')
  return errorResponse(new StatusError('internal', 'internal error'))
}

/** Methods of a resource besides OPTIONS. */
const METHODS: readonly string[] = ['GET', 'HEAD']
const ALLOW = [...METHODS, 'OPTIONS'].join(', ')

/** The response for an error: `rpcStatus` in the body. */
function errorResponse({ code, message, details }: StatusError): RestResponse {
  return {
    status: STATUS[code].http,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...CORS_HEADERS,
      'x-content-type-options': 'nosniff',
      ...(code === 'methodNotAllowed' && { allow: ALLOW }),
      ...(code === 'unavailable' && { 'retry-after': '1' }),
    },
    body: JSON.stringify(rpcStatus(code, message, details)),
  }
}

/** Response to a CORS preflight (Fetch standard): any web origin may read. */
const PREFLIGHT: RestResponse = {
  status: 204,
  headers: {
    allow: ALLOW,
    ...CORS_HEADERS,
    'access-control-allow-methods': ALLOW,
    'access-control-allow-headers': 'accept, content-type, if-none-match, last-event-id, x-request-id',
    'access-control-max-age': '600',
  },
  body: '',
}
