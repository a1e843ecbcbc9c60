import { LATEST } from '../../node/core/block-reference.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { defineMethod } from '../method.ts'

export const eth_capabilities = defineMethod({
  name: 'eth_capabilities',
  summary: 'From which block on the node can answer for state, proofs, blocks, transactions, receipts and logs.',
  params: [],
  result: { type: 'object', required: ['head'] },
  cost: 1,
  example: {
    params: [],
    result: {
      head: { number: '0x1', hash: '0x556e3c5799c93e2d26c549fd075670b4ef08f3728e28dc1ce328dd84c2694390' },
      state: { disabled: false, oldestBlock: '0x0' },
      stateproofs: { disabled: false, oldestBlock: '0x0' },
      tx: { disabled: false, oldestBlock: '0x0' },
      logs: { disabled: false, oldestBlock: '0x0' },
      receipts: { disabled: false, oldestBlock: '0x0' },
      blocks: { disabled: false, oldestBlock: '0x0' },
    },
  },
  handle(_, { view }) {
    const { header, hash } = view.block(LATEST)!.block
    const oldest = view.oldest()
    const since = (block: number) => ({ disabled: false, oldestBlock: toQuantity(block) })
    return {
      head: { number: toQuantity(header.number), hash },
      state: since(oldest.state),
      stateproofs: since(oldest.proofs),
      tx: since(oldest.block),
      logs: since(oldest.block),
      receipts: since(oldest.block),
      blocks: since(oldest.block),
    }
  },
})
