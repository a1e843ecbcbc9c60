import type { FlagGroup, FlagTable, ValuesOf } from '../../flags/flag.ts'
import {
  STOCK_ANNOUNCE_FLAGS,
  STOCK_ANNOUNCED_FLAGS,
  STOCK_CREATE_FLAGS,
  STOCK_ENTRY_FLAGS,
  STOCK_FEED_FLAGS,
  STOCK_HISTORY_FLAGS,
  STOCK_METADATA_FLAGS,
  STOCK_MINT_FLAGS,
  STOCK_NODE_FLAGS,
  STOCK_PRICE_FLAGS,
  STOCK_READ_FLAGS,
  STOCK_REST_FLAGS,
  STOCK_RESUME_FLAGS,
  STOCK_ROLE_FLAGS,
  STOCK_SCHEDULE_FLAGS,
  STOCK_SEIZE_FLAGS,
  STOCK_SEND_FLAGS,
  STOCK_SPLIT_FLAGS,
  STOCK_TRANSFER_FLAGS,
  STOCK_WAIT_FLAGS,
  STOCK_WATCH_FLAGS,
} from '../../flags/stock-flags.ts'
import type { StockAction } from './actions/stock-action.ts'
import { POLICY_SCOPES } from './terms/policies.ts'
import { SESSIONS } from './terms/sessions.ts'

/** One `tickertape stock` command: the source of its help, its section in `docs/cli.md` and its action. */
export interface StockCommand {
  readonly name: string
  readonly description: string
  /** Positional arguments. */
  readonly args: readonly { readonly name: string; readonly description: string }[]
  /** Flags of this command only; those of `groups` are shared. */
  readonly flags: FlagTable
  readonly groups: readonly FlagGroup[]
  readonly examples: readonly string[]
  /** Loaded when the command runs: a starting node does not need ABIs. */
  readonly load: () => Promise<StockAction<never>>
}

const NODE: FlagGroup = { title: 'Node and output', flags: STOCK_NODE_FLAGS }
const READ: FlagGroup = { title: 'Reading', flags: STOCK_READ_FLAGS }
const SEND: FlagGroup = { title: 'Sending', flags: STOCK_SEND_FLAGS }
const REST: FlagGroup = { title: 'Stock service', flags: STOCK_REST_FLAGS }
const ENTRIES: FlagGroup = { title: 'Entries', flags: STOCK_ENTRY_FLAGS }
const FEED: FlagGroup = { title: 'Price feed', flags: STOCK_FEED_FLAGS }
const ANNOUNCED: FlagGroup = { title: 'Announcing', flags: STOCK_ANNOUNCED_FLAGS }

/** Groups of flags shared by several commands, in display order. */
export const STOCK_FLAG_GROUPS: readonly FlagGroup[] = [NODE, READ, REST, ENTRIES, SEND, ANNOUNCED, FEED]

type Read = ValuesOf<typeof STOCK_READ_FLAGS>
type Rest = ValuesOf<typeof STOCK_NODE_FLAGS & typeof STOCK_REST_FLAGS>
type Entries = ValuesOf<typeof STOCK_ENTRY_FLAGS>
type OfFeed = ValuesOf<typeof STOCK_FEED_FLAGS>
type Sent = ValuesOf<typeof STOCK_SEND_FLAGS>
type Announced = ValuesOf<typeof STOCK_ANNOUNCED_FLAGS>

const STOCK = { name: '<stock>', description: 'symbol in the list of the factory, or address' }
const AMOUNT = { name: '<amount>', description: 'decimal amount in token units, such as 1000.5' }
const RATIO = {
  name: '<ratio>',
  description: 'NEW:OLD, so 2:1 doubles the shares of a unit and 1:4 merges four into one',
}
const ROLE = { name: '<role>', description: 'such as MINT_ROLE, or mint' }
const PRICE = { name: '<price>', description: 'decimal price, such as 123.45' }
const FEATURES = { name: '<features>', description: 'transfer, mint, burn, seize, separated by commas, or all' }

export const STOCK_COMMANDS: readonly StockCommand[] = [
  reading({
    name: 'list',
    description: 'All stocks of the factory with supply, multiplier, pauses and ISIN, at one block',
    args: [],
    examples: ['list', 'list --block latest --json'],
    load: async () => (await import('./actions/read.ts')).list,
  }),
  following({
    name: 'show',
    description: 'One stock with its price, at one block; with --watch its changes as they happen',
    args: [STOCK],
    flags: STOCK_WATCH_FLAGS,
    examples: ['show MRDTLd', 'show 0x5700000000000000000000000000000000000002 --block 12', 'show HLCYNd --watch'],
    load: async () => (await import('./actions/read.ts')).show,
  }),
  following({
    name: 'wait',
    description: 'Wait until a stock meets all of these conditions, for scripts',
    args: [STOCK],
    flags: STOCK_WAIT_FLAGS,
    examples: [
      'wait HLCYNd --multiplier 2 --unpaused mint,burn',
      "wait MRDTLd --supply '>=1000' --block latest --timeout-ms 10000",
      'wait HLCYNd --event split',
    ],
    load: async () => (await import('./actions/wait.ts')).wait,
  }),
  listing({
    name: 'history',
    description: 'Supply, multiplier or price of a stock in earlier blocks, or its corporate actions',
    args: [STOCK],
    flags: STOCK_HISTORY_FLAGS,
    examples: [
      'history MRDTLd --every 10',
      'history MRDTLd --every 1h --from 2026-01-01 --field price',
      'history HLCYNd --field actions',
    ],
    load: async () => (await import('./actions/history.ts')).history,
  }),
  listing({
    name: 'holders',
    description: 'Accounts with units of a stock, and their shares of the supply',
    args: [STOCK],
    examples: ['holders MRDTLd', 'holders HLCYNd --limit 10 --json'],
    load: async () => (await import('./actions/history.ts')).holders,
  }),
  reading({
    name: 'roles',
    description: 'Holders of each role of a stock, from its events; change them with grant-role and revoke-role',
    args: [STOCK],
    examples: ['roles MRDTLd'],
    load: async () => (await import('./actions/rules.ts')).roles,
  }),
  reading({
    name: 'policy',
    description: 'Policies of a stock: which accounts may send, receive, be minted to, be seized from',
    args: [STOCK],
    examples: ['policy MRDTLd'],
    load: async () => (await import('./actions/rules.ts')).policy,
  }),
  reading({
    name: 'metadata',
    description: 'Name, symbol, contract URI, ISIN and further metadata of a stock',
    args: [STOCK],
    flags: STOCK_METADATA_FLAGS,
    examples: ['metadata HLCYNd', 'metadata HLCYNd --keys cusip,lei'],
    load: async () => (await import('./actions/rules.ts')).metadata,
  }),
  sending({
    name: 'create',
    description: 'Create a stock and grant its roles to the sender',
    args: [
      { name: '<symbol>', description: 'such as ACMEd' },
      { name: '<name>', description: 'in quotes, such as "Acme Demo Stock"' },
    ],
    flags: STOCK_CREATE_FLAGS,
    examples: [
      'create ACMEd "Acme Demo Stock" --decimals 6 --supply 1000',
      'create ACMEd "Acme Demo Stock" --isin ZZ0000ACMED4 --cap 5000 --salt acme --dry-run',
    ],
    load: async () => (await import('./actions/create.ts')).create,
  }),
  changing({
    name: 'mint',
    description: 'Mint units of a stock (MINT_ROLE)',
    args: [AMOUNT, STOCK],
    flags: STOCK_MINT_FLAGS,
    examples: ['mint 1000.5 MRDTLd', 'mint 10 HLCYNd --to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --dry-run'],
    load: async () => (await import('./actions/supply.ts')).mint,
  }),
  changing({
    name: 'burn',
    description: 'Burn units held by the sender (BURN_ROLE)',
    args: [AMOUNT, STOCK],
    examples: ['burn 250 MRDTLd', 'burn 0.125 MRDTLd --json'],
    load: async () => (await import('./actions/supply.ts')).burn,
  }),
  sending({
    name: 'transfer',
    description: 'Transfer units held by the sender',
    args: [AMOUNT, STOCK],
    flags: STOCK_TRANSFER_FLAGS,
    examples: ['transfer 10 HLCYNd --to 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --memo "order 4711"'],
    load: async () => (await import('./actions/ownership.ts')).transfer,
  }),
  changing({
    name: 'seize',
    description: 'Move units of another account, unless the policy seize-exempt protects it (SEIZE_ROLE)',
    args: [AMOUNT, STOCK],
    flags: STOCK_SEIZE_FLAGS,
    examples: ['seize 10 HLCYNd --from 0x70997970c51812dc3a010c7d01b50e0d17dc79c8 --memo "case 7"'],
    load: async () => (await import('./actions/ownership.ts')).seize,
  }),
  changing({
    name: 'set-cap',
    description: 'Set the supply cap (admin of the stock)',
    args: [{ name: '<cap>', description: 'decimal amount in token units, or none' }, STOCK],
    examples: ['set-cap 5000000 MRDTLd', 'set-cap none MRDTLd'],
    load: async () => (await import('./actions/rules.ts')).setCap,
  }),
  changing({
    name: 'set-policy',
    description: 'Set a policy of a stock (admin of the stock)',
    args: [
      { name: '<scope>', description: `${POLICY_SCOPES.slice(0, -1).join(', ')} or ${POLICY_SCOPES.at(-1)}` },
      { name: '<policy>', description: 'allow, block, or the number of a policy in the policy registry' },
      STOCK,
    ],
    examples: ['set-policy transfer-receiver block HLCYNd', 'set-policy seize-exempt block HLCYNd'],
    load: async () => (await import('./actions/rules.ts')).setPolicy,
  }),
  changing({
    name: 'set-metadata',
    description: 'Set name, symbol, contract-uri, isin, or another text of a stock (METADATA_ROLE)',
    args: [
      { name: '<key>', description: 'name, symbol, contract-uri, isin, or a key of its own' },
      { name: '<value>', description: 'the text; an empty one removes it' },
      STOCK,
    ],
    examples: [
      'set-metadata isin ZZ0000HLCYN8 HLCYNd',
      'set-metadata contract-uri https://issuer.example/hlcyn HLCYNd',
    ],
    load: async () => (await import('./actions/rules.ts')).setMetadata,
  }),
  changing({
    name: 'split',
    description: 'Change the shares per unit immediately (OPERATOR_ROLE); balances and supply stay the same',
    args: [RATIO, STOCK],
    flags: STOCK_SPLIT_FLAGS,
    examples: ['split 2:1 HLCYNd', 'split 1:4 MRDTLd --announce 2026-split --uri https://issuer.example/split'],
    load: async () => (await import('./actions/split.ts')).split,
  }),
  changing({
    name: 'schedule-split',
    description: 'Schedule a split that takes effect at a time without another transaction (OPERATOR_ROLE)',
    args: [RATIO, STOCK],
    flags: STOCK_SCHEDULE_FLAGS,
    examples: ['schedule-split 3:1 HLCYNd --at 2036-12-01T00:00:00Z', 'schedule-split 2:1 HLCYNd --in 2m'],
    load: async () => (await import('./actions/split.ts')).scheduleSplit,
  }),
  changing({
    name: 'cancel-split',
    description: 'Cancel a scheduled split (OPERATOR_ROLE)',
    args: [STOCK],
    examples: ['cancel-split FJORDd'],
    load: async () => (await import('./actions/split.ts')).cancelSplit,
  }),
  changing({
    name: 'pause',
    description: 'Pause features of a stock (PAUSE_ROLE)',
    args: [FEATURES, STOCK],
    examples: ['pause mint,burn HLCYNd', 'pause all HLCYNd'],
    load: async () => (await import('./actions/administration.ts')).pause,
  }),
  changing({
    name: 'unpause',
    description: 'Unpause features of a stock (UNPAUSE_ROLE)',
    args: [FEATURES, STOCK],
    examples: ['unpause mint OSTGLd'],
    load: async () => (await import('./actions/administration.ts')).unpause,
  }),
  sending({
    name: 'announce',
    description: 'Make an announcement together with calls, atomically (OPERATOR_ROLE)',
    args: [{ name: '<id>', description: 'text that was not used before' }, STOCK],
    flags: STOCK_ANNOUNCE_FLAGS,
    examples: ['announce 2026-dividend HLCYNd --description "0.5 % in shares" --uri https://issuer.example/dividend'],
    load: async () => (await import('./actions/administration.ts')).announce,
  }),
  sending({
    name: 'grant-role',
    description: 'Grant a role to an account (admin of the stock)',
    args: [ROLE, STOCK],
    flags: STOCK_ROLE_FLAGS,
    examples: ['grant-role mint MRDTLd --holder 0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
    load: async () => (await import('./actions/administration.ts')).grantRole,
  }),
  sending({
    name: 'revoke-role',
    description: 'Revoke a role from an account (admin of the stock)',
    args: [ROLE, STOCK],
    flags: STOCK_ROLE_FLAGS,
    examples: ['revoke-role mint MRDTLd --holder 0x70997970c51812dc3a010c7d01b50e0d17dc79c8'],
    load: async () => (await import('./actions/administration.ts')).revokeRole,
  }),
  pricing({
    name: 'price',
    description: 'Set the price of a demonstration stock (owner of its feed); stock show prints the price',
    args: [PRICE, STOCK],
    flags: STOCK_PRICE_FLAGS,
    examples: ['price 123.45 HLCYNd', 'price 246.9 HLCYNd --share'],
    load: async () => (await import('./actions/market.ts')).price,
  }),
  pricing({
    name: 'freeze',
    description: 'Freeze the price of a demonstration stock in the oracle registry (PAUSER_ROLE there)',
    args: [STOCK],
    examples: ['freeze HLCYNd'],
    load: async () => (await import('./actions/market.ts')).freeze,
  }),
  pricing({
    name: 'resume',
    description: 'Let a frozen feed take prices again (PAUSER_ROLE in the oracle registry)',
    args: [STOCK],
    flags: STOCK_RESUME_FLAGS,
    examples: ['resume HLCYNd', 'resume HLCYNd --share-price 61.7'],
    load: async () => (await import('./actions/market.ts')).resume,
  }),
  sending({
    name: 'session',
    description: 'Open a session of the exchange of all demonstration stocks, or close it (owner of the market)',
    args: [{ name: '<session>', description: SESSIONS.join(', ') }],
    examples: ['session closed', 'session regular'],
    load: async () => (await import('./actions/market.ts')).session,
  }),
]

/** A command as the table states it, whose action may use the flags of its group and its own. */
interface Definition<Common, Flags extends FlagTable> extends Omit<StockCommand, 'flags' | 'groups' | 'load'> {
  readonly flags?: Flags
  readonly load: () => Promise<StockAction<Common & ValuesOf<Flags>>>
}

function reading<Flags extends FlagTable = Record<never, never>>(definition: Definition<Read, Flags>): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, READ] }
}

/** Reads, and follows the events of the stock service. */
function following<Flags extends FlagTable = Record<never, never>>(
  definition: Definition<Read & Rest, Flags>,
): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, READ, REST] }
}

/** Lists entries of the stock service. */
function listing<Flags extends FlagTable = Record<never, never>>(
  definition: Definition<Rest & Entries, Flags>,
): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, REST, ENTRIES] }
}

/** Sends a transaction about a price feed. */
function pricing<Flags extends FlagTable = Record<never, never>>(
  definition: Definition<Sent & OfFeed, Flags>,
): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, SEND, FEED] }
}

function sending<Flags extends FlagTable = Record<never, never>>(definition: Definition<Sent, Flags>): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, SEND] }
}

/** Sends, and may announce the change. */
function changing<Flags extends FlagTable = Record<never, never>>(
  definition: Definition<Sent & Announced, Flags>,
): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, SEND, ANNOUNCED] }
}
