import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaViolations } from '../../../test/support/json-schema.ts'
import { type RunningNode, startNode } from '../../../test/support/running-node.ts'
import { runStock } from '../../../test/support/stock-cli.ts'
import { STOCK_COMMANDS } from '../stock/stock-commands.ts'
import { COMMAND_OUTPUTS } from './command-outputs.ts'

const HOLDER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
/** Arguments with which each command succeeds at a new chain, or is simulated. */
const SUCCESSES: Readonly<Record<string, readonly string[]>> = {
  list: [],
  show: ['HLCYNd'],
  wait: ['HLCYNd', '--multiplier', '1'],
  history: ['HLCYNd'],
  holders: ['HLCYNd'],
  roles: ['HLCYNd'],
  policy: ['HLCYNd'],
  metadata: ['HLCYNd'],
  create: ['ACMEd', 'Acme', '--dry-run'],
  mint: ['10', 'HLCYNd'],
  burn: ['1', 'HLCYNd', '--dry-run'],
  transfer: ['1', 'HLCYNd', '--to', HOLDER],
  seize: ['1', 'HLCYNd', '--from', HOLDER, '--dry-run'],
  'set-cap': ['9000000', 'HLCYNd', '--dry-run'],
  'set-policy': ['transfer-receiver', 'allow', 'HLCYNd', '--dry-run'],
  'set-metadata': ['lei', 'text', 'HLCYNd', '--dry-run'],
  split: ['2:1', 'HLCYNd', '--dry-run'],
  'schedule-split': ['2:1', 'HLCYNd', '--in', '2h', '--dry-run'],
  'cancel-split': ['FJORDd', '--dry-run'],
  pause: ['mint', 'HLCYNd', '--dry-run'],
  unpause: ['mint', 'OSTGLd', '--dry-run'],
  announce: ['id', 'HLCYNd', '--dry-run'],
  'grant-role': ['mint', 'HLCYNd', '--holder', HOLDER, '--dry-run'],
  'revoke-role': ['mint', 'HLCYNd', '--dry-run'],
  price: ['12.5', 'HLCYNd', '--dry-run'],
  freeze: ['HLCYNd', '--dry-run'],
  resume: ['HLCYNd', '--dry-run'],
  session: ['closed', '--dry-run'],
}

let node: RunningNode
beforeAll(async () => {
  node = await startNode()
  // A unit to seize, of an account that no policy protects.
  for (const args of [
    ['set-policy', 'seize-exempt', 'block', 'HLCYNd'],
    ['transfer', '1', 'HLCYNd', '--to', HOLDER],
  ]) {
    expect((await runStock(...args, '--rpc-url', node.urls.rpc)).status).toBe(0)
  }
})
afterAll(() => node.close())

function lineOf(command: string) {
  return COMMAND_OUTPUTS.find((output) => output.command === command)!
}

describe('tickertape stock --json', () => {
  test.each(STOCK_COMMANDS.map(({ name }) => name))('%s prints what the schema says', async (name) => {
    const { status, output, errors } = await runStock(name, ...SUCCESSES[name]!, '--json', '--rpc-url', node.urls.rpc)

    expect({ status, errors }).toEqual({ status: 0, errors: '' })
    for (const line of output.trim().split('\n')) {
      expect(JSON.parse(line)).not.toHaveProperty('error')
      expect(schemaViolations(lineOf(`stock ${name}`).line, JSON.parse(line)), line).toEqual([])
    }
  })

  test.each(STOCK_COMMANDS.filter(({ args }) => args.length > 0).map(({ name, args }) => [name, args.length] as const))(
    '%s prints a failure as the schema says',
    async (name, count) => {
      const wrong = Array.from({ length: count }, () => '0x12')
      // Any texts are the symbol and the name of a stock.
      const args = name === 'create' ? [...wrong, '--isin', 'none'] : wrong
      const { status, output } = await runStock(name, ...args, '--json', '--rpc-url', node.urls.rpc)
      const { line, exits } = lineOf(`stock ${name}`)

      expect(status).toBeGreaterThan(0)
      expect(Object.keys(exits)).toContain(`${status}`)
      expect(JSON.parse(output)).toHaveProperty('error.code')
      expect(schemaViolations(line, JSON.parse(output))).toEqual([])
    },
  )

  test('a line of another shape violates the schema', () => {
    expect(schemaViolations(lineOf('stock list').line, { block: { number: '1' }, stocks: [] })).not.toEqual([])
  })
})
