import type { JsonSchema } from '../../rpc/protocol/json.ts'

type Members = Readonly<Record<string, JsonSchema>>

export const TEXT: JsonSchema = { type: 'string' }
export const WHOLE: JsonSchema = { type: 'integer' }
export const REAL_NUMBER: JsonSchema = { type: 'number' }
export const FLAG: JsonSchema = { type: 'boolean' }
export const OBJECT: JsonSchema = { type: 'object' }
export const HEX: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]*$' }
export const TIME: JsonSchema = { type: 'string', description: 'UTC in ISO 8601, as in 2035-01-01T00:00:00Z' }
export const DECIMAL: JsonSchema = { type: 'string', pattern: '^-?[0-9]+(\\.[0-9]+)?$', description: 'exact decimal' }

/** An object with these members only. */
export function record(required: Members, optional: Members = {}): JsonSchema {
  return {
    type: 'object',
    properties: { ...required, ...optional },
    required: Object.keys(required),
    additionalProperties: false,
  }
}

/** An object with any names, whose values have this schema. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values }
}

export function either(...schemas: readonly JsonSchema[]): JsonSchema {
  return { anyOf: [...schemas] }
}

/** What a failed command prints: the code is stable, the message is for people. */
export const FAILURE: JsonSchema = record({
  error: { type: 'object', properties: { code: TEXT, message: TEXT }, required: ['code', 'message'] },
})
