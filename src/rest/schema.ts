/** A schema object of OpenAPI 3.0. */
export type Schema = Readonly<Record<string, unknown>>

/** Contract: the path parameter's pattern. */
export const ADDRESS_PATTERN = '^0x[a-fA-F0-9]{40}$'

export const ADDRESS_SCHEMA: Schema = { type: 'string', pattern: ADDRESS_PATTERN }

/** Contract: `rpcStatus`, with `protobufAny` in it. */
export const RPC_STATUS_SCHEMA: Schema = {
  type: 'object',
  properties: {
    code: { type: 'integer', format: 'int32', description: 'a gRPC status code' },
    message: { type: 'string', description: 'what went wrong, and what to do' },
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

const EXACT_DECIMAL: Schema = { type: 'string', pattern: '^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$' }

/** A number, or with `exact=true` all its digits in a string. */
export function amountSchema(description: string): Schema {
  return { description, oneOf: [{ type: 'number', format: 'double' }, EXACT_DECIMAL] }
}
