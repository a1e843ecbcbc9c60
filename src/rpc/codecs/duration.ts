import { type Codec, describe, InvalidValueError } from './codec.ts'

/** Nanoseconds. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  μs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3_600e9,
}
const NANOSECONDS_PER_MILLISECOND = 1e6
/** Up to here whole nanoseconds map one to one to milliseconds. */
export const MAX_DURATION_HOURS = 240
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y

/** Milliseconds in Go's notation: `300ms`, `1.5s`, `1m30s`. Fractions of a nanosecond are ignored, as in Go. */
export const duration: Codec<number> = {
  decode(json) {
    if (typeof json !== 'string') throw new InvalidValueError(`expected a duration in a string, got ${describe(json)}`)
    if (json === '0') return 0
    const nanoseconds = json.length > 100 ? undefined : sumOfParts(json)
    if (nanoseconds === undefined) {
      throw new InvalidValueError(`invalid duration "${json.slice(0, 100)}", want one like "300ms", "5s" or "1m30s"`)
    }
    if (nanoseconds > MAX_DURATION_HOURS * UNITS.h!) {
      throw new InvalidValueError(`duration ${json} is too long, want at most ${MAX_DURATION_HOURS}h`)
    }
    return Math.floor(nanoseconds) / NANOSECONDS_PER_MILLISECOND
  },
  encode: (value) => `${Math.round(value * NANOSECONDS_PER_MILLISECOND)}ns`,
  schema: { type: 'string', title: 'duration as in 300ms, 5s or 1m30s' },
}

function sumOfParts(text: string): number | undefined {
  let nanoseconds = 0
  let at = 0
  while (at < text.length) {
    PART.lastIndex = at
    const part = PART.exec(text)
    if (part === null) return undefined
    nanoseconds += Number(part[1]) * UNITS[part[2]!]!
    at = PART.lastIndex
  }
  return at === 0 ? undefined : nanoseconds
}
