import type { TimestampRefusal } from '../../../node/development/timestamp-refusal.ts'
import { flexibleQuantity64 } from '../../codecs/quantity.ts'
import { mineError } from '../../compat/development-refusals.ts'
import type { NodeConventions } from '../../compat/node-conventions.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'
import { orNull } from '../../schemas/schemas.ts'

const NUMBER_OR_TEXT: JsonSchema = {
  title: 'a number (Anvil), or one in decimal in a string (Hardhat)',
  oneOf: [{ type: 'integer' }, { type: 'string' }],
}

export const evm_increaseTime = defineDevelopmentMethod({
  name: 'evm_increaseTime',
  aliases: ['anvil_increaseTime'],
  summary: 'Moves chain time forward; returns the seconds that it is ahead of the wall clock in total.',
  params: [requiredParam('seconds', flexibleQuantity64)],
  result: NUMBER_OR_TEXT,
  cost: 5,
  async handle([seconds], { conventions, development }) {
    return conventions.control.writeSeconds(checked(await development.time.increase(seconds), conventions))
  },
})

export const evm_setNextBlockTimestamp = defineDevelopmentMethod({
  name: 'evm_setNextBlockTimestamp',
  aliases: ['anvil_setNextBlockTimestamp'],
  summary: 'Sets the timestamp of the next block in Unix seconds; chain time continues from it.',
  params: [requiredParam('timestamp', flexibleQuantity64)],
  result: orNull({ title: 'the timestamp in decimal (Hardhat)', type: 'string' }),
  cost: 5,
  async handle([timestamp], { conventions, development }) {
    const refused = await development.time.setNextTimestamp(timestamp)
    if (refused !== undefined) throw mineError(refused, conventions)
    return conventions.control.nextTimestampResult(timestamp)
  },
})

/** Larger values are milliseconds. */
const MAX_SECONDS = 1_000_000_000_000n

export const evm_setTime = defineDevelopmentMethod({
  name: 'evm_setTime',
  aliases: ['anvil_setTime'],
  summary: 'Sets chain time, also back, in Unix seconds or milliseconds; returns the seconds that it moved forward.',
  params: [requiredParam('time', flexibleQuantity64)],
  result: NUMBER_OR_TEXT,
  cost: 5,
  async handle([time], { conventions, development }) {
    const seconds = time > MAX_SECONDS ? time / 1_000n : time
    return conventions.control.writeSeconds(checked(await development.time.set(seconds), conventions))
  },
})

export const anvil_setBlockTimestampInterval = defineDevelopmentMethod({
  name: 'anvil_setBlockTimestampInterval',
  summary: 'Sets the seconds between the timestamps of blocks, whatever chain time is.',
  params: [requiredParam('seconds', flexibleQuantity64)],
  result: { type: 'null' },
  cost: 5,
  async handle([seconds], { conventions, development }) {
    const former = await development.time.setInterval(seconds)
    if (typeof former === 'object') throw mineError(former, conventions)
    return null
  },
})

export const anvil_removeBlockTimestampInterval = defineDevelopmentMethod({
  name: 'anvil_removeBlockTimestampInterval',
  summary: 'Lets chain time determine the timestamps again; returns whether there was an interval.',
  params: [],
  result: { type: 'boolean' },
  cost: 5,
  handle: async (_, { development }) => (await development.time.setInterval(undefined)) !== undefined,
})

export const anvil_getLastBlockWallTime = defineDevelopmentMethod({
  name: 'anvil_getLastBlockWallTime',
  effect: 'none',
  summary: 'When the newest block was sealed by the wall clock, in Unix milliseconds as a number.',
  params: [],
  result: { type: 'integer' },
  cost: 1,
  handle: (_, { development }) => Math.floor(development.time.lastSealedMs),
})

function checked(moved: bigint | TimestampRefusal, conventions: NodeConventions): bigint {
  if (typeof moved === 'bigint') return moved
  throw mineError(moved, conventions)
}
