import { expect, test } from 'vitest'
import { layer1Genesis } from '../../../test/support/layer1-genesis.ts'
import { hashHeader } from '../../chain/block/header-codec.ts'
import { buildGenesis } from '../../node/core/genesis-chain.ts'
import type { BlockView } from '../../node/view/view.ts'
import { formatUncleAt } from './header.ts'

test('formats the uncle at an index as a block without transactions', () => {
  const { block } = buildGenesis(layer1Genesis())
  const uncle = { ...block.header, number: 3, gasUsed: 7 }
  const view: BlockView = { block: { ...block, uncles: [block.header, uncle] }, receipts: [], status: 'sealed' }
  expect(formatUncleAt(view, 1)).toMatchObject({
    number: '0x3',
    gasUsed: '0x7',
    hash: hashHeader(uncle),
    uncles: [],
    size: expect.stringMatching(/^0x/),
  })
  expect(formatUncleAt(view, 1)).not.toHaveProperty('transactions')
  expect(formatUncleAt(view, 2)).toBeNull()
  expect(formatUncleAt(undefined, 0)).toBeNull()
})
