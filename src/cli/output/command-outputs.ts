import type { JsonSchema } from '../../rpc/protocol/json.ts'
import { arrayOf, orNull } from '../../rpc/schemas/schemas.ts'
import { STOCK_COMMANDS } from '../stock/stock-commands.ts'
import { EXIT_CODES } from '../stock/terms/stock-error.ts'
import { either, FAILURE, FLAG, HEX, mapOf, OBJECT, REAL_NUMBER, record, TEXT, WHOLE } from './schema-parts.ts'
import { STOCK_OUTPUTS } from './stock-outputs.ts'

/** The standard output of a command for programs, and its exit codes. */
export interface CommandOutput {
  /** @example 'stock mint' */
  readonly command: string
  /** The flag that asks for it. */
  readonly flag: '--json' | '--json-ready'
  /** Schema of each line. */
  readonly line: JsonSchema
  /** Meaning of each exit code. */
  readonly exits: Readonly<Record<number, string>>
}

const output = (
  command: string,
  line: JsonSchema,
  exits: CommandOutput['exits'],
  flag: CommandOutput['flag'] = '--json',
): CommandOutput => ({ command, flag, line, exits })

const OF_CHAIN = { 0: 'success', 1: 'failure', 2: 'wrong usage or no chain', 130: 'interrupted by a signal' }
const SERVING = { 0: 'after SIGTERM or SIGINT', 1: 'it cannot start or continue', 2: 'wrong usage' }
const CONFIGURED = { 0: 'the command would accept the configuration', 2: 'it would refuse it' }
const URLS = { rpc: TEXT, ws: TEXT, rest: TEXT }
const URLS_OF_SOME = { studio: TEXT, metrics: TEXT, ipc: TEXT }
const READY = record({ ...URLS, testnet: orNull(record(URLS, URLS_OF_SOME)) }, URLS_OF_SOME)
const BACKUP = either(record({ kind: TEXT, path: TEXT, records: WHOLE, lastRecord: WHOLE }), FAILURE)
const DIFFERENCE: JsonSchema = { type: 'object', properties: { what: TEXT } }
const VERIFIED = record({
  sound: FLAG,
  blocks: WHOLE,
  transactions: WHOLE,
  accounts: WHOLE,
  records: WHOLE,
  alterations: arrayOf(record({ block: WHOLE, accounts: WHOLE, slots: WHOLE })),
  seconds: REAL_NUMBER,
})
const EXECUTION = either(
  record({ kind: TEXT, number: WHOLE, hash: HEX, transactions: WHOLE, gasUsed: WHOLE }),
  record({ kind: TEXT, number: WHOLE, differences: arrayOf(OBJECT) }),
)
const PROVEN = record({
  verified: FLAG,
  contractAddress: HEX,
  totalSupply: TEXT,
  decimals: WHOLE,
  multiplier: TEXT,
  blockNumber: WHOLE,
  blockHash: HEX,
  rules: { type: 'object', properties: { chainId: TEXT, fork: TEXT }, required: ['chainId', 'fork'] },
})
const CLUSTER = record({
  chainId: WHOLE,
  genesisHash: HEX,
  records: orNull(OBJECT),
  lease: orNull(OBJECT),
  leader: orNull(TEXT),
  nodes: arrayOf(OBJECT),
})
const DOCTOR = arrayOf(record({ check: TEXT, level: { type: 'string', enum: ['fault', 'warning'] }, message: TEXT }))
/** Variables, structs and functions contain parts of their own kind. */
const DEBUGGED = record(
  {
    failed: FLAG,
    gasUsed: WHOLE,
    steps: WHOLE,
    contracts: arrayOf(record({ address: HEX, contract: orNull(TEXT) }, { missing: arrayOf(TEXT) })),
    lines: arrayOf(
      record(
        {
          step: WHOLE,
          file: TEXT,
          line: WHOLE,
          text: TEXT,
          function: TEXT,
          depth: WHOLE,
          gas: WHOLE,
          variables: orNull(arrayOf(OBJECT)),
        },
        { note: TEXT },
      ),
    ),
    isCut: FLAG,
    gasByLine: arrayOf(record({ file: TEXT, line: WHOLE, gas: WHOLE, steps: WHOLE })),
    functions: OBJECT,
  },
  {
    failure: record({
      reason: TEXT,
      places: arrayOf(record({ function: TEXT }, { contract: TEXT, file: TEXT, line: WHOLE, text: TEXT })),
    }),
  },
)
const GAS = record({ min: WHOLE, mean: WHOLE, median: WHOLE, max: WHOLE })
const GAS_REPORT = record(
  {
    fromBlock: HEX,
    toBlock: HEX,
    transactions: WHOLE,
    failedDeployments: WHOLE,
    contracts: arrayOf(
      record(
        {
          codeHashes: arrayOf(HEX),
          addresses: arrayOf(HEX),
          functions: arrayOf(record({ selector: HEX, calls: WHOLE, reverted: WHOLE }, { function: TEXT, gas: GAS })),
        },
        {
          contract: TEXT,
          deployments: record({ count: WHOLE, gas: GAS, codeBytes: WHOLE, initCodeBytes: WHOLE }),
        },
      ),
    ),
  },
  { incomplete: TEXT },
)
const SHARE = record({ hit: WHOLE, found: WHOLE })
const SHARES = { lines: SHARE, functions: SHARE, branches: SHARE }
const COVERAGE = record({
  transactions: WHOLE,
  totals: record(SHARES),
  files: arrayOf(record({ path: TEXT, ...SHARES })),
  notes: arrayOf(TEXT),
})
const WATCHED: JsonSchema = {
  type: 'object',
  properties: {
    event: {
      type: 'string',
      enum: ['connected', 'disconnected', 'blocksOnly', 'reorganised', 'flashblock', 'block', 'dropped'],
    },
    at: { type: 'integer', description: 'Unix milliseconds; absent in a line about dropped lines' },
  },
  required: ['event'],
}

/** Every command that prints JSON, in the order of `tickertape --help`. */
export const COMMAND_OUTPUTS: readonly CommandOutput[] = [
  output('start', READY, SERVING, '--json-ready'),
  output('replica', READY, SERVING, '--json-ready'),
  output('stocks', record({ rest: TEXT, chainId: TEXT }, { metrics: TEXT }), SERVING),
  ...STOCK_COMMANDS.map(({ name }) => output(`stock ${name}`, either(STOCK_OUTPUTS.get(name)!, FAILURE), EXIT_CODES)),
  output('deposit', either(record({ hash: HEX, receipt: OBJECT }), FAILURE), {
    0: 'the deposit succeeded',
    1: 'it failed on layer 2, which keeps what it minted',
    2: 'wrong usage',
    3: 'the node cannot be reached or refuses',
  }),
  output('watch', WATCHED, {
    0: 'after a signal or --blocks, or when the reader of the output is gone',
    1: 'no node answers in time',
    2: 'wrong usage',
  }),
  output(
    'verify',
    either(VERIFIED, record({ sound: FLAG, difference: DIFFERENCE }, { damage: arrayOf(DIFFERENCE) }), FAILURE),
    OF_CHAIN,
  ),
  output('execute', either(record({ equal: FLAG, blocks: arrayOf(EXECUTION) }), FAILURE), {
    0: 'everything is equal',
    1: 'a difference',
    2: 'wrong usage or no witness',
  }),
  output(
    'verify-source',
    either(record({ address: HEX, contract: TEXT, match: orNull(TEXT) }, { reason: TEXT }), FAILURE),
    {
      0: 'the sources match',
      1: 'they do not',
      2: 'wrong usage or no build information',
      3: 'the node cannot be reached or refuses',
    },
  ),
  output('debug', either(DEBUGGED, FAILURE), {
    0: 'shown, also if the transaction failed',
    2: 'wrong usage or no build information',
    3: 'the node cannot be reached or refuses',
  }),
  output('gas-report', either(GAS_REPORT, FAILURE), {
    0: 'printed',
    2: 'wrong usage or no build information',
    3: 'the node cannot be reached or refuses',
  }),
  output('coverage', either(COVERAGE, FAILURE), {
    0: 'printed',
    1: 'fewer lines ran than --fail-under',
    2: 'wrong usage or no sources',
    3: 'the node cannot be reached or refuses',
  }),
  output(
    'verify-supply',
    either(PROVEN, record({ verified: FLAG, error: record({ code: TEXT, message: TEXT }) }), FAILURE),
    {
      0: 'the supply is proven',
      1: 'it is not',
      2: 'wrong usage or no proof',
    },
  ),
  output(
    'profile show',
    { type: 'object', properties: { name: TEXT, summary: TEXT }, required: ['name', 'summary'] },
    {
      0: 'printed',
      2: 'wrong usage',
    },
  ),
  output('export', either(record({ from: WHOLE, to: WHOLE, blocks: WHOLE, file: TEXT }), FAILURE), OF_CHAIN),
  output(
    'import',
    either(
      record({ imported: WHOLE, known: WHOLE, newest: WHOLE }),
      record({ imported: WHOLE, newest: WHOLE, error: record({ code: TEXT, message: TEXT }) }),
      FAILURE,
    ),
    OF_CHAIN,
  ),
  output('backup', BACKUP, OF_CHAIN),
  output('restore', BACKUP, OF_CHAIN),
  output(
    'repair',
    either(
      record({ repaired: FLAG }, { error: OBJECT }),
      record({ repaired: FLAG, tables: arrayOf(TEXT), blocks: WHOLE, fetched: WHOLE, old: TEXT }),
      FAILURE,
    ),
    OF_CHAIN,
  ),
  output('cluster status', either(arrayOf(CLUSTER), FAILURE), {
    0: 'a node leads each chain',
    1: 'otherwise',
    2: 'wrong usage',
  }),
  output(
    'cluster transfer',
    either(record({ from: TEXT, to: TEXT, sequence: WHOLE, epoch: WHOLE, milliseconds: REAL_NUMBER }), FAILURE),
    { 0: 'another node leads', 1: 'it was refused', 2: 'wrong usage' },
  ),
  output(
    'config check',
    record({ command: TEXT, valid: FLAG, arguments: WHOLE, variables: WHOLE, file: WHOLE }),
    CONFIGURED,
  ),
  output('config show', mapOf(record({ value: orNull(TEXT), source: TEXT })), CONFIGURED),
  output('doctor', DOCTOR, { 0: 'no faults, perhaps warnings', 1: 'faults', 2: 'a variable that no command has' }),
]

/** One JSON Schema for the output of all commands: `$defs` has each command by its name. */
export function outputSchema(): JsonSchema {
  const definitions = COMMAND_OUTPUTS.map(({ command, flag, line }) => [
    command,
    { ...line, description: `a line of standard output of tickertape ${command} ${flag}` },
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Output of the commands of Tickertape for programs',
    description: 'The members of $defs are commands: each describes a line that the command prints',
    $defs: Object.fromEntries(definitions),
  }
}
