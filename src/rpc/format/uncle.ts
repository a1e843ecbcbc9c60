import { blockSize } from '../../chain/block/block-codec.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import type { BlockView } from '../../node/core/view.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import type { Json } from '../json.ts'
import { formatHeader } from './header.ts'

/** The uncle at a position of a block, without content; `null` for an unknown block or position. */
export function formatUncleAt(view: BlockView | undefined, index: number): Json {
  const header = view?.block.uncles[index]
  if (header === undefined) return null
  const size = blockSize({ header, transactions: [], uncles: [] })
  return { ...formatHeader(header, hashHeader(header)), size: toQuantity(size), uncles: [] }
}
