/** A JSON value; members that are `undefined` are omitted. */
export type Json = null | boolean | number | string | readonly Json[] | JsonRecord
export interface JsonRecord {
  readonly [member: string]: Json | undefined
}

/** A JSON Schema, as the OpenRPC document carries it. */
export type JsonSchema = JsonRecord

/** Whether a parsed value is an object: neither `null` nor an array. */
export function isJsonObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
