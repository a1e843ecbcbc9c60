import type { Bytes } from '../../primitives/hex.ts'

/** EIP-1559 parameters in the `extraData` of a layer-2 header, for its child (OP-stack specs: Holocene, Jovian). */
export interface Eip1559Parameters {
  readonly denominator: number
  readonly elasticity: number
  /** Wei per gas; from Jovian on. */
  readonly minBaseFee?: bigint
}

const HOLOCENE = { version: 0, length: 9 }
const JOVIAN = { version: 1, length: 17 }

/**
 * Encodes 17 bytes with a minimum base fee (Jovian), 9 without (Holocene).
 *
 * @example encodeExtraData({ denominator: 100, elasticity: 5, minBaseFee: 5_000_000n })
 */
export function encodeExtraData(parameters: Eip1559Parameters): Bytes {
  const { version, length } = parameters.minBaseFee === undefined ? HOLOCENE : JOVIAN
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, version)
  view.setUint32(1, parameters.denominator)
  view.setUint32(5, parameters.elasticity)
  if (parameters.minBaseFee !== undefined) view.setBigUint64(9, parameters.minBaseFee)
  return bytes
}

/** Undefined for any other form, or a zero parameter that must not be zero. */
export function decodeExtraData(extraData: Bytes): Eip1559Parameters | undefined {
  const isHolocene = extraData.length === HOLOCENE.length && extraData[0] === HOLOCENE.version
  const isJovian = extraData.length === JOVIAN.length && extraData[0] === JOVIAN.version
  if (!isHolocene && !isJovian) return undefined
  const view = new DataView(extraData.buffer, extraData.byteOffset, extraData.byteLength)
  const denominator = view.getUint32(1)
  const elasticity = view.getUint32(5)
  if (denominator === 0 || elasticity === 0) return undefined
  return { denominator, elasticity, ...(isJovian && { minBaseFee: view.getBigUint64(9) }) }
}
