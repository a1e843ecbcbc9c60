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

/** Parameters and their encoding: consecutive headers have the same ones, and a view of the bytes for each is slow. */
let newest: { readonly parameters: Eip1559Parameters; readonly bytes: Bytes } | undefined

/**
 * Encodes 17 bytes with a minimum base fee (Jovian), 9 without (Holocene).
 *
 * @example encodeExtraData({ denominator: 100, elasticity: 5, minBaseFee: 5_000_000n })
 */
export function encodeExtraData(parameters: Eip1559Parameters): Bytes {
  const { denominator, elasticity, minBaseFee } = parameters
  if (newest !== undefined && isEqual(newest.parameters, parameters)) return newest.bytes
  const { version, length } = minBaseFee === undefined ? HOLOCENE : JOVIAN
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, version)
  view.setUint32(1, denominator)
  view.setUint32(5, elasticity)
  if (minBaseFee !== undefined) view.setBigUint64(9, minBaseFee)
  newest = { parameters: { denominator, elasticity, ...(minBaseFee !== undefined && { minBaseFee }) }, bytes }
  return bytes
}

function isEqual(left: Eip1559Parameters, right: Eip1559Parameters): boolean {
  return (
    left.denominator === right.denominator &&
    left.elasticity === right.elasticity &&
    left.minBaseFee === right.minBaseFee
  )
}

/** Undefined for any other form, or a zero parameter that must not be zero. */
export function decodeExtraData(extraData: Bytes): Eip1559Parameters | undefined {
  if (extraData === newest?.bytes && isValid(newest.parameters)) return newest.parameters
  const isHolocene = extraData.length === HOLOCENE.length && extraData[0] === HOLOCENE.version
  const isJovian = extraData.length === JOVIAN.length && extraData[0] === JOVIAN.version
  if (!isHolocene && !isJovian) return undefined
  const view = new DataView(extraData.buffer, extraData.byteOffset, extraData.byteLength)
  const parameters = {
    denominator: view.getUint32(1),
    elasticity: view.getUint32(5),
    ...(isJovian && { minBaseFee: view.getBigUint64(9) }),
  }
  return isValid(parameters) ? parameters : undefined
}

function isValid({ denominator, elasticity }: Eip1559Parameters): boolean {
  return denominator !== 0 && elasticity !== 0
}
