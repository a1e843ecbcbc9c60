import { seededRandom } from '../../support/seeded-random.ts'

type Random = () => number

/** Bytes that mean something to a parser. */
const BYTES = Buffer.from('\r\n\t :;,="/?#[]@%*\0\x7f\x80\xff09afAFzZ.-_\\', 'latin1')
const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'PATCH', 'M-SEARCH', 'QUERY', 'PRI', 'SOURCE']
const ODD_METHODS = ['get', 'GETX', 'CONNECT', '', 'GE T', 'PRI']
const TARGETS = ['/', '/v1/x?y=1', '*', '/a%20b', '/#f', '/?a#b', '//x', '/\u00e9', '/"<>', '/a\\b', '/[x]', '/^`{|}']
const ABSOLUTE = ['http://localhost', 'HTTP://LOCALHOST:80/x', 'https://[::1]:8545/?a', 'ftp://localhost/', 'http:/x']
const HOST_PARTS = [
  'localhost',
  'a.b',
  ':80',
  ':',
  ':x',
  '[::1]',
  '[',
  ']',
  'user@',
  'a:b@',
  '@',
  '%41',
  '%',
  '"',
  '<',
  '',
]
const PATH_PARTS = ['', '/', '/p', '?q', '#f', '/p?q#f', '\\x']
const VERSIONS = [
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'HTTP/0.9',
  'HTTP/1.2',
  'http/1.1',
  'HTTP/1.10',
  'ICE/1.0',
  'constructor',
  '',
]
const LINE_ENDS = ['\n', '\r', '\r\r\n', ' \r\n', '']
const VALUES = ['', 'x', 'a b', ' x ', '\tx\t', '\u00e9', 'a\0b', 'a\x7fb', 'a\rb', 'x\r\n y', 'x\r\n\ty', ',', ', ,']
const CODINGS = ['chunked', 'Chunked', 'gzip', 'identity', 'chunkedx', 'x chunked', 'chunked;q=1', '"chunked"', '', ' ']
const LENGTHS = [
  '+3',
  '-3',
  '3 ',
  '0x3',
  '3,3',
  '3, 3',
  '03',
  '',
  ' ',
  '3 4',
  '\t3',
  '18446744073709551619',
  '3;',
  '1e1',
]
const CONNECTIONS = [
  'close',
  'keep-alive',
  'Close',
  'upgrade',
  'keep-alive, Upgrade',
  'close, x',
  ',close',
  'closed',
  'close\t,x',
]
const NAMES = [
  'X-A',
  'x-a',
  'Expect',
  'Cookie',
  'X_A',
  'X-A ',
  ' X-A',
  'X A',
  'X\u00e9',
  '',
  'Content-Length ',
  'Hos\0t',
]
const SIZES = [
  '0',
  '00',
  '3',
  '003',
  'A',
  '1;x',
  '1;x=y',
  '1;x="a b"',
  '1; x',
  '1 ',
  '+1',
  '0x1',
  '',
  '-1',
  'g',
  '1;',
  ';x',
  '1;=""',
  '1;x=',
  '1;;x',
  '1;x=y""',
]
const FRAMING = ['Content-Length', 'content-length', 'Transfer-Encoding', 'transfer-Encoding', 'Trailer', 'Host', 'X-T']
const UPGRADE = 'Connection: Upgrade\r\nUpgrade: websocket\r\n'

/** The bytes of one connection: a few requests, most of them nearly valid; the same for the same seed. */
export function randomRequests(seed: number): Buffer {
  const random = seededRandom(seed)
  const text = Array.from({ length: 1 + pick(random, [0, 0, 1, 2]) }, () => request(random)).join('')
  let bytes = Buffer.from(text, 'latin1')
  for (let count = pick(random, [0, 0, 0, 1, 1, 2, 4]); count > 0; count--) bytes = mutated(random, bytes)
  return bytes
}

/** The same bytes in pieces. */
export function cutAtRandom(seed: number, bytes: Buffer): Buffer[] {
  const random = seededRandom(seed)
  const at = [0, 1, 2].map(() => Math.floor(random() * bytes.length)).sort((a, b) => a - b)
  return [0, ...at].map((start, index) => bytes.subarray(start, at[index] ?? bytes.length))
}

function pick<Value>(random: Random, values: ArrayLike<Value>): Value {
  return values[Math.floor(random() * values.length)]!
}

/** Mostly the usual value. */
function either<Value>(random: Random, usual: Value, odd: () => Value, share = 0.08): Value {
  return random() < share ? odd() : usual
}

function request(random: Random): string {
  const end = () => either(random, '\r\n', () => pick(random, LINE_ENDS), 0.01)
  const method = either(random, pick(random, METHODS), () => pick(random, ODD_METHODS), 0.03)
  const version = either(random, pick(random, ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0']), () => pick(random, VERSIONS), 0.03)
  const space = () => either(random, ' ', () => pick(random, ['  ', '\t', '']), 0.01)
  const start = either(random, '', () => pick(random, ['\r\n', '\n', '\r', ' ']), 0.03)
  const host = either(random, `Host: localhost${end()}`, () => '', 0.05)
  const lines = Array.from({ length: Math.floor(random() * 3) }, () => `${headerLine(random)}${end()}`)
  const { head, body } = framing(random, end)
  const written = shuffled(random, [host, ...lines, ...head]).join('')
  return `${start}${method}${space()}${target(random)}${space()}${version}${end()}${written}${end()}${body}`
}

function target(random: Random): string {
  const kind = random()
  if (kind < 0.6) return '/'
  if (kind < 0.75) return pick(random, TARGETS)
  if (kind < 0.85) return pick(random, ABSOLUTE)
  const host = Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(random, HOST_PARTS)).join('')
  return `http://${host}${pick(random, PATH_PARTS)}`
}

function headerLine(random: Random): string {
  const kind = random()
  if (kind < 0.25) return `Connection: ${pick(random, CONNECTIONS)}`
  if (kind < 0.3) return `${UPGRADE}X: y`
  if (kind < 0.4) return `Host: ${pick(random, HOST_PARTS)}`
  const name = either(random, pick(random, NAMES.slice(0, 5)), () => pick(random, NAMES), 0.1)
  return `${name}:${pick(random, [' ', '', '\t', '  '])}${either(random, 'x', () => pick(random, VALUES), 0.4)}`
}

function framing(random: Random, end: () => string): { head: string[]; body: string } {
  const kind = random()
  if (kind < 0.25) return { head: [], body: '' }
  if (kind < 0.5) {
    const length = either(random, '3', () => pick(random, LENGTHS), 0.3)
    return { head: [`Content-Length: ${length}${end()}`], body: either(random, '{a}', () => '') }
  }
  const members = Array.from({ length: 1 + Math.floor(random() * 2) }, () => pick(random, CODINGS))
  const coding = either(random, 'chunked', () => members.join(pick(random, [',', ', ', ' ,'])), 0.3)
  const head = [`Transfer-Encoding: ${coding}${end()}`]
  if (random() < 0.1)
    head.push(`${pick(random, FRAMING.slice(0, 4))}: ${pick(random, ['3', 'chunked', 'gzip'])}${end()}`)
  return { head, body: chunks(random, end) }
}

function chunks(random: Random, end: () => string): string {
  let text = ''
  for (let count = Math.floor(random() * 3); count > 0; count--) {
    const data = pick(random, ['a', '{a}', 'b\r\n'])
    const size = either(random, data.length.toString(16), () => pick(random, SIZES), 0.2)
    text += `${size}${end()}${data}${end()}`
  }
  const trailers = Array.from(
    { length: pick(random, [0, 0, 1, 2]) },
    () =>
      `${pick(random, FRAMING)}:${pick(random, [' ', ''])}${pick(random, ['3', 'chunked', 'x', ...VALUES])}${end()}`,
  )
  return `${text}${either(random, '0', () => pick(random, SIZES), 0.05)}${end()}${trailers.join('')}${end()}`
}

function shuffled<Value>(random: Random, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ value }) => value)
}

/** Removes, repeats, replaces or inserts a few bytes. */
function mutated(random: Random, bytes: Buffer): Buffer<ArrayBuffer> {
  const at = Math.floor(random() * bytes.length)
  const length = Math.floor(random() * random() * 12)
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, at + length), bytes.subarray(at + length)]
  const byte = Buffer.from([pick(random, BYTES)])
  const middle = pick(random, [[], [part, part], [byte], [byte, part]])
  return Buffer.concat([before, ...middle, after])
}
