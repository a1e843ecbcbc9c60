/** A pair of an element of `Forwarded` (RFC 7239, section 4), with its end; both may be missing. */
const PAIR = /[ \t]*(?:([\w!#$%&'*+.^`|~-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s;,"\\]+)))?[ \t]*([;,]|$)/y

/**
 * The `for` of each element of `Forwarded`, without quotes; '' where it is missing. Separators inside quotes do not
 * separate. Addresses need no quotes, unlike in the RFC.
 *
 * @returns `undefined`: malformed
 */
export function forwardedFor(header: string): readonly string[] | undefined {
  const found: string[] = []
  let element: Map<string, string> = new Map()
  PAIR.lastIndex = 0
  for (;;) {
    const match = PAIR.exec(header)
    if (match === null) return undefined
    const [, name, quoted, plain = '', end] = match
    if (name !== undefined) {
      if (element.has(name.toLowerCase())) return undefined
      element.set(name.toLowerCase(), quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'))
    }
    if (end === ';') continue
    if (element.size > 0) found.push(element.get('for') ?? '')
    if (end !== ',') return found
    element = new Map()
  }
}
