import type { Address } from '../primitives/hex.ts'
import { BlockCache, type OnLookup } from './block-cache.ts'
import { KeptAnswers } from './kept-answers.ts'
import { openApiDocument } from './open-api.ts'
import { referencePageContent } from './reference-page.ts'
import { METHODS, PREFLIGHT, refusal } from './refusals.ts'
import { Representation } from './representation.ts'
import { REVALIDATE, type RestContext } from './rest-context.ts'
import type { RestAnswer, RestRequest, RestService } from './rest-service.ts'
import type { Route } from './route.ts'
import { ROUTES } from './routes.ts'
import { StatusError } from './status.ts'
import { digestOf } from './tag.ts'
import { checkEscapes, matchPath, pathOf, queryOf } from './target.ts'
import { chainRecord } from './tokenized-stocks/chain-record.ts'
import type { ChainSource } from './tokenized-stocks/chain-source.ts'
import { EMPTY_REGISTRY, type Registry } from './tokenized-stocks/registry.ts'

export interface RestOptions {
  /** Name of the chain, as `chains` says it. */
  readonly chain: string
  /** Whose stocks are listed; none where it is left out. */
  readonly factory?: Address | undefined
  /** Supplies, and answers, that are kept of one block. */
  readonly maxKept?: number
}

export interface RestParts {
  readonly source: ChainSource
  /** What is listed by name now; nothing where it is left out. */
  readonly registry?: () => Registry
  readonly log: { error(details: object, message: string): void }
  readonly onLookup?: OnLookup
}

/** Blocks of which something is kept. */
const MAX_BLOCKS = 8
const MAX_KEPT = 1_000
/** Lists of a block: one in doubles and one in exact decimals, twice while the registry changes. */
const MAX_KEPT_LISTS = 4
const PATHS = ROUTES.map((route) => ({ route, pattern: route.path.split('/') }))

/** The REST interface on a chain, wherever that is read from. */
export function createRestService(options: RestOptions, parts: RestParts): RestService {
  const { source, registry = () => EMPTY_REGISTRY, log, onLookup } = parts
  const { chain, factory, maxKept = MAX_KEPT } = options
  const document = JSON.stringify(openApiDocument(ROUTES))
  const context: RestContext = {
    source,
    registry,
    factory,
    chains: [chainRecord(source.chainId, chain, factory)],
    supplies: new BlockCache({ maxBlocks: MAX_BLOCKS, maxPerBlock: maxKept }, { onLookup }),
    lists: new BlockCache({ maxBlocks: MAX_BLOCKS, maxPerBlock: MAX_KEPT_LISTS }, { onLookup }),
    openApi: new Representation({
      type: 'application/json',
      body: document,
      tag: digestOf(document),
      cacheControl: REVALIDATE,
    }),
    referencePage: new Representation(referencePageContent(ROUTES)),
  }
  const kept = new KeptAnswers({ maxAnswers: maxKept }, { source, registry })
  return {
    answer(request) {
      try {
        const known = kept.get(request)
        if (known !== undefined) onLookup?.('hit')
        const outcome = known?.answer(request) ?? route(request, context, kept)
        return outcome instanceof Promise ? outcome.catch((error: unknown) => refusalOf(request, error, log)) : outcome
      } catch (error) {
        return refusalOf(request, error, log)
      }
    },
  }
}

function route(request: RestRequest, context: RestContext, kept: KeptAnswers): RestAnswer | Promise<RestAnswer> {
  const { method } = request
  const found = find(pathOf(request.target))
  if (method === 'OPTIONS' && request.header('origin') !== undefined) return PREFLIGHT
  if (!METHODS.includes(method)) {
    throw new StatusError('methodNotAllowed', 'Method Not Allowed: this resource is read with GET')
  }
  const query = queryOf(request.target)
  const outcome = found.route.handle(found.values, query, context)
  if (!(outcome instanceof Promise)) return outcome.answer(request)
  return outcome.then((representation) => {
    if (found.route.isOfBlock) kept.keep(request.target, query, representation)
    return representation.answer(request)
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

function refusalOf(request: RestRequest, error: unknown, log: RestParts['log']): RestAnswer {
  if (error instanceof StatusError) return refusal(error)
  log.error({ err: error, requestId: request.id, path: request.target }, 'a REST request failed')
  return refusal(new StatusError('internal', 'internal error'))
}
