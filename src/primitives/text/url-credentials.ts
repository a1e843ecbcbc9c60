/** Splits user and password off a URL, which `fetch` refuses, into an `Authorization` header. */
export function withoutCredentials(url: string): { readonly target: URL; readonly authorization: string | undefined } {
  const target = new URL(url)
  const { username, password } = target
  target.username = ''
  target.password = ''
  const credentials = [username, password].map(unescaped).join(':')
  // By functions that browsers have: the studio imports this file.
  const basic = `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(credentials)))}`
  return { target, authorization: username === '' ? undefined : basic }
}

/**
 * A URL as it may appear in messages and logs: without credentials, path and query, which may be keys.
 *
 * @example redactedUrl('https://user:pass@node.example/v2/key') // 'https://node.example/…'
 */
export function redactedUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url)
  return `${protocol}//${host}${pathname === '/' && search === '' ? '' : '/…'}`
}

/**
 * As `redactedUrl`, with the words of the path: for the peers of the replica stream, whose path says what they serve.
 *
 * @example peerName('ws://user:pass@node/replica?key=k') // 'ws://node/replica'
 */
export function peerName(url: string): string {
  const { protocol, host, pathname } = new URL(url)
  return `${protocol}//${host}${pathname.replace(/[^/]+/g, (part) => (part.length < MIN_KEY ? part : '…'))}`
}

/** A message that quotes values of flags, with URLs among them redacted. */
export function withRedactedUrls(message: string): string {
  return message.replace(/'([a-z][a-z0-9+.-]*:\/\/[^']*)'/gi, (_, url) =>
    URL.canParse(url) ? `'${redactedUrl(url)}'` : "'…'",
  )
}

/** Parts of this length may be keys; shorter ones are words like `v2` or `mainnet`. */
const MIN_KEY = 8

/** The parts of a URL that may be keys: credentials, long path segments, values of the query. */
export function secretsOf(url: string): readonly string[] {
  const { username, password, pathname, searchParams } = new URL(url)
  const segments = pathname.split('/').filter(({ length }) => length >= MIN_KEY)
  const parts = [username, password, ...segments, ...searchParams.values()]
  return [...new Set(parts.flatMap((part) => [part, unescaped(part)]))].filter((part) => part !== '')
}

/** Decodes percent escapes; invalid ones stay as they are. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
