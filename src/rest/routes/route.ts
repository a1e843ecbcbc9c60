import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import type { Parameter } from '../http/parameter.ts'
import type { Representation } from '../http/representation.ts'
import type { Schema } from '../http/schema.ts'
import type { StatusName } from '../http/status.ts'
import { badQuery } from '../http/status.ts'
import type { Query } from '../http/target.ts'
import type { RestContext } from './rest-context.ts'

/** Documentation of a route; the OpenAPI document and the reference pages derive from it. */
export interface RouteDescription {
  /** Parameters are in braces, each a whole segment. */
  readonly path: string
  readonly operationId: string
  readonly tag: string
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

type Values<P extends readonly Parameter<unknown>[]> = {
  readonly [K in keyof P]: P[K] extends Parameter<infer T> ? T : never
}

interface Definition<P extends readonly Parameter<unknown>[]> extends RouteDescription {
  readonly parameters: P
  /** Caches responses while their block is current: they depend on block, target and registry only. */
  readonly isCachedByBlock?: boolean
  handle(values: Values<P>, context: RestContext): MaybePromise<Representation>
}

/** A resource for GET and HEAD. */
export interface Route extends RouteDescription {
  readonly parameters: readonly Parameter<unknown>[]
  readonly isCachedByBlock: boolean
  /** @throws StatusError */
  handle(pathValues: ReadonlyMap<string, string>, query: Query, context: RestContext): MaybePromise<Representation>
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
      const unknown = [...query.keys()].find((name) => !queryNames.includes(name))
      if (unknown !== undefined) throw badQuery(unknown.slice(0, 40), unknownText(queryNames))
      const values = parameters.map((parameter) => {
        const from = parameter.in === 'path' ? pathValues : query
        return parameter.read(from.get(parameter.name))
      })
      // `map` preserves length and order of the tuple, which its type does not express.
      return handle(values as Values<P>, context)
    },
  }
}

function unknownText(names: readonly string[]): string {
  return names.length === 0
    ? 'this path takes no query parameters'
    : `is not known; this path takes ${names.join(', ')}`
}
