import { type Codec, describe, InvalidValueError } from './codec.ts'

export const boolean: Codec<boolean> = {
  decode(json) {
    if (typeof json !== 'boolean') throw new InvalidValueError(`expected true or false, got ${describe(json)}`)
    return json
  },
  encode: (value) => value,
  schema: { type: 'boolean' },
}
