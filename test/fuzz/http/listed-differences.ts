import type { ParserDifference } from './compare-parsers.ts'
import type { ParsedHead } from './parsed-stream.ts'

interface ListedDifference {
  readonly reason: string
  /**
   * @param head the request about which the parsers differ, as llhttp read it
   * @param text the bytes as Latin-1
   */
  applies(difference: ParserDifference, head: ParsedHead, text: string): boolean
}

const REQUEST_LINE = /^the request line is invalid/
const UNKNOWN_END = /^the end of the body is unknown|^a request has a content length or/

/** Differences between our parser and llhttp that are intended: requests that we refuse, or options of `Connection`. */
export const LISTED_DIFFERENCES: readonly ListedDifference[] = [
  readOtherwise('Connection: close wins over keep-alive in HTTP/1.0, too (RFC 9112, section 9.3)', (head) => {
    const options = head.headers.get('connection')?.toLowerCase() ?? ''
    return head.version === '1.0' && options.includes('close') && options.includes('keep-alive')
  }),
  readOtherwise('an option of Connection ends at a tab, too (RFC 9110, section 5.6.3)', (_, text) =>
    /(?:close|keep-alive|upgrade) *\t/i.test(text),
  ),
  refused('HTTP/1.1 needs a Host header (RFC 9112, section 3.2), which the server of Node checks', /needs a Host/),
  refused('more than one Host header is refused (RFC 9112, section 3.2)', /^more than one host header/),
  refused('HTTP/1.0 has no transfer encodings (RFC 9112, section 6.1)', /^HTTP\/1\.0 has no transfer encodings/),
  refused('no transfer encoding is supported except chunked (RFC 9112, section 6.1)', /^no transfer encoding is/),
  refused('Transfer-Encoding has no empty members; llhttp ignores some', UNKNOWN_END, ({ headers }) =>
    /^ *(?:,|$)|, *(?:,|$)/.test(headers.get('transfer-encoding') ?? 'x'),
  ),
  refused('the coding of an upgrade is checked; llhttp leaves it to the next protocol', UNKNOWN_END, ({ headers }) =>
    headers.has('upgrade'),
  ),
  refused('Transfer-Encoding is no trailer (RFC 9110, section 6.5.1)', /^transfer-encoding is not allowed/),
  refused('lengths and codings stand between no tabs', /^the (?:content-length|transfer-encoding) header/, (_, text) =>
    text.includes('\t'),
  ),
  refused('chunk extensions are complete (RFC 9112, section 7.1.1)', /^the size of a chunk is invalid/, (_, text) =>
    /\r\n[\da-f]+;/i.test(text),
  ),
  refused('lines end in CRLF (RFC 9112, section 2.2)', /^a line does not end in CRLF/),
  refused('CR is the first byte of CRLF only (RFC 9112, section 2.2)', /./, (_, text) => /\r(?!\n)/.test(text)),
  refused('the only protocol is HTTP', REQUEST_LINE, (_, text) => / (?:ICE|RTSP)\//.test(text)),
  refused('the versions are 1.0 and 1.1', REQUEST_LINE, ({ version }) => version !== '1.0' && version !== '1.1'),
  refused('CONNECT is for proxies', REQUEST_LINE, ({ method }) => method === 'CONNECT'),
  refused('* is for OPTIONS (RFC 9112, section 3.2.4)', REQUEST_LINE, ({ target }) => target.startsWith('*')),
  refused('a target is a path, or of http or https', REQUEST_LINE, ({ target }) => /^[a-z]+:\//i.test(target)),
  refused(
    'the host of an absolute target is a name or an address, without a user',
    REQUEST_LINE,
    ({ headers }, text) => {
      const host = headers.get('host') ?? ''
      return text.includes(`://${host}`) && !/^(?:[\w.~-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(host)
    },
  ),
  refused('one space parts a request line (RFC 9112, section 3)', REQUEST_LINE, ({ method }, text) =>
    new RegExp(`${method} (?: |[^ ]+  )`).test(text),
  ),
]

/** The end of the connection, or an upgrade. */
function readOtherwise(reason: string, isIntended: (head: ParsedHead, text: string) => boolean): ListedDifference {
  return {
    reason,
    applies({ kind, own, index }, head, text) {
      const ours = own.events[index]
      const isSame = typeof ours === 'object' && ours.method === head.method && ours.target === head.target
      return kind === 'looser' && isSame && isIntended(head, text)
    },
  }
}

function refused(
  reason: string,
  refusal: RegExp,
  isIntended: (head: ParsedHead, text: string) => boolean = () => true,
): ListedDifference {
  return {
    reason,
    applies: ({ kind, own }, head, text) =>
      kind === 'stricter' && refusal.test(own.refusal ?? '') && isIntended(head, text),
  }
}
