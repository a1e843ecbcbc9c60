import type { Hex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { StockError } from './stock-error.ts'

const TAGS = ['latest', 'pending', 'safe', 'finalized', 'earliest']

/** A block parameter of JSON-RPC: a tag, a quantity, or a hash (EIP-1898). */
export type BlockName = string | { readonly blockHash: Hex }

/**
 * @throws StockError `INVALID_INPUT` unless it is a tag, a decimal or hex number, or a hash
 * @example parseBlockName('12') // '0xc'
 */
export function parseBlockName(text: string): BlockName {
  if (TAGS.includes(text)) return text
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return { blockHash: text as Hex }
  if (/^\d{1,15}$/.test(text) || /^0x[0-9a-fA-F]{1,13}$/.test(text)) return toQuantity(Number(text))
  throw new StockError('INVALID_INPUT', `--block wants ${TAGS.join(', ')}, a number or a block hash; got ${text}`)
}
