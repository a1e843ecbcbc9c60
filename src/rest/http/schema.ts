/** A schema object of OpenAPI 3.0. */
export type Schema = Readonly<Record<string, unknown>>

export const ADDRESS_PATTERN = '^0x[a-fA-F0-9]{40}$'

export const ADDRESS_SCHEMA: Schema = { type: 'string', pattern: ADDRESS_PATTERN }

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

/** Members of the objects in a response's list, by name; empty if it has no list. */
export function listItemFields(schema: Schema): readonly (readonly [string, Schema])[] {
  const members = Object.values((schema.properties ?? {}) as Readonly<Record<string, Schema>>)
  const items = members.find(({ type }) => type === 'array')?.items as Schema | undefined
  return Object.entries((items?.properties ?? {}) as Readonly<Record<string, Schema>>)
}

/** A short description of a schema, such as `number (double)`. */
export function typeName({ type, format, nullable, items }: Schema): string {
  if (type === 'array') return `array of ${typeName(items as Schema)}`
  const name = format === undefined ? String(type) : `${type} (${format})`
  return nullable === true ? `${name} or null` : name
}
