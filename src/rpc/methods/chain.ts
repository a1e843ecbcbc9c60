import { LATEST } from '../../node/view/block-reference.ts'
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
  example: { params: [], result: '0x7a69' },
  handle: (_, { config }) => toQuantity(config.chainId),
})

export const eth_config = defineMethod({
  name: 'eth_config',
  summary: 'The current, the next and the last fork configuration (EIP-7910).',
  params: [],
  result: { type: 'object', required: ['current', 'next', 'last'] },
  cost: 2,
  example: {
    params: [],
    result: {
      current: {
        activationTime: 0,
        blobSchedule: { target: 0, max: 0, baseFeeUpdateFraction: 0 },
        chainId: '0x7a69',
        forkId: '0x29680f93',
        precompiles: {
          ECREC: '0x0000000000000000000000000000000000000001',
          SHA256: '0x0000000000000000000000000000000000000002',
          RIPEMD160: '0x0000000000000000000000000000000000000003',
          ID: '0x0000000000000000000000000000000000000004',
          MODEXP: '0x0000000000000000000000000000000000000005',
          BN254_ADD: '0x0000000000000000000000000000000000000006',
          BN254_MUL: '0x0000000000000000000000000000000000000007',
          BN254_PAIRING: '0x0000000000000000000000000000000000000008',
          BLAKE2F: '0x0000000000000000000000000000000000000009',
          KZG_POINT_EVALUATION: '0x000000000000000000000000000000000000000a',
          BLS12_G1ADD: '0x000000000000000000000000000000000000000b',
          BLS12_G1MSM: '0x000000000000000000000000000000000000000c',
          BLS12_G2ADD: '0x000000000000000000000000000000000000000d',
          BLS12_G2MSM: '0x000000000000000000000000000000000000000e',
          BLS12_PAIRING_CHECK: '0x000000000000000000000000000000000000000f',
          BLS12_MAP_FP_TO_G1: '0x0000000000000000000000000000000000000010',
          BLS12_MAP_FP2_TO_G2: '0x0000000000000000000000000000000000000011',
        },
        systemContracts: {
          BEACON_ROOTS_ADDRESS: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
          HISTORY_STORAGE_ADDRESS: '0x0000f90827f1c53a10cb7a02335b175320002935',
        },
      },
      next: null,
      last: null,
    },
  },
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

export const eth_syncing = defineMethod({
  name: 'eth_syncing',
  summary: 'Always false: the node builds the chain itself.',
  params: [],
  result: boolean.schema,
  cost: 1,
  example: { params: [], result: false },
  handle: () => false,
})

export const eth_coinbase = defineMethod({
  name: 'eth_coinbase',
  summary: 'The fee recipient of the open block.',
  params: [],
  result: address.schema,
  cost: 1,
  example: { params: [], result: '0x4200000000000000000000000000000000000011' },
  handle: (_, { view }) => view.head.pending.block.header.miner,
})
