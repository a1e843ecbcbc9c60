import { badQuery, StatusError } from './status.ts'

/** Decoded values of query parameters, in the order of the target. */
export type Query = ReadonlyMap<string, readonly string[]>

/** The path of a request target, percent-encoded. */
export function pathOf(target: string): string {
  const end = target.indexOf('?')
  return end === -1 ? target : target.slice(0, end)
}

/** @throws StatusError `invalidArgument` for invalid percent-encoding */
export function queryOf(target: string): Query {
  const end = target.indexOf('?')
  return end === -1 ? NO_QUERY : parseQuery(target.slice(end + 1))
}

/** @throws StatusError `invalidArgument` */
function decodeSegment(segment: string): string {
  return decode(segment) ?? refuseEscapes()
}

/** The decoded parameters of a path that matches a route's pattern; `undefined` if it does not match. */
export function matchPath(pattern: readonly string[], path: string): ReadonlyMap<string, string> | undefined {
  const segments = path.split('/')
  if (segments.length !== pattern.length) return undefined
  const values = new Map<string, string>()
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index]!
    if (expected.startsWith('{') && segment !== '') values.set(expected.slice(1, -1), segment)
    else if (expected !== segment) return undefined
  }
  for (const [name, segment] of values) values.set(name, decodeSegment(segment))
  return values
}

/** @throws StatusError `invalidArgument` for invalid percent-encoding */
export function checkEscapes(path: string): void {
  if (decode(path) === undefined) refuseEscapes()
}

const NO_QUERY: Query = new Map()

function parseQuery(text: string): Query {
  const query = new Map<string, string[]>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const name = decode(spaced(equals === -1 ? pair : pair.slice(0, equals)))
    const value = decode(spaced(equals === -1 ? '' : pair.slice(equals + 1)))
    if (name === undefined || value === undefined) {
      throw badQuery((name ?? pair).slice(0, 40), 'is not valid: check its % escapes')
    }
    const values = query.get(name)
    if (values === undefined) query.set(name, [value])
    else values.push(value)
  }
  return query
}

/** Form encoding: a plus is a space. */
function spaced(text: string): string {
  return text.replaceAll('+', ' ')
}

function decode(text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

function refuseEscapes(): never {
  throw new StatusError('invalidArgument', 'the path is not valid: check its % escapes')
}
