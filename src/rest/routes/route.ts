import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { Parameter } from '../http/parameter.ts'
import type { RestRequest, RestResponse } from '../http/rest-service.ts'
import type { Schema } from '../http/schema.ts'
import type { StatusName } from '../http/status.ts'
import { badQuery } from '../http/status.ts'
import type { Query } from '../http/target.ts'
import type { RestContext } from './rest-context.ts'

/** Descriptions of the groups of routes, by name. */
export const TAGS = {
  'Tokenized Stocks': 'Tokens of a chain and the contracts that they depend on.',
  About: 'Descriptions of this interface.',
} as const

/** Documentation of a route; the OpenAPI document and the reference pages derive from it. */
export interface RouteDescription {
  /** Parameters are in braces, each a whole segment. */
  readonly path: string
  readonly operationId: string
  readonly tag: keyof typeof TAGS
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Omit<Parameter<unknown>, 'read'>[]
  /** The response with status 200. */
  readonly response: {
    readonly description: string
    readonly contentType: string
    readonly schema: Schema
    readonly example: unknown
  }
  /** Errors by name, with their causes. */
  readonly errors: Readonly<Partial<Record<StatusName, string>>>
}

/** Makes the responses of a resource, which clients may share. */
export interface Responder {
  respond(request: RestRequest): MaybePromise<RestResponse>
}

type Values<P extends readonly Parameter<unknown>[]> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never
}

interface Definition<P extends readonly Parameter<unknown>[]> extends RouteDescription {
  readonly parameters: P
  /** Caches responses while their block is current: they depend on block, target and registry only. */
  readonly isCachedByBlock?: boolean
  handle(values: Values<P>, context: RestContext): MaybePromise<Responder>
}

/** A resource for GET and HEAD. */
export interface Route extends RouteDescription {
  readonly parameters: readonly Parameter<unknown>[]
  readonly isCachedByBlock: boolean
  /** @throws StatusError */
  handle(pathValues: ReadonlyMap<string, string>, query: Query, context: RestContext): MaybePromise<Responder>
}

/** @example defineRoute({ path: '/v1/things/{name}', parameters: [name], handle: ([name], context) => …, … }) */
export function defineRoute<const P extends readonly Parameter<unknown>[]>(definition: Definition<P>): Route {
  const { handle, isCachedByBlock = false, ...description } = definition
  const { parameters } = description
  const queryNames = parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name)
  return {
    ...description,
    isCachedByBlock,
    handle(pathValues, query, context) {
      refuseNearMisses(query, queryNames)
      const values = parameters.map((parameter) => {
        const { name } = parameter
        if (parameter.in === 'path') return parameter.read(pathValues.get(name))
        const given = query.get(name) ?? []
        if (given.length > 1) throw badQuery(name, 'is given more than once')
        return parameter.read(given[0])
      })
      // `map` preserves length and order of the tuple, which its type does not express.
      return handle(values as Values<P>, context)
    },
  }
}

/**
 * Unknown parameters are ignored, as gRPC gateways do: caches and trackers add their own. A misspelled name is refused,
 * because the response would silently be of another block or precision.
 *
 * @throws StatusError `invalidArgument`
 */
function refuseNearMisses(query: Query, known: readonly string[]): void {
  for (const name of query.keys()) {
    if (known.includes(name)) continue
    const meant = known.find((candidate) => isNearMiss(name, candidate))
    if (meant !== undefined) throw badQuery(name.slice(0, 40), `is not known; did you mean ${meant}?`)
  }
}

/** Names of fewer letters differ from many unrelated ones by a single letter, such as `to` from `t`. */
const MIN_MISSPELT_LENGTH = 3

/** The known name in another case, with more at its end, or with one letter added, missing, replaced, or swapped. */
function isNearMiss(name: string, known: string): boolean {
  const lower = name.toLowerCase()
  if (lower.startsWith(known)) return true
  if (known.length < MIN_MISSPELT_LENGTH) return false
  let start = 0
  while (start < known.length && lower[start] === known[start]) start++
  let end = 0
  const longest = Math.min(lower.length, known.length) - start
  while (end < longest && lower.at(-1 - end) === known.at(-1 - end)) end++
  const given = lower.slice(start, lower.length - end)
  const wanted = known.slice(start, known.length - end)
  if (given.length <= 1 && wanted.length <= 1) return true
  return given.length === 2 && wanted.length === 2 && given[0] === wanted[1] && given[1] === wanted[0]
}
