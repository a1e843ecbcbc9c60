/** An address as `fetch` takes it, and the header that says what it held of a user and a password. */
export function withoutCredentials(url: string): { readonly target: URL; readonly authorization: string | undefined } {
  const target = new URL(url)
  const { username, password } = target
  target.username = ''
  target.password = ''
  const credentials = [username, password].map(unescaped).join(':')
  const basic = `Basic ${Buffer.from(credentials).toString('base64')}`
  return { target, authorization: username === '' ? undefined : basic }
}

/** A part of an address; as it is where its escapes are none. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
