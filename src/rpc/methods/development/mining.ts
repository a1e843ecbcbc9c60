import { MAX_INTERVAL_MS, type MiningMode, withAutomine, withInterval } from '../../../node/development/mining-mode.ts'
import { boolean } from '../../codecs/boolean.ts'
import { durationRange, fixedDuration, mineOptions, mineTimestamp } from '../../codecs/mining.ts'
import { flexibleNumber, flexibleQuantity64 } from '../../codecs/quantity.ts'
import { mineError } from '../../compat/development-refusals.ts'
import type { NodeConventions } from '../../compat/node-conventions.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { MAX_DETAILED_BLOCKS, minedBlocks } from '../../queries/mined-blocks.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { defaultedParam, optionalParam, requiredParam } from '../../registry/method.ts'
import { arrayOf, BLOCK_SCHEMA, orNull } from '../../schemas/schemas.ts'

export const evm_mine = defineDevelopmentMethod({
  name: 'evm_mine',
  summary: 'Mines a block, or several, with all executable transactions of the pool.',
  params: [optionalParam('options', mineOptions)],
  hardhatParams: [optionalParam('timestamp', mineTimestamp)],
  result: { type: 'string', title: '0x0 (Anvil) or 0 (Hardhat)' },
  cost: 50,
  async handle([options], { conventions, development }) {
    const refused = await development.mining.mine({ blocks: 1, ...options })
    if (refused !== undefined) throw mineError(refused, conventions)
    return conventions.control.mined
  },
})

export const evm_mine_detailed = defineDevelopmentMethod({
  name: 'evm_mine_detailed',
  aliases: ['anvil_mine_detailed'],
  summary: 'As evm_mine; returns the mined blocks with full transactions, their output and the reasons of reverts.',
  params: [optionalParam('options', mineOptions)],
  result: arrayOf(BLOCK_SCHEMA),
  cost: 100,
  async handle([options], { conventions, context, development }) {
    const blocks = options?.blocks ?? 1
    const refused =
      blocks > MAX_DETAILED_BLOCKS
        ? ({ code: 'TOO_MANY_BLOCKS', blocks, limit: MAX_DETAILED_BLOCKS } as const)
        : await development.mining.mine({ blocks, timestamp: options?.timestamp })
    if (refused !== undefined) throw mineError(refused, conventions)
    return minedBlocks(blocks, context)
  },
})

export const anvil_mine = defineDevelopmentMethod({
  name: 'anvil_mine',
  aliases: ['hardhat_mine'],
  summary: 'Mines blocks. With an interval, their timestamps are that many seconds apart.',
  params: [defaultedParam('blocks', flexibleNumber, 1), optionalParam('interval', flexibleQuantity64)],
  result: SETTER_RESULT,
  cost: 50,
  async handle([blocks, interval], { conventions, development }) {
    const { mineInterval } = conventions.control
    const refused = await development.mining.mine({
      blocks,
      intervalSeconds: interval ?? mineInterval.intervalSeconds,
      spacesFirst: mineInterval.spacesFirst,
    })
    if (refused !== undefined) throw mineError(refused, conventions)
    return conventions.control.setterResult
  },
})

export const evm_setAutomine = defineDevelopmentMethod({
  name: 'evm_setAutomine',
  aliases: ['anvil_setAutomine'],
  summary: 'Switches on or off that each transaction is mined before it is answered.',
  params: [requiredParam('enabled', boolean)],
  result: SETTER_RESULT,
  cost: 5,
  async handle([enabled], { conventions, development: { mining } }) {
    const { minesWaiting, switching } = conventions.control
    await mining.setMode((mode) => withAutomine(mode, enabled, switching), { minesWaiting })
    return conventions.control.setterResult
  },
})

export const anvil_getAutomine = defineDevelopmentMethod({
  name: 'anvil_getAutomine',
  effect: 'none',
  aliases: ['hardhat_getAutomine'],
  summary: 'Whether each transaction is mined before it is answered.',
  params: [],
  result: { type: 'boolean' },
  cost: 1,
  handle: (_, { conventions, development }) => isAuto(development.mining.mode, conventions),
})

export const evm_setIntervalMining = defineDevelopmentMethod({
  name: 'evm_setIntervalMining',
  aliases: ['anvil_setIntervalMining'],
  summary:
    'Mines a block at each interval: seconds (Anvil), or milliseconds or their bounds (Hardhat). 0: no interval.',
  params: [requiredParam('interval', fixedDuration)],
  hardhatParams: [requiredParam('interval', durationRange)],
  result: SETTER_RESULT,
  cost: 5,
  async handle([{ min, max }], { conventions, development: { mining } }) {
    const { intervalUnitMs: unitMs, switching } = conventions.control
    const longest = Math.floor(MAX_INTERVAL_MS / unitMs)
    if (max > longest) {
      const unit = unitMs === 1 ? 'milliseconds' : 'seconds'
      throw new RpcError(RPC_CODES.invalidParams, `an interval of ${max} ${unit}, want at most ${longest} ${unit}`)
    }
    const interval = max === 0 ? undefined : { minMs: min * unitMs, maxMs: max * unitMs }
    await mining.setMode((mode) => withInterval(mode, interval, switching), { minesWaiting: false })
    return conventions.control.setterResult
  },
})

export const anvil_getIntervalMining = defineDevelopmentMethod({
  name: 'anvil_getIntervalMining',
  effect: 'none',
  summary: 'Seconds between mined blocks; null unless blocks are mined at an interval only.',
  params: [],
  result: orNull({ type: 'number' }),
  cost: 1,
  handle(_, { development }) {
    const { mode } = development.mining
    return mode.kind === 'on-demand' && !mode.auto && mode.interval !== undefined ? mode.interval.minMs / 1_000 : null
  },
})

/** Anvil counts a mode with both switches as neither. */
function isAuto(mode: MiningMode, conventions: NodeConventions): boolean {
  return (
    mode.kind === 'on-demand' &&
    mode.auto &&
    (conventions.control.switching === 'independent' || mode.interval === undefined)
  )
}
