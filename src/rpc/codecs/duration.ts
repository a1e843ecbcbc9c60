import { type Codec, describe, InvalidValueError } from './codec.ts'

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Milliseconds, written as Go writes durations: `300ms`, `1.5s`, `1m30s`. */
export const duration: Codec<number> = {
  decode(json) {
    if (typeof json !== 'string') throw new InvalidValueError(`expected a duration in a string, got ${describe(json)}`)
    if (json === '0') return 0
    const milliseconds = json.length > 100 ? undefined : sumOfParts(json)
    if (milliseconds === undefined) {
      throw new InvalidValueError(`invalid duration "${json.slice(0, 100)}", want one like "300ms", "5s" or "1m30s"`)
    }
    return milliseconds
  },
  encode: (value) => `${value}ms`,
  schema: { type: 'string', title: 'duration as in 300ms, 5s or 1m30s' },
}

function sumOfParts(text: string): number | undefined {
  let milliseconds = 0
  let at = 0
  while (at < text.length) {
    PART.lastIndex = at
    const part = PART.exec(text)
    if (part === null) return undefined
    milliseconds += Number(part[1]) * UNITS[part[2]!]!
    at = PART.lastIndex
  }
  return at === 0 ? undefined : milliseconds
}
