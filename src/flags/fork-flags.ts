import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Hash } from '../primitives/hex.ts'
import { FlagValueError, flag, type ValuesOf } from './flag.ts'
import { bigInteger, commaSeparated, httpUrl, integer } from './values.ts'

const MAX_CHAIN_ID = 2n ** 63n
const MAX_INTERVAL_MS = 0x7fff_ffff

const FORK_VERIFY = ['known', 'strict'] as const
type ForkVerify = (typeof FORK_VERIFY)[number]

/** Nodes to fork from, and the block where `@` names one. */
export interface ForkUrls {
  readonly urls: readonly string[]
  readonly blockNumber: number | undefined
}

/** Flags of a node that forks the chain of another node (docs/fork.md). */
export const FORK_FLAGS = {
  forkUrl: flag<ForkUrls | undefined>({
    value: 'urls',
    description:
      'begin on a block of the chain of another node, whose state is read on demand: one or more nodes of that chain, comma-separated; URL@N names the block',
    parse: forkUrls,
    fallback: undefined,
    shown: 'none',
  }),
  forkBlockNumber: flag<number | undefined>({
    value: 'n',
    description: 'block to begin on; a negative number counts from the newest block',
    parse: signedInteger,
    fallback: undefined,
    shown: 'the newest block',
  }),
  forkTransactionHash: flag<Hash | undefined>({
    value: 'hash',
    description: 'begin before the block of this transaction, and execute its transactions up to this one',
    parse: transactionHash,
    fallback: undefined,
    shown: 'none',
  }),
  forkHeader: flag<readonly string[]>({
    value: 'name: value',
    description: 'HTTP header of each request to the forked node; repeatable',
    isSecret: true,
    parse: header,
    isRepeatable: true,
    fallback: [],
    shown: 'none',
  }),
  forkRetries: flag<number>({
    value: 'n',
    description: 'attempts after the first for a request to the forked node',
    parse: integer(0, 1_000),
    fallback: 5,
  }),
  forkTimeoutMs: flag<number>({
    value: 'ms',
    description: 'timeout of a request to the forked node',
    parse: integer(1, MAX_INTERVAL_MS),
    fallback: 45_000,
  }),
  forkConcurrency: flag<number>({
    value: 'n',
    description: 'requests to the forked node at a time',
    parse: integer(1, 1_000),
    fallback: 8,
  }),
  forkRequestsPerSecond: flag<number | undefined>({
    value: 'n',
    description: 'calls a second to the forked node; a batch counts each of its calls',
    parse: integer(1, 1_000_000),
    fallback: undefined,
    shown: 'unlimited',
  }),
  forkChainId: flag<bigint | undefined>({
    value: 'id',
    description: 'chain id of the forked node, which is then not asked for it',
    parse: bigInteger(1n, MAX_CHAIN_ID),
    fallback: undefined,
    shown: 'what the node says',
  }),
  forkCachePath: flag<string>({
    value: 'path',
    description: 'directory of what was read from forked nodes, shared by all runs',
    fallback: join(homedir(), '.tickertape', 'fork-cache'),
    shown: '~/.tickertape/fork-cache',
    env: 'TICKERTAPE_FORK_CACHE',
  }),
  /** Commander stores it as `false` of `forkCache`. */
  noForkCache: flag<boolean>({
    description: 'keep what was read from the forked node in memory only',
    fallback: false,
  }),
  maxForkCacheMib: flag<number>({
    value: 'MiB',
    description: 'maximum size of this directory',
    parse: integer(16, 1_048_576),
    fallback: 1_024,
  }),
  forkVerify: flag<ForkVerify>({
    value: 'mode',
    description:
      'blocks, transactions and receipts with parts that only the forked chain knows: shown as its node gives them (known), or refused (strict)',
    choices: FORK_VERIFY,
    fallback: 'known',
  }),
  forkOffline: flag<boolean>({
    description: 'answer from this directory only; needs --fork-block-number',
    fallback: false,
  }),
}

export type ForkFlags = ValuesOf<typeof FORK_FLAGS>

function forkUrls(text: string): ForkUrls {
  let blockNumber: number | undefined
  const urls = commaSeparated(text).map((item) => {
    const [, url = item, number] = /^(.*)@(\d+)$/.exec(item) ?? []
    if (number !== undefined) blockNumber = integer(0)(number)
    return httpUrl(url)
  })
  if (urls.length === 0) throw new FlagValueError('a URL that begins with http:// or https:// is required.')
  return { urls, blockNumber }
}

function transactionHash(text: string): Hash {
  if (!/^0x[0-9a-fA-F]{64}$/.test(text)) throw new FlagValueError('a hash of 32 bytes in hex is required.')
  return text.toLowerCase() as Hash
}

function signedInteger(text: string): number {
  const [, sign, digits] = /^(-?)(\d+)$/.exec(text) ?? []
  if (digits === undefined) throw new FlagValueError('a whole number is required.')
  const number = integer(0)(digits)
  return sign === '-' ? -number : number
}

function header(text: string): readonly string[] {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]+$/.test(text)) {
    throw new FlagValueError("a header as in 'Authorization: Bearer KEY' is required.")
  }
  return [text]
}
