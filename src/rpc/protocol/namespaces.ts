import type { RpcError } from './errors.ts'
import type { MethodDescription } from './method-description.ts'

/** Enabled namespaces; `all`: every one. */
export type Namespaces = readonly string[] | 'all'

/** @example namespaceOf('eth_call') // 'eth' */
export function namespaceOf(method: string): string {
  return method.split(/[_.]/, 1)[0]!
}

/** The namespaces of methods, in alphabetical order. */
export function namespacesOf(methods: Iterable<{ readonly name: string }>): string[] {
  return [...new Set(Array.from(methods, ({ name }) => namespaceOf(name)))].sort()
}

/** The methods enabled on a transport, as methods see them. */
export interface EnabledMethods {
  /** In alphabetical order. */
  readonly descriptions: readonly MethodDescription[]
  /** The error for an unknown name. */
  missing(name: string): RpcError
}
