import { flag } from './flag.ts'
import { httpUrl, integer, list } from './values.ts'

const DAY_MS = 86_400_000

/** Flags of every `tickertape stock` command. */
export const STOCK_NODE_FLAGS = {
  rpcUrl: flag<string>({
    value: 'url',
    description: 'JSON-RPC of the node over HTTP',
    parse: httpUrl,
    fallback: 'http://127.0.0.1:8545',
    env: 'TICKERTAPE_RPC_URL',
  }),
  requestTimeout: flag<number>({
    value: 'ms',
    description: 'how long to wait for an answer of the node',
    parse: integer(1, DAY_MS),
    fallback: 10_000,
  }),
  json: flag<boolean>({
    description: 'one line of JSON on standard output, errors too',
    fallback: false,
  }),
}

/** Flags of those that only read. */
export const STOCK_READ_FLAGS = {
  block: flag<string>({
    value: 'block',
    description:
      'latest, pending, safe, finalized, earliest, a number or a hash; everything is read from this one block',
    fallback: 'latest',
  }),
}

/** Flags of those that send. */
export const STOCK_SEND_FLAGS = {
  privateKey: flag<string | undefined>({
    value: 'key',
    description: 'who sends; other processes can see flags, so rather set the variable',
    fallback: undefined,
    shown: 'that of --account',
    env: 'TICKERTAPE_PRIVATE_KEY',
  }),
  account: flag<number | undefined>({
    value: 'n',
    description: 'which of the ten development accounts sends',
    parse: integer(0, 9),
    fallback: undefined,
    shown: '0, who owns the demonstration stocks',
  }),
  dryRun: flag<boolean>({
    description: 'show what would happen on top of pending, by eth_simulateV1; nothing is sent',
    fallback: false,
  }),
  inclusionTimeout: flag<number>({
    value: 'ms',
    description: 'how long to wait until a block has the transaction',
    parse: integer(1, DAY_MS),
    fallback: 30_000,
  }),
}

const ANNOUNCEMENT_FLAGS = {
  description: flag<string>({ value: 'text', description: 'what the announcement says', fallback: '' }),
  uri: flag<string>({ value: 'uri', description: 'where the announcement is to be read', fallback: '' }),
}

/** Flags of changes that can be made within an announcement. */
export const STOCK_ANNOUNCED_FLAGS = {
  announce: flag<string | undefined>({
    value: 'id',
    description: 'do it within an announcement of this id; the sender needs OPERATOR_ROLE besides',
    fallback: undefined,
    shown: 'no announcement',
  }),
  ...ANNOUNCEMENT_FLAGS,
}

export const STOCK_ANNOUNCE_FLAGS = {
  ...ANNOUNCEMENT_FLAGS,
  call: flag<readonly string[]>({
    value: 'calldata',
    description: 'calls to the stock that the announcement makes, in hex, separated by commas',
    parse: list,
    fallback: [],
    shown: 'none',
  }),
}

export const STOCK_CREATE_FLAGS = {
  isin: flag<string | undefined>({
    value: 'isin',
    description: 'ISIN, with the right check digit',
    fallback: undefined,
    shown: 'none',
  }),
  decimals: flag<number>({ value: 'n', description: 'decimals of an amount', parse: integer(6, 18), fallback: 18 }),
  cap: flag<string | undefined>({
    value: 'amount',
    description: 'the most that the supply may be',
    fallback: undefined,
    shown: 'none',
  }),
  supply: flag<string | undefined>({
    value: 'amount',
    description: 'what the sender has at once',
    fallback: undefined,
    shown: '0',
  }),
  admin: flag<string | undefined>({
    value: 'address',
    description: 'who grants roles',
    fallback: undefined,
    shown: 'the sender',
  }),
  roles: flag<string>({
    value: 'names',
    description: 'roles that the sender gets, separated by commas, or all, or none',
    fallback: 'all',
  }),
  salt: flag<string | undefined>({
    value: 'text',
    description: 'any text, or 32 bytes in hex: with the sender it decides the address',
    fallback: undefined,
    shown: 'random',
  }),
}

export const STOCK_MINT_FLAGS = {
  to: flag<string | undefined>({
    value: 'address',
    description: 'who gets it',
    fallback: undefined,
    shown: 'the sender',
  }),
}

export const STOCK_ROLE_FLAGS = {
  holder: flag<string | undefined>({
    value: 'address',
    description: 'whose role it is',
    fallback: undefined,
    shown: 'the sender',
  }),
}

const ROUNDING_FLAGS = {
  round: flag<boolean>({
    description: 'take the next lower multiplier where the exact one has more than 18 decimals',
    fallback: false,
  }),
}

export const STOCK_SPLIT_FLAGS = {
  ...ROUNDING_FLAGS,
  replaceScheduled: flag<boolean>({
    description: 'split although that cancels a scheduled multiplier',
    fallback: false,
  }),
}

export const STOCK_SCHEDULE_FLAGS = {
  at: flag<string | undefined>({
    value: 'date',
    description: 'from when on it holds, as in 2026-12-01T00:00:00Z',
    fallback: undefined,
    shown: 'none; it or --in is needed',
  }),
  in: flag<string | undefined>({
    value: 'duration',
    description: 'the same, so long after the newest block: 90s, 2m, 6h, 3d',
    fallback: undefined,
    shown: 'none; it or --at is needed',
  }),
  ...ROUNDING_FLAGS,
}
