import type { FlagGroup, FlagTable, ValuesOf } from '../../flags/flag.ts'
import {
  STOCK_ANNOUNCE_FLAGS,
  STOCK_ANNOUNCED_FLAGS,
  STOCK_CREATE_FLAGS,
  STOCK_MINT_FLAGS,
  STOCK_NODE_FLAGS,
  STOCK_READ_FLAGS,
  STOCK_ROLE_FLAGS,
  STOCK_SCHEDULE_FLAGS,
  STOCK_SEND_FLAGS,
  STOCK_SPLIT_FLAGS,
} from '../../flags/stock-flags.ts'
import type { StockAction } from './actions/stock-action.ts'

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
const ANNOUNCED: FlagGroup = { title: 'Announcing', flags: STOCK_ANNOUNCED_FLAGS }

/** Groups of flags shared by several commands, in display order. */
export const STOCK_FLAG_GROUPS: readonly FlagGroup[] = [NODE, READ, SEND, ANNOUNCED]

type Read = ValuesOf<typeof STOCK_READ_FLAGS>
type Sent = ValuesOf<typeof STOCK_SEND_FLAGS>
type Announced = ValuesOf<typeof STOCK_ANNOUNCED_FLAGS>

const STOCK = { name: '<stock>', description: 'symbol in the list of the factory, or address' }
const AMOUNT = { name: '<amount>', description: 'decimal amount in token units, such as 1000.5' }
const RATIO = {
  name: '<ratio>',
  description: 'NEW:OLD, so 2:1 doubles the shares of a unit and 1:4 merges four into one',
}
const ROLE = { name: '<role>', description: 'such as MINT_ROLE, or mint' }
const FEATURES = { name: '<features>', description: 'transfer, mint, burn, seize, separated by commas, or all' }

export const STOCK_COMMANDS: readonly StockCommand[] = [
  reading({
    name: 'list',
    description: 'All stocks of the factory with supply, multiplier, pauses and ISIN, at one block',
    args: [],
    examples: ['list', 'list --block pending --json'],
    load: async () => (await import('./actions/read.ts')).list,
  }),
  reading({
    name: 'show',
    description: 'One stock, at one block',
    args: [STOCK],
    examples: ['show MRDTLd', 'show 0x5700000000000000000000000000000000000002 --block 12'],
    load: async () => (await import('./actions/read.ts')).show,
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
]

/** A command as the table states it, whose action may use the flags of its group and its own. */
interface Definition<Common, Flags extends FlagTable> extends Omit<StockCommand, 'flags' | 'groups' | 'load'> {
  readonly flags?: Flags
  readonly load: () => Promise<StockAction<Common & ValuesOf<Flags>>>
}

function reading<Flags extends FlagTable = Record<never, never>>(definition: Definition<Read, Flags>): StockCommand {
  return { flags: {}, ...definition, groups: [NODE, READ] }
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
