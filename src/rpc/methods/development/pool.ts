import { address, hash } from '../../codecs/bytes.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

export const anvil_dropTransaction = defineDevelopmentMethod({
  name: 'anvil_dropTransaction',
  aliases: ['hardhat_dropTransaction'],
  summary: 'Drops a transaction from the pool, in Anvil with those that can only follow it.',
  params: [requiredParam('hash', hash)],
  result: {
    title: 'its hash or null (Anvil), whether the pool had it (Hardhat)',
    oneOf: [hash.schema, { type: 'null' }, { type: 'boolean' }],
  },
  cost: 5,
  async handle([transactionHash], { conventions, context, development }) {
    const { dropsDependents: withDependents } = conventions.control
    const isDropped = await development.mining.dropTransaction(transactionHash, { withDependents })
    if (!conventions.control.saysWhetherRemoved) return isDropped ? transactionHash : null
    if (!isDropped && context.view.transaction(transactionHash)?.kind === 'included') {
      const message = `Transaction ${transactionHash} cannot be dropped because it's already mined`
      throw new RpcError(RPC_CODES.invalidParams, message)
    }
    return isDropped
  },
})

export const anvil_dropAllTransactions = defineDevelopmentMethod({
  name: 'anvil_dropAllTransactions',
  aliases: ['hardhat_dropAllTransactions', 'debug_clearTxpool'],
  summary: 'Drops all transactions from the pool.',
  params: [],
  result: SETTER_RESULT,
  cost: 10,
  async handle(_, { conventions, development }) {
    await development.mining.dropTransactions()
    return conventions.control.setterResult
  },
})

export const anvil_removePoolTransactions = defineDevelopmentMethod({
  name: 'anvil_removePoolTransactions',
  summary: 'Drops the transactions of a sender from the pool.',
  params: [requiredParam('address', address)],
  result: { type: 'null' },
  cost: 10,
  async handle([sender], { development }) {
    await development.mining.dropTransactions(({ from }) => from === sender)
    return null
  },
})

export const admin_dropTransaction = defineDevelopmentMethod({
  name: 'admin_dropTransaction',
  summary: 'Drops a transaction from the pool, as on Base. Returns whether the pool had it.',
  profiles: ['denim'],
  params: [requiredParam('hash', hash)],
  result: { type: 'boolean' },
  cost: 5,
  handle: ([transactionHash], { development }) => development.mining.dropTransaction(transactionHash),
})

export const admin_dropSenderTransactions = defineDevelopmentMethod({
  name: 'admin_dropSenderTransactions',
  summary: 'Drops the transactions of a sender from the pool, as on Base. Returns their hashes.',
  profiles: ['denim'],
  params: [requiredParam('address', address)],
  result: { type: 'array', items: hash.schema },
  cost: 10,
  handle: ([sender], { development }) => development.mining.dropTransactions(({ from }) => from === sender),
})
