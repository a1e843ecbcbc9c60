import type { Address } from '../../primitives/hex.ts'
import { boolean } from '../codecs/boolean.ts'
import { address, data } from '../codecs/bytes.ts'
import { type Codec, InvalidValueError, jsonObject, listOf, member, within } from '../codecs/codec.ts'
import { objectOf } from '../codecs/object.ts'
import { quantity } from '../codecs/quantity.ts'
import { text } from '../codecs/text.ts'
import { isJsonObject } from '../protocol/json.ts'
import type { BatchCall } from './batch-executor.ts'
import { walletError } from './wallet-errors.ts'

/** The version of the bundles of EIP-5792. */
export const BUNDLE_VERSION = '2.0.0'
/** Chain ids of one wallet_getCapabilities. */
export const MAX_CHAINS = 100
/** Calls of one bundle. */
export const MAX_SENT_CALLS = 1_000
/** Characters of an id (EIP-5792). */
export const MAX_ID_CHARACTERS = 8_194

/** The parameter of `wallet_sendCalls` (EIP-5792). */
export interface CallBundleRequest {
  readonly id: string | undefined
  readonly from: Address | undefined
  readonly chainId: bigint
  readonly atomicRequired: boolean
  readonly calls: readonly BatchCall[]
  /** Capabilities, of the bundle or a call, that the sender does not declare optional. */
  readonly requiredCapabilities: readonly string[]
}

const call: Codec<BatchCall> = objectOf<BatchCall>({ to: address, data, value: quantity })
const calls = listOf(call, MAX_SENT_CALLS)

export const callBundle: Codec<CallBundleRequest> = {
  checkSize(json) {
    const size = isJsonObject(json) && Array.isArray(json.calls) ? json.calls.length : 0
    if (size > MAX_SENT_CALLS) throw walletError('bundleTooLarge', `${size} calls, want at most ${MAX_SENT_CALLS}`)
  },
  decode(json) {
    const object = jsonObject(json)
    within('version', () => checkVersion(text.decode(object.version)))
    const id = member(object, 'id', text)
    if (id !== undefined && id.length > MAX_ID_CHARACTERS) {
      throw new InvalidValueError(`${id.length} characters, want at most ${MAX_ID_CHARACTERS}`, 'id')
    }
    const decoded = within('calls', () => calls.decode(object.calls))
    if (decoded.length === 0) throw new InvalidValueError('expected at least one call', 'calls')
    return {
      id,
      from: member(object, 'from', address),
      chainId: within('chainId', () => quantity.decode(object.chainId)),
      atomicRequired: member(object, 'atomicRequired', boolean) ?? false,
      calls: decoded,
      requiredCapabilities: [...new Set([object, ...(object.calls as readonly unknown[])].flatMap(requiredOf))],
    }
  },
  encode: ({ id, from, chainId, atomicRequired, calls: made, requiredCapabilities }) => ({
    version: BUNDLE_VERSION,
    ...(id !== undefined && { id }),
    ...(from !== undefined && { from }),
    chainId: quantity.encode(chainId),
    atomicRequired,
    calls: calls.encode(made),
    capabilities: Object.fromEntries(requiredCapabilities.map((name) => [name, {}])),
  }),
  schema: {
    title: 'call bundle',
    type: 'object',
    properties: {
      version: text.schema,
      id: text.schema,
      from: address.schema,
      chainId: quantity.schema,
      atomicRequired: boolean.schema,
      calls: calls.schema,
      capabilities: { type: 'object' },
    },
    required: ['version', 'chainId', 'calls'],
  },
}

/** Versions that differ in the last numbers are compatible. */
function checkVersion(version: string): void {
  if (version.split('.')[0] === BUNDLE_VERSION.split('.')[0]) return
  throw new InvalidValueError(
    `version ${JSON.stringify(version.slice(0, 20))} is not supported, want ${BUNDLE_VERSION}`,
  )
}

function requiredOf(json: unknown): readonly string[] {
  const { capabilities } = jsonObject(json)
  if (capabilities === undefined || capabilities === null) return []
  return Object.entries(within('capabilities', () => jsonObject(capabilities)))
    .filter(([, value]) => !isOptional(value))
    .map(([name]) => name)
}

function isOptional(capability: unknown): boolean {
  return (
    typeof capability === 'object' && capability !== null && 'optional' in capability && capability.optional === true
  )
}
