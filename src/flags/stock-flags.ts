import { flag } from './flag.ts'
import { commaSeparated, httpUrl, integer } from './values.ts'

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
  requestTimeoutMs: flag<number>({
    value: 'ms',
    description: 'time to wait for a response of the node',
    parse: integer(1, DAY_MS),
    fallback: 10_000,
  }),
  json: flag<boolean>({
    description: 'one line of JSON on standard output, errors too',
    fallback: false,
  }),
}

/** Flags of commands that only read. */
export const STOCK_READ_FLAGS = {
  block: flag<string>({
    value: 'block',
    description:
      'latest, pending, safe, finalized, earliest, a number or a hash; everything is read from this one block',
    fallback: 'pending',
  }),
}

/** Flags of commands that ask the stock service. */
export const STOCK_REST_FLAGS = {
  restUrl: flag<string | undefined>({
    value: 'url',
    description: 'where the paths of the stock service begin',
    parse: httpUrl,
    fallback: undefined,
    shown: 'the node of --rpc-url',
  }),
}

/** Flags of commands that list entries of the stock service. */
export const STOCK_ENTRY_FLAGS = {
  block: flag<string>({
    value: 'block',
    description: 'latest, pending, a number or a hash; pending has no second page of 1000 entries',
    fallback: 'latest',
  }),
  limit: flag<number>({
    value: 'n',
    description: 'entries that are listed',
    parse: integer(1, 1_000_000),
    fallback: 1_000,
  }),
}

const position = (description: string) =>
  flag<string | undefined>({ value: 'position', description, fallback: undefined, shown: 'none' })

export const STOCK_HISTORY_FLAGS = {
  field: flag<string>({
    value: 'field',
    description: 'supply, multiplier, price, or actions: splits, announcements and pauses',
    choices: ['supply', 'multiplier', 'price', 'actions'],
    fallback: 'supply',
  }),
  from: position('first block, by number or time, as in 2026-01-31T14:30:00Z'),
  to: position('last block, by number or time'),
  every: flag<string | undefined>({
    value: 'step',
    description: 'distance of the values, in blocks as in 10, or in time as in 1h; not with --field actions',
    fallback: undefined,
    shown: '1 block',
  }),
}

export const STOCK_METADATA_FLAGS = {
  keys: flag<readonly string[]>({
    value: 'keys',
    description: 'further keys of the metadata, separated by commas',
    parse: commaSeparated,
    fallback: [],
    shown: 'none',
  }),
}

export const STOCK_WATCH_FLAGS = {
  watch: flag<boolean>({ description: 'then print each change as it happens', fallback: false }),
  changes: flag<number | undefined>({
    value: 'n',
    description: 'with --watch: end after this many changes',
    parse: integer(1, 1_000_000_000),
    fallback: undefined,
    shown: 'no end',
  }),
}

const condition = (value: string, description: string) =>
  flag<string | undefined>({ value, description, fallback: undefined, shown: 'none' })

export const STOCK_WAIT_FLAGS = {
  multiplier: condition('number', 'shares per unit: 2, >=2 or <=2'),
  supply: condition('amount', 'supply in token units: 1000, >=1000 or <=1000'),
  paused: condition('features', 'features that are all paused, separated by commas, or all'),
  unpaused: condition('features', 'features of which none is paused'),
  event: condition(
    'name',
    'a change from now on, the open block included: supply, mint, burn, split, split-scheduled, split-cancelled, pause, price, announcement',
  ),
  timeoutMs: flag<number>({
    value: 'ms',
    description: 'time to wait',
    reached: 'exit code 5',
    parse: integer(1, DAY_MS),
    fallback: 60_000,
  }),
}

/** Flags of commands that send a transaction. */
export const STOCK_SEND_FLAGS = {
  privateKey: flag<string | undefined>({
    value: 'key',
    description: 'private key of the sender; prefer the environment variable, because other processes can see flags',
    fallback: undefined,
    shown: 'key of --account',
    env: 'TICKERTAPE_PRIVATE_KEY',
    isSecret: true,
  }),
  account: flag<number | undefined>({
    value: 'n',
    description: 'development account that sends, 0 to 9',
    parse: integer(0, 9),
    fallback: undefined,
    shown: '0, the owner of the demonstration stocks',
  }),
  dryRun: flag<boolean>({
    description: 'simulate on top of pending with eth_simulateV1 and send nothing',
    fallback: false,
  }),
  inclusionTimeoutMs: flag<number>({
    value: 'ms',
    description: 'time to wait for the inclusion of the transaction',
    parse: integer(1, DAY_MS),
    fallback: 30_000,
  }),
}

const ANNOUNCEMENT_FLAGS = {
  description: flag<string>({ value: 'text', description: 'text of the announcement', fallback: '' }),
  uri: flag<string>({ value: 'uri', description: 'URI of the announcement', fallback: '' }),
}

/** Flags of commands that can run within an announcement. */
export const STOCK_ANNOUNCED_FLAGS = {
  announce: flag<string | undefined>({
    value: 'id',
    description: 'make the change within an announcement with this id; the sender also needs OPERATOR_ROLE',
    fallback: undefined,
    shown: 'no announcement',
  }),
  ...ANNOUNCEMENT_FLAGS,
}

export const STOCK_ANNOUNCE_FLAGS = {
  ...ANNOUNCEMENT_FLAGS,
  call: flag<readonly string[]>({
    value: 'calldata',
    description: 'calldata of calls to the stock made by the announcement, in hex, separated by commas',
    parse: commaSeparated,
    fallback: [],
    shown: 'none',
  }),
}

export const STOCK_CREATE_FLAGS = {
  isin: flag<string | undefined>({
    value: 'isin',
    description: 'ISIN with a valid check digit',
    fallback: undefined,
    shown: 'none',
  }),
  decimals: flag<number>({ value: 'n', description: 'decimals of an amount', parse: integer(6, 18), fallback: 18 }),
  cap: flag<string | undefined>({
    value: 'amount',
    description: 'supply cap',
    fallback: undefined,
    shown: 'none',
  }),
  supply: flag<string | undefined>({
    value: 'amount',
    description: 'initial supply, minted to the sender',
    fallback: undefined,
    shown: '0',
  }),
  admin: flag<string | undefined>({
    value: 'address',
    description: 'account that can grant roles',
    fallback: undefined,
    shown: 'the sender',
  }),
  roles: flag<string>({
    value: 'names',
    description: 'roles granted to the sender, separated by commas, or all, or none',
    fallback: 'all',
  }),
  salt: flag<string | undefined>({
    value: 'text',
    description: 'text, or 32 bytes in hex; determines the address together with the sender',
    fallback: undefined,
    shown: 'random',
  }),
}

export const STOCK_MINT_FLAGS = {
  to: flag<string | undefined>({
    value: 'address',
    description: 'recipient',
    fallback: undefined,
    shown: 'the sender',
  }),
}

const memo = { value: 'text', description: 'at most 32 bytes, as text or in hex' }

export const STOCK_TRANSFER_FLAGS = {
  to: flag<string | undefined>({
    value: 'address',
    description: 'recipient',
    fallback: undefined,
    shown: 'none; required',
  }),
  memo: flag<string | undefined>({ ...memo, fallback: undefined, shown: 'none' }),
}

export const STOCK_SEIZE_FLAGS = {
  from: flag<string | undefined>({
    value: 'address',
    description: 'account that loses the units',
    fallback: undefined,
    shown: 'none; required',
  }),
  ...STOCK_MINT_FLAGS,
  memo: flag<string>({ ...memo, fallback: '' }),
}

/** Flags of commands that write the market: feeds, their registry, sessions. */
export const STOCK_FEED_FLAGS = {
  feed: flag<string | undefined>({
    value: 'address',
    description: 'price feed of the stock',
    fallback: undefined,
    shown: 'that of a demonstration stock',
  }),
}

export const STOCK_PRICE_FLAGS = {
  share: flag<boolean>({
    description: 'the price is that of a share: the feed multiplies it by the multiplier (total return)',
    fallback: false,
  }),
}

export const STOCK_RESUME_FLAGS = {
  sharePrice: flag<string | undefined>({
    value: 'price',
    description: 'then set this price of a share, so that price and multiplier both reflect a corporate action',
    fallback: undefined,
    shown: 'the feed keeps its price',
  }),
}

export const STOCK_ROLE_FLAGS = {
  holder: flag<string | undefined>({
    value: 'address',
    description: 'account that holds the role',
    fallback: undefined,
    shown: 'the sender',
  }),
}

const ROUNDING_FLAGS = {
  round: flag<boolean>({
    description: 'round the multiplier down when it has more than 18 decimals',
    fallback: false,
  }),
}

export const STOCK_SPLIT_FLAGS = {
  ...ROUNDING_FLAGS,
  replaceScheduled: flag<boolean>({
    description: 'split even if that cancels a scheduled multiplier',
    fallback: false,
  }),
}

export const STOCK_SCHEDULE_FLAGS = {
  at: flag<string | undefined>({
    value: 'date',
    description: 'time at which it takes effect, as in 2026-12-01T00:00:00Z',
    fallback: undefined,
    shown: 'none; --at or --in is required',
  }),
  in: flag<string | undefined>({
    value: 'duration',
    description: 'the same as a duration after the newest block: 90s, 2m, 6h, 3d',
    fallback: undefined,
    shown: 'none; --at or --in is required',
  }),
  ...ROUNDING_FLAGS,
}
