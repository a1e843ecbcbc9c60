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
