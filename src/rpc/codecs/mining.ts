import { toQuantity } from '../../primitives/quantity.ts'
import type { Json } from '../protocol/json.ts'
import { type Codec, describe, InvalidValueError, member } from './codec.ts'
import { flexibleNumber, flexibleQuantity64 } from './quantity.ts'

/** Blocks to mine, and the timestamp of the first. */
export interface MineOptions {
  readonly timestamp: bigint | undefined
  readonly blocks: number
}

/** A timestamp, or an object with a timestamp and a number of blocks (Anvil). */
export const mineOptions: Codec<MineOptions> = {
  decode(json) {
    if (typeof json !== 'object' || json === null || Array.isArray(json)) {
      return { timestamp: flexibleQuantity64.decode(json), blocks: 1 }
    }
    const object = json as Readonly<Record<string, unknown>>
    const unknown = Object.keys(object).find((name) => name !== 'timestamp' && name !== 'blocks')
    if (unknown !== undefined) throw new InvalidValueError(`unknown member ${JSON.stringify(unknown.slice(0, 50))}`)
    return {
      timestamp: member(object, 'timestamp', flexibleQuantity64),
      blocks: member(object, 'blocks', flexibleNumber) ?? 1,
    }
  },
  encode: ({ timestamp, blocks }): Json => ({
    ...(timestamp !== undefined && { timestamp: toQuantity(timestamp) }),
    blocks,
  }),
  schema: {
    title: 'a timestamp in Unix seconds, or an object with timestamp and blocks',
    oneOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string' },
      { type: 'object', properties: { timestamp: flexibleQuantity64.schema, blocks: flexibleNumber.schema } },
    ],
  },
}

/** As `mineOptions`, only a timestamp (Hardhat). */
export const mineTimestamp: Codec<MineOptions> = {
  decode: (json) => ({ timestamp: flexibleQuantity64.decode(json), blocks: 1 }),
  encode: ({ timestamp = 0n }) => toQuantity(timestamp),
  schema: flexibleQuantity64.schema,
}

/** A duration or the bounds of a random one. */
export interface DurationRange {
  readonly min: number
  readonly max: number
}

/** A whole number. */
export const fixedDuration: Codec<DurationRange> = {
  decode(json) {
    const value = flexibleNumber.decode(json)
    return { min: value, max: value }
  },
  encode: ({ max }) => max,
  schema: flexibleNumber.schema,
}

/** A whole number, or an array of a minimum and a maximum. */
export const durationRange: Codec<DurationRange> = {
  decode(json) {
    if (!Array.isArray(json)) return fixedDuration.decode(json)
    if (json.length !== 2) throw new InvalidValueError(`expected [minimum, maximum], got ${describe(json)}`)
    const [min, max] = json.map((item) => flexibleNumber.decode(item)) as [number, number]
    if (min > max) throw new InvalidValueError(`the minimum ${min} exceeds the maximum ${max}`)
    return { min, max }
  },
  encode: ({ min, max }) => (min === max ? min : [min, max]),
  schema: {
    title: 'a number, or an array of a minimum and a maximum',
    oneOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string' },
      { type: 'array', items: flexibleNumber.schema, maxItems: 2 },
    ],
  },
}
