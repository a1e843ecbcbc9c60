import { encodeConfiguration } from '../encode/fork-configuration.ts'
import { defineMethod } from '../method.ts'

export const eth_config = defineMethod({
  name: 'eth_config',
  summary: 'The rules of the chain that hold now, those that come next and those that come last (EIP-7910).',
  params: [],
  result: { type: 'object', required: ['current', 'next', 'last'] },
  cost: 2,
  example: { params: [], result: { current: null, next: null, last: null } },
  handle(_, { view, config, engine }) {
    const genesis = view.block({ kind: 'number', number: 0 })!.block
    const head = view.header({ kind: 'tag', tag: 'latest' })!
    return encodeConfiguration({
      config,
      genesis: { hash: genesis.hash, timestamp: genesis.header.timestamp },
      head,
      precompiles: (fork) => engine.precompiles(fork),
    })
  },
})
