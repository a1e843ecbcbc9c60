/** Splits user and password off a URL, which `fetch` refuses, into an `Authorization` header. */
export function withoutCredentials(url: string): { readonly target: URL; readonly authorization: string | undefined } {
  const target = new URL(url)
  const { username, password } = target
  target.username = ''
  target.password = ''
  const credentials = [username, password].map(unescaped).join(':')
  const basic = `Basic ${Buffer.from(credentials).toString('base64')}`
  return { target, authorization: username === '' ? undefined : basic }
}

/** Decodes percent escapes; invalid ones stay as they are. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
