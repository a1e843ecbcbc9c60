import { mapPacked } from '../../primitives/map-packed.ts'
import { isJsonObject, type Json, type JsonSchema } from '../protocol/json.ts'
import type { ValueLimits } from '../protocol/limits.ts'

/** Decodes, encodes and describes one type of the JSON-RPC interface. */
export interface Codec<T> {
  /**
   * Refuses a value that is too large, before it is decoded. Ignores values that `decode` refuses. Absent: the limits
   * of the text suffice.
   *
   * @throws RpcError
   */
  checkSize?(json: unknown, limits: ValueLimits): void
  /**
   * Refuses what the reproduced node refuses and go-ethereum accepts. Ignores values that `decode` refuses.
   *
   * @throws InvalidValueError
   */
  checkReproduced?(json: unknown): void
  /** @throws InvalidValueError */
  decode(json: unknown): T
  encode(value: T): Json
  readonly schema: JsonSchema
}

/** An invalid argument: the message and the path within it. */
export class InvalidValueError extends Error {
  readonly code = 'INVALID_VALUE'
  override readonly name = 'InvalidValueError'
  /** Path from the argument to the value, such as `topics[0][1]`. */
  readonly path: string

  constructor(reason: string, path = '') {
    super(reason)
    this.path = path
  }

  /** Text after `invalid argument N: `. */
  get text(): string {
    return this.path === '' ? this.message : `${this.path}: ${this.message}`
  }
}

/**
 * A list of values.
 *
 * @param limit entries at most; more throw InvalidValueError
 */
export function listOf<T>(codec: Codec<T>, limit: number): Codec<readonly T[]> {
  return {
    decode(json) {
      if (!Array.isArray(json)) throw new InvalidValueError(`expected an array, got ${describe(json)}`)
      if (json.length > limit) throw new InvalidValueError(`${json.length} entries, want at most ${limit}`)
      return mapPacked(json, (item, index) => {
        try {
          return codec.decode(item)
        } catch (error) {
          throw placed(`[${index}]`, error)
        }
      })
    },
    encode: (values) => values.map((value) => codec.encode(value)),
    schema: { type: 'array', items: codec.schema, maxItems: limit },
  }
}

/** A member of an object that may be missing or `null`. */
export function member<T>(object: Readonly<Record<string, unknown>>, name: string, codec: Codec<T>): T | undefined {
  const json = object[name]
  // Own members only, so that `__proto__` and `constructor` are ordinary names.
  if (json === undefined || json === null || !Object.hasOwn(object, name)) return undefined
  try {
    return codec.decode(json)
  } catch (error) {
    throw placed(name, error)
  }
}

/** @throws InvalidValueError unless it is an object */
export function jsonObject(json: unknown): Readonly<Record<string, unknown>> {
  if (!isJsonObject(json)) throw new InvalidValueError(`expected an object, got ${describe(json)}`)
  return json
}

/** Prefixes errors of `read` with a path. */
export function within<T>(path: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw placed(path, error)
  }
}

function placed(path: string, error: unknown): unknown {
  if (!(error instanceof InvalidValueError)) return error
  const glue = error.path === '' || error.path.startsWith('[') ? '' : '.'
  return new InvalidValueError(error.message, `${path}${glue}${error.path}`)
}

/** The kind of a JSON value, for messages. */
export function describe(json: unknown): string {
  if (json === null) return 'null'
  if (Array.isArray(json)) return 'an array'
  switch (typeof json) {
    case 'object':
      return 'an object'
    case 'string':
      return 'a string'
    case 'number':
      return 'a number'
    case 'boolean':
      return 'a boolean'
    default:
      return 'nothing'
  }
}
