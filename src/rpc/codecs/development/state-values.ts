import { type Bytes, hexToBytes, type Slot } from '../../../primitives/hex.ts'
import { bigintToSlot } from '../../../primitives/quantity.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import type { JsonRecord } from '../../protocol/json.ts'
import { data } from '../bytes.ts'
import { type Codec, describe, InvalidValueError } from '../codec.ts'
import { flexibleQuantity } from '../quantity.ts'

/** Bytes in hex, also without 0x. */
export const flexibleData: Codec<Bytes> = {
  ...data,
  decode: (json) => (typeof json === 'string' && isBareHex(json) ? hexToBytes(`0x${json}`) : data.decode(json)),
}

function isBareHex(text: string): boolean {
  return text.length % 2 === 0 && !text.startsWith('0x') && /^[0-9a-fA-F]+$/.test(text)
}

/** Number of a storage slot in any form that Anvil accepts. */
export const slotNumber: Codec<Slot> = {
  decode: (json) => bigintToSlot(flexibleQuantity.decode(json)),
  encode: (slot) => slot,
  schema: flexibleQuantity.schema,
}

/** Number of a storage slot in hex, as Hardhat requires it; zeros may lead. */
export const hexSlotNumber: Codec<Slot> = {
  decode(json) {
    if (typeof json !== 'string')
      throw new InvalidValueError(`expected a hex number in a string, got ${describe(json)}`)
    if (!/^0x[0-9a-fA-F]+$/.test(json)) throw new InvalidValueError('invalid hex string')
    const digits = json.slice(2).replace(/^0+(?=.)/, '')
    if (digits.length > SLOT_DIGITS) {
      throw new RpcError(
        RPC_CODES.server,
        `Storage key must not be greater than or equal to 2^256. Received ${json.slice(0, SHOWN_CHARACTERS)}.`,
      )
    }
    return bigintToSlot(BigInt(`0x${digits}`))
  },
  encode: (slot) => slot,
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]+$', title: 'number of a slot in hex' },
}

const SLOT_DIGITS = 64
/** For a number that is too large. */
const SHOWN_CHARACTERS = 200

/** The configuration of a fork, in the parameter of a reset. */
export interface ResetOptions {
  readonly forking: Readonly<Record<string, unknown>> | undefined
}

export const resetOptions: Codec<ResetOptions> = {
  decode(json) {
    if (!isObject(json)) throw new InvalidValueError(`expected an object, got ${describe(json)}`)
    const { forking } = json
    if (forking === undefined || forking === null) return { forking: undefined }
    if (!isObject(forking)) throw new InvalidValueError(`expected an object in forking, got ${describe(forking)}`)
    return { forking }
  },
  encode: ({ forking }) => (forking === undefined ? {} : { forking: forking as JsonRecord }),
  schema: { type: 'object', properties: { forking: { type: 'object' } } },
}

function isObject(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json)
}
