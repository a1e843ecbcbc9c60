/** A schema object of OpenAPI 3.0. */
export type Schema = Readonly<Record<string, unknown>>

export const ADDRESS_PATTERN = '^0x[a-fA-F0-9]{40}$'

export const ADDRESS_SCHEMA: Schema = { type: 'string', pattern: ADDRESS_PATTERN }

export const HASH_SCHEMA: Schema = { type: 'string', pattern: '^0x[0-9a-f]{64}$' }

/** The error body: `rpcStatus` with `protobufAny` details, as a gRPC gateway renders it. */
export const RPC_STATUS_SCHEMA: Schema = {
  type: 'object',
  properties: {
    code: { type: 'integer', format: 'int32', description: 'gRPC status code' },
    message: { type: 'string', description: 'what went wrong and what to do' },
    details: {
      type: 'array',
      items: {
        type: 'object',
        properties: { '@type': { type: 'string' } },
        required: ['@type'],
        additionalProperties: true,
      },
    },
  },
  required: ['code', 'message', 'details'],
  additionalProperties: false,
}

/** The nearest double to an amount. */
export const DOUBLE_SCHEMA: Schema = { type: 'number', format: 'double' }

/** All digits of an amount, as text. */
export const EXACT_DECIMAL_SCHEMA: Schema = { type: 'string', pattern: '^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$' }

/** Members of a record, or of the records in a response's first list, by name. */
export function recordFields(schema: Schema): readonly (readonly [string, Schema])[] {
  const members = Object.entries((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  const [, first] = members[0] ?? []
  return first?.type === 'array' ? recordFields(first.items as Schema) : members
}

/** A short description of a schema, such as `number (double)`. */
export function typeName({ type, format, nullable, items }: Schema): string {
  if (type === 'array') return `array of ${typeName(items as Schema)}`
  const name = format === undefined ? String(type) : `${type} (${format})`
  return nullable === true ? `${name} or null` : name
}
