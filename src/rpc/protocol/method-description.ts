import type { Json, JsonSchema } from './json.ts'

/** A positional parameter in documentation. */
export interface ParameterDescription {
  readonly name: string
  readonly required: boolean
  readonly schema: JsonSchema
}

/** An example request and its outcome; methods that are always refused have an error. */
export type MethodExample = { readonly params: readonly Json[] } & (
  | { readonly result: Json; readonly error?: never }
  | { readonly error: ExampleError; readonly result?: never }
)

type ExampleError = {
  readonly code: number
  readonly message: string
  readonly data?: Json
}

/** Examples by method. Other names of a method have none of their own. */
export type MethodExamples = Readonly<Record<string, MethodExample>>

/**
 * What a method can change: nothing, state that the node keeps for the client (filters, subscriptions), or the chain
 * with the pool and the settings of the node.
 */
export type MethodEffect = 'none' | 'client' | 'chain'

/** Description of a method, from which the reference page, the OpenRPC document and the limits are derived. */
export interface MethodDescription {
  readonly name: string
  readonly summary: string
  readonly params: readonly ParameterDescription[]
  readonly result: JsonSchema
  /** Relative cost of a usual request; 1 reads one value. */
  readonly cost: number
  /** It can change what later items of a batch see. */
  readonly writes: boolean
  readonly effect: MethodEffect
  /** Present on methods of development nodes. */
  readonly development?: {
    /** The method that it is another name of. */
    readonly aliasOf: string | undefined
  }
}
