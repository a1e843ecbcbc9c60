import { lowestGasLimit } from '../../../chain/system-transactions/opening-transactions.ts'
import { address, hash } from '../../codecs/bytes.ts'
import { flexibleQuantity64 } from '../../codecs/quantity.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

/** Larger ones would overflow the arithmetic of fees. */
const MAX_GAS_LIMIT = 2n ** 63n - 1n

export const evm_setBlockGasLimit = defineDevelopmentMethod({
  name: 'evm_setBlockGasLimit',
  aliases: ['anvil_setBlockGasLimit'],
  summary: 'Sets the gas limit of all later blocks.',
  params: [requiredParam('gasLimit', flexibleQuantity64)],
  result: { type: 'boolean' },
  cost: 5,
  async handle([gasLimit], { conventions, context, development }) {
    if (!conventions.control.acceptsZeroGasLimit && gasLimit === 0n) {
      throw new RpcError(RPC_CODES.server, 'Block gas limit must be greater than 0')
    }
    const lowest = lowestGasLimit(context.config, context.view.head.pending.block.header.number)
    if (gasLimit < lowest) {
      const message = `the gas limit ${gasLimit} is below ${lowest}, the lowest one of a valid block`
      throw new RpcError(RPC_CODES.invalidParams, message)
    }
    if (gasLimit > MAX_GAS_LIMIT) {
      throw new RpcError(RPC_CODES.invalidParams, `the gas limit ${gasLimit} exceeds ${MAX_GAS_LIMIT}`)
    }
    await development.mining.setGasLimit(gasLimit)
    if (conventions.control.dropsUnfitting) {
      await development.mining.dropTransactions((transaction) => transaction.gasLimit > gasLimit)
    }
    return true
  },
})

export const anvil_setCoinbase = defineDevelopmentMethod({
  name: 'anvil_setCoinbase',
  aliases: ['hardhat_setCoinbase'],
  summary: 'Sets the fee recipient of all later blocks.',
  params: [requiredParam('address', address)],
  result: SETTER_RESULT,
  cost: 5,
  async handle([coinbase], { conventions, development }) {
    await development.mining.setCoinbase(coinbase)
    return conventions.control.setterResult
  },
})

export const anvil_setNextBlockBaseFeePerGas = defineDevelopmentMethod({
  name: 'anvil_setNextBlockBaseFeePerGas',
  aliases: ['hardhat_setNextBlockBaseFeePerGas'],
  summary: 'Sets the base fee of the next block; later ones are derived from it.',
  params: [requiredParam('baseFeePerGas', flexibleQuantity64)],
  result: SETTER_RESULT,
  cost: 5,
  async handle([baseFeePerGas], { conventions, development }) {
    await development.mining.setNextBaseFee(baseFeePerGas)
    return conventions.control.setterResult
  },
})

export const hardhat_setPrevRandao = defineDevelopmentMethod({
  name: 'hardhat_setPrevRandao',
  aliases: ['anvil_setNextBlockPrevRandao'],
  summary: 'Sets prevRandao of the next block.',
  params: [requiredParam('prevRandao', hash)],
  result: SETTER_RESULT,
  cost: 5,
  async handle([prevRandao], { conventions, development }) {
    await development.mining.setPrevRandao(prevRandao)
    return conventions.control.setterResult
  },
})

const MIN_GAS_PRICE_REFUSED = 'is not supported when EIP-1559 is active'

export const anvil_setMinGasPrice = defineDevelopmentMethod({
  name: 'anvil_setMinGasPrice',
  effect: 'none',
  aliases: ['hardhat_setMinGasPrice'],
  summary: 'Always refused: EIP-1559 is active, and the base fee is the minimum gas price.',
  params: [requiredParam('gasPrice', flexibleQuantity64)],
  result: SETTER_RESULT,
  cost: 1,
  handle(_, { conventions }) {
    throw conventions.refusal({
      anvil: [RPC_CODES.invalidParams, `anvil_setMinGasPrice ${MIN_GAS_PRICE_REFUSED}`],
      hardhat: [RPC_CODES.server, `hardhat_setMinGasPrice ${MIN_GAS_PRICE_REFUSED}`],
    })
  },
})
