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

/** Description of a method, from which the reference page, the OpenRPC document and the limits are derived. */
export interface MethodDescription {
  readonly name: string
  readonly summary: string
  readonly params: readonly ParameterDescription[]
  readonly result: JsonSchema
  /** Relative cost of a usual request; 1 reads one value. */
  readonly cost: number
  readonly example: MethodExample
  /** It can change what later items of a batch see. */
  readonly writes: boolean
}

/**
 * Descriptions of all methods, by name.
 *
 * @example describeMethods(METHODS).map(({ name, summary }) => `${name}: ${summary}`)
 */
export function describeMethods(methods: Iterable<MethodDescription>): readonly MethodDescription[] {
  return Array.from(methods, ({ name, summary, params, result, cost, example, writes }) => ({
    name,
    summary,
    params: params.map((parameter) => ({
      name: parameter.name,
      required: parameter.required,
      schema: parameter.schema,
    })),
    result,
    cost,
    example,
    writes,
  })).sort((a, b) => (a.name < b.name ? -1 : 1))
}
