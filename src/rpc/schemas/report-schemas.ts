import { address, data, hash } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { arrayOf, noun } from './schemas.ts'

/** Result schemas of reports on many transactions. */

const INTEGER: JsonSchema = { type: 'integer' }

const GAS_SCHEMA = noun('gas', { min: INTEGER, mean: INTEGER, median: INTEGER, max: INTEGER })

const AMOUNTS_SCHEMA = arrayOf(arrayOf(INTEGER))

const RANGE_MEMBERS: Readonly<Record<string, JsonSchema>> = {
  fromBlock: quantity.schema,
  toBlock: quantity.schema,
  transactions: INTEGER,
  incomplete: { type: 'string' },
}

const CONTRACT_SCHEMA = noun(
  'contract',
  {
    contract: { type: 'string' },
    codeHashes: arrayOf(hash.schema),
    addresses: arrayOf(address.schema),
    code: data.schema,
    deployments: noun(
      'deployments',
      { count: INTEGER, gas: GAS_SCHEMA, amounts: AMOUNTS_SCHEMA, codeBytes: INTEGER, initCodeBytes: INTEGER },
      ['amounts'],
    ),
    functions: arrayOf(
      noun(
        'function',
        {
          selector: data.schema,
          function: { type: 'string' },
          calls: INTEGER,
          reverted: INTEGER,
          gas: GAS_SCHEMA,
          amounts: AMOUNTS_SCHEMA,
        },
        ['function', 'gas', 'amounts'],
      ),
    ),
  },
  ['contract', 'code', 'deployments'],
)

export const GAS_REPORT_SCHEMA = noun(
  'gas report',
  { ...RANGE_MEMBERS, failedDeployments: INTEGER, contracts: arrayOf(CONTRACT_SCHEMA) },
  ['incomplete'],
)

export const COVERAGE_SCHEMA = noun(
  'coverage',
  {
    ...RANGE_MEMBERS,
    codes: arrayOf(
      noun('code', {
        kind: { type: 'string', enum: ['runtime', 'creation'] },
        codeHash: hash.schema,
        code: data.schema,
        addresses: arrayOf(address.schema),
        hits: arrayOf(arrayOf(INTEGER)),
        jumps: arrayOf(arrayOf(INTEGER)),
      }),
    ),
  },
  ['incomplete'],
)
