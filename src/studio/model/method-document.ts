/** A method in a document of `rpc.discover`. */
export interface MethodDocument {
  readonly name: string
  readonly summary: string
  readonly params: readonly {
    readonly name: string
    readonly isRequired: boolean
    readonly type: string
    readonly schema: unknown
  }[]
  /** Schema of its result; `undefined` without one. */
  readonly result: unknown
  /** Schemas that others refer to, by name. */
  readonly definitions: unknown
  /** Parameters of its example; an empty list without one. */
  readonly example: readonly unknown[]
}

type Members = Readonly<Record<string, unknown>>

/** The methods of an OpenRPC document in the order of their names. */
export function methodDocuments(document: unknown): readonly MethodDocument[] {
  const { methods, components } = membersOf(document)
  const definitions = membersOf(components).schemas
  return listOf(methods)
    .map(membersOf)
    .filter(({ name }) => typeof name === 'string')
    .map((method) => ({
      name: String(method.name),
      summary: typeof method.summary === 'string' ? method.summary : '',
      params: listOf(method.params).map((param) => {
        const { name, required, schema } = membersOf(param)
        return { name: String(name), isRequired: required === true, type: typeOf(schema), schema }
      }),
      result: membersOf(method.result).schema,
      definitions,
      example: exampleOf(method),
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

function exampleOf({ examples }: Members): readonly unknown[] {
  const [first] = listOf(examples)
  return listOf(membersOf(first).params).map((param) => membersOf(param).value)
}

function typeOf(schema: unknown): string {
  const { title, type, enum: values, $ref } = membersOf(schema)
  if (typeof title === 'string') return title
  if (Array.isArray(values)) return values.map(String).join(' | ')
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!
  return typeof type === 'string' ? type : 'any'
}

function membersOf(json: unknown): Members {
  return json !== null && typeof json === 'object' ? (json as Members) : {}
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json : []
}
