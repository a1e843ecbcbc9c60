import { LATEST } from '../../node/view/block-reference.ts'
import { oldestProofs } from '../../node/view/old-tries.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { boolean } from '../codecs/boolean.ts'
import { address } from '../codecs/bytes.ts'
import { quantity } from '../codecs/quantity.ts'
import { formatConfiguration } from '../format/fork-configuration.ts'
import { defineMethod } from '../registry/method.ts'

export const eth_chainId = defineMethod({
  name: 'eth_chainId',
  summary: 'The chain id that transactions are signed for.',
  params: [],
  result: quantity.schema,
  cost: 1,
  isSameInView: true,
  handle: (_, { config }) => toQuantity(config.chainId),
})

export const eth_config = defineMethod({
  name: 'eth_config',
  summary: 'The current, the next and the last fork configuration (EIP-7910).',
  params: [],
  result: { type: 'object', required: ['current', 'next', 'last'] },
  cost: 2,
  handle(_, { view, config, engine }) {
    const genesis = view.block({ kind: 'number', number: 0 })!.block
    const head = view.header({ kind: 'tag', tag: 'latest' })!
    return formatConfiguration({
      config,
      genesis: { hash: genesis.hash, timestamp: genesis.header.timestamp },
      head,
      precompiles: (rules) => engine.precompiles(rules),
    })
  },
})

export const eth_capabilities = defineMethod({
  name: 'eth_capabilities',
  summary: 'The oldest block for which state, proofs, blocks, transactions, receipts and logs are available.',
  params: [],
  result: { type: 'object', required: ['head'] },
  cost: 1,
  handle(_, { view, options }) {
    const { header, hash } = view.block(LATEST)!.block
    const oldest = view.oldest()
    const since = (block: number) => ({ disabled: false, oldestBlock: toQuantity(block) })
    return {
      head: { number: toQuantity(header.number), hash },
      state: since(oldest.state),
      stateproofs: since(oldestProofs(view, options.proofWindowSeconds)),
      tx: since(oldest.block),
      logs: since(oldest.block),
      receipts: since(oldest.block),
      blocks: since(oldest.block),
    }
  },
})

export const eth_syncing = defineMethod({
  name: 'eth_syncing',
  summary: 'Always false: the node builds the chain itself.',
  params: [],
  result: boolean.schema,
  cost: 1,
  handle: () => false,
})

export const eth_coinbase = defineMethod({
  name: 'eth_coinbase',
  summary: 'The fee recipient of the open block.',
  params: [],
  result: address.schema,
  cost: 1,
  handle: (_, { view }) => view.head.pending.block.header.miner,
})
