import { mapPacked } from '../../primitives/map-packed.ts'
import { isJsonObject, type Json, type JsonSchema } from '../json.ts'

/** How one noun of the wire is read, written and described. */
export interface Codec<T> {
  /** @throws InvalidValueError when the JSON is not one */
  decode(json: unknown): T
  encode(value: T): Json
  readonly schema: JsonSchema
}

/** What is wrong with an argument, and where in it. */
export class InvalidValueError extends Error {
  readonly code = 'INVALID_VALUE'
  override readonly name = 'InvalidValueError'
  /** Members and indexes from the argument down to the value, as in `topics[0][1]`. */
  readonly path: string

  constructor(reason: string, path = '') {
    super(reason)
    this.path = path
  }

  /** The text that follows `invalid argument N: `. */
  get text(): string {
    return this.path === '' ? this.message : `${this.path}: ${this.message}`
  }
}

/**
 * A list of the same noun.
 *
 * @param limit entries that are accepted; more is an InvalidValueError
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
  // Own members only: a request's `__proto__` or `constructor` is a name like any other.
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

/** Puts the place in front of the text of what goes wrong in `read`. */
export function within<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw placed(place, error)
  }
}

function placed(place: string, error: unknown): unknown {
  if (!(error instanceof InvalidValueError)) return error
  const glue = error.path === '' || error.path.startsWith('[') ? '' : '.'
  return new InvalidValueError(error.message, `${place}${glue}${error.path}`)
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
