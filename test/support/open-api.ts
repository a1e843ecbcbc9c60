type Schema = Readonly<Record<string, unknown>>

export interface OpenApiParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly schema: Schema
  readonly example: string
}

export interface OpenApiResponse {
  readonly description: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
}

export interface OpenApiOperation {
  readonly operationId: string
  readonly responses: Readonly<Record<string, OpenApiResponse>>
}

export type OpenApiPath = { readonly parameters: readonly OpenApiParameter[] } & Readonly<
  Partial<Record<'get' | 'head', OpenApiOperation>>
>

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, OpenApiPath>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/** Converts an OpenAPI 3.0 schema to JSON Schema: references resolved, `nullable` expanded, descriptions removed. */
export function plainSchema(document: OpenApiDocument, schema: unknown): Schema {
  const { $ref, nullable, description: _, format: __, example: ___, ...rest } = schema as Schema
  if (typeof $ref === 'string') return plainSchema(document, document.components.schemas[$ref.split('/').at(-1)!])
  const plain = Object.fromEntries(
    Object.entries(rest).map(([keyword, rule]) => [keyword, plainRule(document, keyword, rule)]),
  )
  return nullable === true ? { anyOf: [plain, { type: 'null' }] } : plain
}

function plainRule(document: OpenApiDocument, keyword: string, rule: unknown): unknown {
  switch (keyword) {
    case 'items':
      return plainSchema(document, rule)
    case 'oneOf':
    case 'anyOf':
      return (rule as unknown[]).map((one) => plainSchema(document, one))
    case 'properties':
      return Object.fromEntries(
        Object.entries(rule as Schema).map(([name, schema]) => [name, plainSchema(document, schema)]),
      )
    default:
      return rule
  }
}
