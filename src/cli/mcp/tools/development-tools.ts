import { type Address, type Bytes, bytesToHex } from '../../../primitives/hex.ts'
import { bigintToHash, toQuantity } from '../../../primitives/quantity.ts'
import { boolean } from '../../../rpc/codecs/boolean.ts'
import { address, data } from '../../../rpc/codecs/bytes.ts'
import { InvalidValueError, listOf } from '../../../rpc/codecs/codec.ts'
import { objectOf } from '../../../rpc/codecs/object.ts'
import { flexibleQuantity, flexibleQuantity64 } from '../../../rpc/codecs/quantity.ts'
import { wholeNumber } from '../../../rpc/codecs/small-numbers.ts'
import { text } from '../../../rpc/codecs/text.ts'
import type { JsonRecord } from '../../../rpc/protocol/json.ts'
import type { JsonRpc, Request } from '../../stock/chain/json-rpc.ts'
import { readQuantity, wireObject } from '../../stock/chain/wire.ts'
import { StockError } from '../../stock/terms/stock-error.ts'
import { described, inputOf } from '../arguments/input.ts'
import { isoTime } from './state-tools.ts'
import { defineTool, out } from './tool.ts'

const NEWEST = { blockNumber: out.number('newest block'), time: out.text('its time, ISO 8601, UTC') }

/** Number and time of the newest block. */
async function newest(rpc: JsonRpc): Promise<JsonRecord> {
  const block = wireObject(await rpc.request(['eth_getBlockByNumber', 'latest', false]), 'block')
  return { blockNumber: Number(readQuantity(block.number, 'block number')), time: isoTime(block.timestamp) }
}

const MAX_BLOCKS = 10_000

export const mine = defineTool({
  name: 'mine',
  title: 'Mine blocks',
  description:
    'Mines blocks at once, with the executable transactions of the pool in the first one. On development nodes.',
  effect: 'write',
  input: inputOf<{ readonly blocks?: number; readonly intervalSeconds?: number }>({
    blocks: described(wholeNumber, `number of blocks, at most ${MAX_BLOCKS}; default 1`),
    intervalSeconds: described(wholeNumber, 'seconds between their timestamps; default: that of the node'),
  }),
  output: { required: NEWEST },
  async run({ rpc }, { blocks = 1, intervalSeconds }) {
    if (blocks > MAX_BLOCKS) throw new InvalidValueError(`want at most ${MAX_BLOCKS}`, 'blocks')
    const interval = intervalSeconds === undefined ? [] : [toQuantity(intervalSeconds)]
    await rpc.request(['anvil_mine', toQuantity(blocks), ...interval])
    return newest(rpc)
  },
})

interface TimeInput {
  readonly seconds?: number
  readonly timestamp?: bigint
}

export const timeTravel = defineTool({
  name: 'time_travel',
  title: 'Move the time of the chain',
  description:
    'Moves the time of the chain forward by seconds, or lets the next block have a timestamp (Unix seconds), and mines ' +
    'a block, so that calls see the new time. Chain time continues from there. On development nodes.',
  effect: 'write',
  input: inputOf<TimeInput>({
    seconds: described(wholeNumber, 'seconds to move forward'),
    timestamp: described(flexibleQuantity64, 'Unix seconds of the next block; instead of seconds'),
  }),
  output: { required: NEWEST },
  async run({ rpc }, { seconds, timestamp }) {
    if ((seconds === undefined) === (timestamp === undefined)) {
      throw new InvalidValueError('give either seconds or timestamp', 'seconds')
    }
    const request: Request =
      seconds === undefined
        ? ['evm_setNextBlockTimestamp', toQuantity(timestamp!)]
        : ['evm_increaseTime', toQuantity(seconds)]
    await rpc.request(request)
    await rpc.request(['evm_mine'])
    return newest(rpc)
  },
})

export const snapshot = defineTool({
  name: 'snapshot',
  title: 'Take a snapshot',
  description: 'Takes a snapshot of the chain, to which revert returns. On development nodes.',
  effect: 'write',
  input: inputOf<object>({}),
  output: { required: { id: out.text('identifier for revert') } },
  run: async ({ rpc }) => ({ id: String(await rpc.request(['evm_snapshot'])) }),
})

export const revert = defineTool({
  name: 'revert',
  title: 'Return to a snapshot',
  description:
    'Returns the chain to a snapshot: later blocks and transactions are gone. Uses up this snapshot and later ones. On ' +
    'development nodes.',
  effect: 'destructive',
  input: inputOf<{ readonly id?: string }>({ id: described(text, 'identifier that snapshot returned') }, ['id']),
  output: { required: NEWEST },
  async run({ rpc }, { id }) {
    const isDone = await rpc.request(['evm_revert', id])
    if (isDone !== true)
      throw new StockError('REFUSED', `there is no snapshot ${id}: it was used up, or is of another start`)
    return newest(rpc)
  },
})

interface AccountChange {
  readonly address?: Address
  readonly balanceWei?: bigint
  readonly nonce?: bigint
  readonly code?: Bytes
  readonly storage?: readonly SlotChange[]
  readonly impersonate?: boolean
}

interface SlotChange {
  readonly slot?: bigint
  readonly value?: bigint
}

const MAX_SLOTS = 100

export const setAccount = defineTool({
  name: 'set_account',
  title: 'Change an account',
  description:
    'Sets balance (wei), nonce, code or storage slots of an account without a transaction, or lets send use it as sender ' +
    'without its key (impersonate). On development nodes.',
  effect: 'destructive',
  input: inputOf<AccountChange>(
    {
      address: described(address, 'account or contract'),
      balanceWei: described(flexibleQuantity, 'wei as a decimal or hex string'),
      nonce: described(flexibleQuantity64, 'next nonce'),
      code: described(data, 'code in hex; 0x removes it'),
      storage: described(
        listOf(objectOf<SlotChange>({ slot: flexibleQuantity, value: flexibleQuantity }), MAX_SLOTS),
        'slots and values as numbers, decimal or hex',
      ),
      impersonate: described(boolean, 'true: send may use it as sender; false: no longer'),
    },
    ['address'],
  ),
  output: {
    required: {
      address: out.text('the account'),
      changed: { type: 'array', items: { type: 'string' }, description: 'names of the members that were set' },
    },
  },
  async run({ rpc }, { address: account, ...change }) {
    const requests = requestsOf(account!, change)
    if (requests.length === 0)
      throw new InvalidValueError('name what to change: balanceWei, nonce, code, storage or impersonate', 'address')
    // One after the other: a refusal must not leave later changes made.
    for (const request of requests) await rpc.request(request)
    const changed = Object.entries(change).flatMap(([name, value]) => (value === undefined ? [] : [name]))
    return { address: account, changed }
  },
})

function requestsOf(
  account: Address,
  { balanceWei, nonce, code, storage = [], impersonate }: Omit<AccountChange, 'address'>,
): readonly Request[] {
  const isImpersonated = impersonate ? 'anvil_impersonateAccount' : 'anvil_stopImpersonatingAccount'
  return [
    ...(balanceWei === undefined ? [] : [['anvil_setBalance', account, toQuantity(balanceWei)] as const]),
    ...(nonce === undefined ? [] : [['anvil_setNonce', account, toQuantity(nonce)] as const]),
    ...(code === undefined ? [] : [['anvil_setCode', account, bytesToHex(code)] as const]),
    ...storage.map(({ slot, value }, index): Request => {
      if (slot === undefined || value === undefined)
        throw new InvalidValueError('slot and value are required', `storage[${index}]`)
      return ['anvil_setStorageAt', account, toQuantity(slot), bigintToHash(value)]
    }),
    ...(impersonate === undefined ? [] : [[isImpersonated, account] as const]),
  ]
}
