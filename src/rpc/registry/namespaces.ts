import type { RpcError } from '../errors.ts'
import type { MethodDescription } from './method-description.ts'

/** Namespaces of methods by which a transport is limited; `all`: every one there is. */
export type Namespaces = readonly string[] | 'all'

/** @example namespaceOf('eth_call') // 'eth' */
export function namespaceOf(method: string): string {
  return method.split(/[_.]/, 1)[0]!
}

/** Those of some methods, in alphabetical order. */
export function namespacesOf(methods: Iterable<{ readonly name: string }>): string[] {
  return [...new Set(Array.from(methods, ({ name }) => namespaceOf(name)))].sort()
}

/** The methods that one transport has, as methods see them. */
export interface EnabledMethods {
  /** In alphabetical order. */
  readonly descriptions: readonly MethodDescription[]
  /** What is answered to a name that is none of them. */
  missing(name: string): RpcError
}
