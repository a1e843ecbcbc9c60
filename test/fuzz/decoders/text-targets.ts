import { parseGenesis } from '../../../src/chain/genesis/genesis-codec.ts'
import { GenesisError } from '../../../src/chain/genesis/genesis-fields.ts'
import { parseRegistry, RegistryError } from '../../../src/rest/tokenized-stocks/parse-registry.ts'
import { parseRequests, type Requests } from '../../../src/rpc/dispatch/parse-requests.ts'
import { RpcError } from '../../../src/rpc/protocol/errors.ts'
import { InvalidJsonError, JsonWalker } from '../../../src/rpc/state-files/json-walker.ts'
import { decodeBatch, decodeReply } from '../../../src/upstream/rpc-reply.ts'
import { UpstreamError } from '../../../src/upstream/upstream-failure.ts'
import { parserDifference, reasonOf } from '../http/compare-parsers.ts'
import { decodedOr, requireEqual } from './expectations.ts'
import type { FuzzTarget } from './fuzz-target.ts'

const LIMITS = { maxNesting: 32, maxBatchItems: 100, maxItems: 100, maxMembers: 100, maxValues: 1_000 }
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString()
const seedsOf = (...texts: readonly string[]) => texts.map((text) => Buffer.from(text))

/** Texts: requests of clients, files of users, replies of other nodes. */
export const FUZZED_TEXTS: Readonly<Record<string, FuzzTarget>> = {
  requests: {
    description: 'JSON-RPC: the same requests with and without the fast path, and only from valid JSON',
    run: (bytes) => {
      const text = textOf(bytes)
      const fast = requestsOf(text)
      // The fast path takes no text that begins with a space.
      requireEqual('with and without the fast path', fast, requestsOf(` ${text}`))
      if (fast !== undefined) JSON.parse(text)
    },
    seeds: () =>
      seedsOf(
        '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
        '[{"jsonrpc":"2.0","id":"a","method":"eth_call","params":[{"to":"0x"},"latest"]},{"jsonrpc":"2.0","method":"x"}]',
        '{"jsonrpc":"2.0","id":12345678901234567890,"method":"eth_chainId"}',
      ),
  },
  http: {
    description: 'HTTP/1.1: as llhttp reads it, except for the listed differences',
    run: (given) => {
      const bytes = Buffer.from(given)
      const difference = parserDifference(bytes, 1)
      if (difference !== undefined && reasonOf(difference, bytes) === undefined) {
        throw new Error(`the parsers differ: ${JSON.stringify(difference)}`)
      }
    },
    seeds: () =>
      seedsOf(
        'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}',
        'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nA: b\r\n\r\n',
        'GET /v1/x?y=%20 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.1\r\nHost: [::1]:1\r\n\r\n',
      ),
  },
  'state-file': {
    description: 'a JSON text in two chunks: InvalidJsonError exactly where JSON.parse refuses it',
    run: (bytes) => {
      const text = textOf(bytes)
      const walked = decodedOr([InvalidJsonError], () => {
        const walker = new JsonWalker((path) => (path.length > 2 ? 'take' : 'enter'))
        const half = text.length >> 1
        const values = [...walker.push(text.slice(0, half)), ...walker.push(text.slice(half))]
        return [...values, ...walker.end()]
      })
      const parsed = decodedOr([SyntaxError], () => [JSON.parse(text)])
      requireEqual('whether it is JSON', walked !== undefined, parsed !== undefined)
    },
    seeds: () =>
      seedsOf(
        '{"block":{"number":"0x1"},"accounts":{"0x01":{"nonce":1,"balance":"0x2","code":"0x","storage":{"0x0":"0x1"}}}}',
      ),
  },
  registry: {
    description: 'the registry of stocks: RegistryError, or a registry',
    run: (bytes) => void decodedOr([RegistryError], () => parseRegistry('stocks.json', textOf(bytes))),
    seeds: () =>
      seedsOf(
        '{"tokens":[{"address":"0x5700000000000000000000000000000000000001","symbol":"A","isin":"US0378331005"}],"discover":false}',
      ),
  },
  genesis: {
    description: 'a genesis file: GenesisError, or a genesis',
    run: (bytes) => {
      const json = decodedOr([SyntaxError], () => JSON.parse(textOf(bytes)))
      decodedOr([GenesisError], () => parseGenesis(json))
    },
    seeds: () =>
      seedsOf(
        '{"config":{"chainId":7,"homesteadBlock":0,"londonBlock":0,"shanghaiTime":0,"cancunTime":0,"blobSchedule":' +
          '{"cancun":{"target":3,"max":6,"baseFeeUpdateFraction":1}}},"difficulty":"0x0","gasLimit":"0x1c9c380",' +
          '"alloc":{"0x01":{"balance":"0x1","storage":{"0x00":"0x01"}}}}',
      ),
  },
  'upstream-reply': {
    description: 'a reply of another node: UpstreamError, or its results',
    run: (bytes) => {
      decodedOr([UpstreamError], () => decodeReply(textOf(bytes)))
      decodedOr([UpstreamError], () => decodeBatch(textOf(bytes), 2))
    },
    seeds: () =>
      seedsOf(
        '{"jsonrpc":"2.0","id":0,"result":"0x1"}',
        '[{"id":1,"result":null},{"id":0,"error":{"code":3,"message":"execution reverted","data":"0x08c379a0"}}]',
      ),
  },
}

/** @returns undefined for a text that is refused as a whole */
function requestsOf(text: string): unknown {
  const requests: Requests | RpcError = parseRequests(text, { ...LIMITS, nameOf: (name) => name })
  if (requests instanceof RpcError) return undefined
  const { isBatch, size } = requests
  return { isBatch, envelopes: Array.from({ length: size }, (_, position) => requests.envelope(position)) }
}
