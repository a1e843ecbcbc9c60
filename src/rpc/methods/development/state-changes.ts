import type { Bytes } from '../../../primitives/hex.ts'
import { bytesToBigint } from '../../../primitives/quantity.ts'
import { address, data } from '../../codecs/bytes.ts'
import { flexibleData, hexSlotNumber, slotNumber } from '../../codecs/development/state-values.ts'
import { flexibleQuantity, flexibleQuantity64, quantity, quantity64 } from '../../codecs/quantity.ts'
import type { NodeConventions } from '../../compat/node-conventions.ts'
import { assertUnprotected } from '../../development/protected-accounts.ts'
import { setTokenValue } from '../../development/token-slots.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod, SETTER_RESULT } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

const WORD_BYTES = 32

export const anvil_setBalance = defineDevelopmentMethod({
  name: 'anvil_setBalance',
  aliases: ['hardhat_setBalance', 'tenderly_setBalance', 'evm_setAccountBalance'],
  summary: 'Sets the balance of an account, in wei.',
  params: [requiredParam('address', address), requiredParam('balance', flexibleQuantity)],
  hardhatParams: [requiredParam('address', address), requiredParam('balance', quantity)],
  result: SETTER_RESULT,
  cost: 20,
  async handle([account, balance], { conventions, development }) {
    await development.state.setBalance(account, balance)
    return conventions.control.setterResult
  },
})

export const anvil_addBalance = defineDevelopmentMethod({
  name: 'anvil_addBalance',
  aliases: ['hardhat_addBalance', 'tenderly_addBalance'],
  summary: 'Adds wei to the balance of an account, up to the highest possible balance.',
  params: [requiredParam('address', address), requiredParam('amount', flexibleQuantity)],
  result: SETTER_RESULT,
  cost: 20,
  async handle([account, wei], { conventions, development }) {
    await development.state.addBalance(account, wei)
    return conventions.control.setterResult
  },
})

export const anvil_setCode = defineDevelopmentMethod({
  name: 'anvil_setCode',
  aliases: ['hardhat_setCode', 'evm_setAccountCode'],
  summary: 'Sets the code of an account, without running a constructor: also code that no creation may deploy.',
  params: [requiredParam('address', address), requiredParam('code', flexibleData)],
  hardhatParams: [requiredParam('address', address), requiredParam('code', data)],
  result: SETTER_RESULT,
  cost: 20,
  async handle([account, code], { conventions, context, development }) {
    assertUnprotected(account, context.config, conventions)
    await development.state.setCode(account, code)
    return conventions.control.setterResult
  },
})

export const anvil_setNonce = defineDevelopmentMethod({
  name: 'anvil_setNonce',
  aliases: ['hardhat_setNonce', 'evm_setAccountNonce'],
  summary: 'Sets the nonce of an account. Hardhat refuses a lower one, and any while transactions wait.',
  params: [requiredParam('address', address), requiredParam('nonce', flexibleQuantity64)],
  hardhatParams: [requiredParam('address', address), requiredParam('nonce', quantity64)],
  result: SETTER_RESULT,
  cost: 20,
  async handle([account, nonce], { conventions, development }) {
    const refused = await development.state.setNonce(account, nonce, { isGuarded: conventions.control.guardsNonces })
    if (refused === undefined) return conventions.control.setterResult
    if (refused.code === 'POOL_NOT_EMPTY') {
      throw new RpcError(RPC_CODES.internal, 'Cannot set account nonce when the transaction pool is not empty')
    }
    throw new RpcError(
      RPC_CODES.server,
      `New nonce (${nonce}) must not be smaller than the existing nonce (${refused.existing})`,
    )
  },
})

export const anvil_setStorageAt = defineDevelopmentMethod({
  name: 'anvil_setStorageAt',
  aliases: ['hardhat_setStorageAt', 'evm_setAccountStorageAt'],
  summary: 'Sets a storage slot of an account to a value of 32 bytes.',
  params: [requiredParam('address', address), requiredParam('slot', slotNumber), requiredParam('value', data)],
  hardhatParams: [
    requiredParam('address', address),
    requiredParam('slot', hexSlotNumber),
    requiredParam('value', data),
  ],
  result: { type: 'boolean' },
  cost: 20,
  async handle([account, slot, value], { conventions, context, development }) {
    assertUnprotected(account, context.config, conventions)
    if (value.length !== WORD_BYTES) throw wordLengthError(value, conventions)
    await development.state.setStorage(account, slot, bytesToBigint(value))
    return true
  },
})

export const anvil_setChainId = defineDevelopmentMethod({
  name: 'anvil_setChainId',
  summary: 'Refuses any chain id but the present one, which is part of block 0; use `--chain-id`.',
  params: [requiredParam('chainId', flexibleQuantity64)],
  result: SETTER_RESULT,
  cost: 1,
  handle([chainId], { conventions, context }) {
    if (chainId === context.config.chainId) return conventions.control.setterResult
    const message = `the chain id is part of block 0 and cannot change: start a node with --chain-id ${chainId}`
    throw conventions.refusal({ anvil: [RPC_CODES.invalidParams, message], hardhat: [RPC_CODES.server, message] })
  },
})

export const anvil_dealERC20 = defineDevelopmentMethod({
  name: 'anvil_dealERC20',
  aliases: ['hardhat_dealERC20', 'anvil_setERC20Balance'],
  summary: 'Sets the balance of an account in an ERC-20 token, by the slot that balanceOf reads.',
  params: [
    requiredParam('account', address),
    requiredParam('token', address),
    requiredParam('balance', flexibleQuantity),
  ],
  result: SETTER_RESULT,
  cost: 200,
  async handle([account, token, balance], { conventions, context, development }) {
    const call = { token, signature: 'balanceOf(address)', arguments: [account] }
    if (!(await setTokenValue(call, balance, { context, state: development.state })))
      throw noSlot('balance', conventions)
    return conventions.control.setterResult
  },
})

export const anvil_setERC20Allowance = defineDevelopmentMethod({
  name: 'anvil_setERC20Allowance',
  summary: 'Sets an allowance in an ERC-20 token, by the slot that allowance reads.',
  params: [
    requiredParam('owner', address),
    requiredParam('spender', address),
    requiredParam('token', address),
    requiredParam('amount', flexibleQuantity),
  ],
  result: SETTER_RESULT,
  cost: 200,
  async handle([owner, spender, token, amount], { conventions, context, development }) {
    const call = { token, signature: 'allowance(address,address)', arguments: [owner, spender] }
    if (!(await setTokenValue(call, amount, { context, state: development.state })))
      throw noSlot('allowance', conventions)
    return conventions.control.setterResult
  },
})

function wordLengthError(value: Bytes, conventions: NodeConventions): RpcError {
  return conventions.refusal({
    anvil: [RPC_CODES.invalidParams, 'invalid string length'],
    hardhat: [
      RPC_CODES.server,
      `Storage value must be exactly 32 bytes long. Received ${data.encode(value)}, which is ${value.length} bytes long.`,
    ],
  })
}

function noSlot(what: 'balance' | 'allowance', conventions: NodeConventions): RpcError {
  const message = `Unable to set ERC20 ${what}, no slot found`
  return conventions.refusal({ anvil: [RPC_CODES.internal, message], hardhat: [RPC_CODES.internal, message] })
}
