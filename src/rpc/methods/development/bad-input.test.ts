import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { methodExample } from '../../../../test/support/method-examples.ts'
import { type RpcNode, startRpcNode } from '../../../../test/support/rpc-node.ts'
import { signTransfer } from '../../../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { AUTO, FLASHBLOCKS, type MiningMode } from '../../../node/development/mining-mode.ts'
import { bytesToHex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import type { Compat } from '../../compat/compat.ts'
import { conventionsOf } from '../../compat/reproduced-nodes.ts'
import type { Json } from '../../protocol/json.ts'
import type { Method } from '../../registry/method.ts'
import { WALLET_CODES } from '../../wallet/wallet-errors.ts'
import { RPC_METHODS } from '../all-methods.ts'

const INVALID_PARAMS = -32602
const INTERNAL = -32603
const SERVER = -32000
/** Codes of values that have the right type. */
const REFUSALS = [SERVER, -32003, ...Object.values(WALLET_CODES)]

const [{ address: SENDER }] = DEVELOPMENT_ACCOUNTS as [(typeof DEVELOPMENT_ACCOUNTS)[0]]
const STRANGER = `0x${'00'.repeat(18)}beef`
const WORD = `0x${'00'.repeat(31)}01`
/** 2^256. */
const TOO_LARGE = `0x1${'00'.repeat(32)}`

const DEVELOPMENT_METHODS = RPC_METHODS.filter(
  ({ development, profiles }) => development !== undefined && (profiles?.includes('flashblocks') ?? true),
)

/** Values of JSON that few parameters accept. */
const WRONG: readonly Json[] = [
  ...[true, -1, 1.5, 'no value', '0xzz', `0x${'ff'.repeat(40)}`],
  ...[[[{}]], { unknown: [{}] }],
]

const PAST = 1_600_000_000
const FAR = '0x7fffffffffffffff'
const INVALID = (text: string) => [INVALID_PARAMS, text] as const
const TOO_LOW = [INVALID("lower than previous block's timestamp"), [SERVER, 'lower than the previous block']] as const
const TOO_HIGH = [INVALID('The timestamp is too big'), INVALID('not exceeding')] as const
const TOO_MANY = [INVALID('at most 100000'), [SERVER, 'at most 100000']] as const
type Expected = readonly [code: number, text: string]

/** Values of the right type that no node accepts: method, parameters, error of Anvil, and of Hardhat if it differs. */
const EXTREME: readonly (readonly [string, readonly Json[], Expected, Expected?])[] = [
  ['evm_mine', [PAST], ...TOO_LOW],
  ['evm_mine', [FAR], ...TOO_HIGH],
  ['evm_mine_detailed', [{ timestamp: PAST, blocks: 2 }], ...TOO_LOW],
  ['evm_mine_detailed', [{ blocks: 257 }], INVALID('at most 256'), [SERVER, 'at most 256']],
  ['evm_setNextBlockTimestamp', [PAST], ...TOO_LOW],
  ['evm_setNextBlockTimestamp', [FAR], ...TOO_HIGH],
  ['evm_increaseTime', [FAR], ...TOO_HIGH],
  ['evm_setTime', ['0xffffffffffffffff'], ...TOO_HIGH],
  ['anvil_setBlockTimestampInterval', [FAR], ...TOO_HIGH],
  ['anvil_mine', [100_001], ...TOO_MANY],
  ['hardhat_mine', ['0x3b9aca00'], ...TOO_MANY],
  ['anvil_mine', ['0x10', FAR], ...TOO_HIGH],
  ['evm_setIntervalMining', [2 ** 53], INVALID('number')],
  ['evm_setIntervalMining', [3e9], INVALID('at most 2147483 seconds'), INVALID('at most 2147483647 milliseconds')],
  ['evm_mine_detailed', [{ timestmap: 5 }], INVALID('unknown member "timestmap"')],
  ['anvil_setBalance', [STRANGER, TOO_LARGE], INVALID('')],
  ['hardhat_setBalance', [STRANGER, TOO_LARGE], INVALID('')],
  ['anvil_addBalance', [STRANGER, TOO_LARGE], INVALID('number too large')],
  ['anvil_setNonce', [STRANGER, '0x10000000000000000'], INVALID('')],
  ['evm_mine', [0], ...TOO_LOW],
  ['anvil_setCode', [STRANGER, '0x123'], INVALID('')],
  ['anvil_setStorageAt', [STRANGER, TOO_LARGE, WORD], INVALID(''), [SERVER, 'greater than or equal']],
  ['anvil_setStorageAt', [STRANGER, `0x${'0'.repeat(300)}${'f'.repeat(65)}`, WORD], INVALID(''), [SERVER, '2^256']],
  ['anvil_setStorageAt', [STRANGER, '0x0', '0x01'], INVALID('invalid string length'), [SERVER, 'exactly 32 bytes']],
  ['evm_setBlockGasLimit', [FAR.replace('7', 'f')], INVALID('exceeds')],
  ['evm_setBlockGasLimit', ['0x1387'], INVALID('below 5000')],
  ['anvil_setNextBlockBaseFeePerGas', [TOO_LARGE], INVALID('')],
  ['anvil_setChainId', [5], INVALID('--chain-id 5'), [SERVER, '--chain-id 5']],
  ['anvil_rollback', [2], INVALID('Rollback depth must not exceed current chain height')],
  ['anvil_reorg', [2, []], INVALID('Reorg depth must not exceed current chain height')],
  ['anvil_reorg', [1, [[{ from: SENDER }, 1]]], INVALID('will exceed the reorged chain height')],
  ['anvil_loadState', ['0x'], INVALID('Failed to decode state dump')],
  ['anvil_loadState', ['0x1f8b00'], INVALID('Failed to decode state dump')],
  ['anvil_loadState', [hexOf('{"accounts":{"0x01":{"balance":"0x1"}}}')], INVALID('Failed to decode state dump')],
  ['anvil_loadState', [hexOf('{"accounts":{},"best_block_number":10000000}')], INVALID('blocks ahead')],
]

function hexOf(text: string): string {
  return bytesToHex(Buffer.from(text))
}

/** Everything that a development method can change: records, and what the node holds in memory. */
function stateOf({ node }: RpcNode) {
  const { mining, accounts, snapshots, logging, instanceId } = node.development!
  return {
    sequence: node.view().head.sequence,
    mode: mining.mode,
    settings: mining.settings,
    impersonated: accounts.impersonated,
    impersonatesAll: accounts.impersonatesAll,
    snapshots: snapshots.list(),
    isLogging: logging.isEnabled,
    instanceId,
  }
}

/** The example's parameters, and `null` for optional ones that it leaves out. */
function validParams(method: Method): Json[] {
  const { params } = methodExample(method)
  return method.params.map((_, index) => params[index] ?? null)
}

let node: RpcNode
afterAll(() => node.stop())

/** A node with a block, a snapshot, an impersonated account and, with flashblocks, a transaction in the open block. */
async function start(compat: Compat | undefined, mining: MiningMode = AUTO): Promise<void> {
  await node?.stop()
  node = await startRpcNode({ development: true, ...(compat && { compat }) }, { development: { mining } })
  await node.result('evm_mine')
  await node.result('evm_snapshot')
  await node.result('hardhat_impersonateAccount', STRANGER)
  if (mining.kind !== 'flashblocks') return
  await node.result('eth_sendRawTransaction', bytesToHex(signTransfer({ nonce: 0n }).raw))
  await node.nextFlashblock()
}

/** The error of a request, which has changed nothing; `undefined` for a response. */
async function errorOf(method: string, ...params: readonly Json[]) {
  const before = stateOf(node)
  const { error } = await node.request(method, ...params)
  expect(node.logged).toEqual([])
  if (error !== undefined) expect(stateOf(node)).toEqual(before)
  return error
}

const COMPATS = [undefined, 'anvil', 'hardhat'] as const

describe.each(COMPATS)('parameters, with --compat %s', (compat: Compat | undefined) => {
  beforeAll(() => start(compat))

  const known = DEVELOPMENT_METHODS.filter(({ name }) => !conventionsOf(compat).unknownMethods.has(name))

  test.each(known.map((method) => [method.name, method] as const))(
    '%s refuses missing, surplus and mistyped parameters, and changes nothing',
    async (name, method) => {
      const { params } = method
      const valid = validParams(method)

      expect(await errorOf(name, ...valid, 'surplus')).toMatchObject({ code: INVALID_PARAMS })
      for (const [index, { required }] of params.entries()) {
        if (required) expect(await errorOf(name, ...valid.slice(0, index))).toMatchObject({ code: INVALID_PARAMS })
        let refused = 0
        for (const value of WRONG) {
          const error = await errorOf(name, ...valid.slice(0, index), value, ...valid.slice(index + 1))
          if (error === undefined) continue
          // Anvil answers proof-of-work methods with "Not implemented"; malformed parameters may be refused first.
          const isUnimplemented = compat === 'anvil' && name.startsWith('eth_submit') && error.code === INTERNAL
          if (isUnimplemented) expect(error.message).toBe('Not implemented')
          else expect([INVALID_PARAMS, ...REFUSALS], error.message).toContain(error.code)
          refused += 1
        }
        expect(refused).toBeGreaterThan(WRONG.length / 2)
      }
    },
  )
})

const MODES = [AUTO, FLASHBLOCKS] as const
const SCENES = COMPATS.flatMap((compat) => MODES.map((mining) => [compat, mining.kind, mining] as const))

describe.each(SCENES)('extreme values, with --compat %s and blocks %s', (compat, _, mining) => {
  beforeAll(() => start(compat, mining))

  test.each([7, '0xffffffff'])(
    'evm_revert to an unknown snapshot (%s) answers false and changes nothing',
    async (id) => {
      const before = stateOf(node)

      expect(await node.result('evm_revert', id)).toBe(false)

      expect(stateOf(node)).toEqual(before)
    },
  )

  test.each(EXTREME.map(([method, params, anvil, hardhat]) => [method, params, anvil, hardhat ?? anvil] as const))(
    '%s %j answers %s',
    async (method, params, anvil, hardhat) => {
      const isHardhat = (compat ?? method.split('_')[0]) === 'hardhat'
      const [code, message] = isHardhat ? hardhat : anvil

      const error = await errorOf(method, ...params)

      expect(error?.message).toContain(message)
      expect(error?.code).toBe(code)
    },
  )
})

describe.each(COMPATS)('an open block with a transaction, with --compat %s', (compat) => {
  beforeAll(() => start(compat, FLASHBLOCKS))

  // The transaction of the open block has used nonce 0. Anvil accepts any nonce.
  test.skipIf(compat === 'anvil')('stays open when a lower nonce is refused', async () => {
    const error = await errorOf('hardhat_setNonce', SENDER, '0x0')

    expect(error?.message).toBe('New nonce (0) must not be smaller than the existing nonce (1)')
  })

  test.each<readonly [string, readonly Json[]]>([
    ['anvil_rollback', [0]],
    ['anvil_reorg', [0, []]],
    ['hardhat_mine', ['0x0']],
    ['evm_increaseTime', [0]],
    ['anvil_addBalance', [STRANGER, '0x0']],
    ['anvil_setBalance', [STRANGER, '0x0']],
    ['anvil_setNonce', [SENDER, '0x1']],
    ['anvil_setStorageAt', [STRANGER, '0x0', `0x${'00'.repeat(32)}`]],
  ])('stays open when %s %j changes nothing', async (method, params) => {
    const before = stateOf(node)

    await node.result(method, ...params)

    expect(stateOf(node)).toEqual(before)
  })

  test('stays open when a setting gets the value that it has', async () => {
    const { coinbase, gasLimit } = node.node.development!.mining.settings
    const before = stateOf(node)

    await node.result('anvil_setCoinbase', coinbase)
    await node.result('evm_setBlockGasLimit', toQuantity(gasLimit))

    expect(stateOf(node)).toEqual(before)
  })
})
