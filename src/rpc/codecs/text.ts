import { type Codec, describe, InvalidValueError } from './codec.ts'

/** Any string. */
export const text: Codec<string> = {
  decode(json) {
    if (typeof json !== 'string') throw new InvalidValueError(`expected a string, got ${describe(json)}`)
    return json
  },
  encode: (value) => value,
  schema: { type: 'string' },
}

/** A URL of http or https. */
export const httpAddress: Codec<string> = {
  decode(json) {
    const url = typeof json === 'string' && URL.canParse(json) ? new URL(json) : undefined
    if (url?.protocol === 'http:' || url?.protocol === 'https:') return json as string
    // The value may have a key.
    throw new InvalidValueError('expected a URL that begins with http:// or https://')
  },
  encode: (value) => value,
  schema: { type: 'string', pattern: '^https?://' },
}
