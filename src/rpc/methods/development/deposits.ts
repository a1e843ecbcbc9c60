import { minimumDepositGas } from '../../../chain/system-transactions/user-deposit.ts'
import type { DepositRefusal } from '../../../node/layer1/waiting-deposits.ts'
import { EMPTY_BYTES } from '../../../primitives/hex.ts'
import { hash } from '../../codecs/bytes.ts'
import { depositRequest } from '../../codecs/deposit.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { requiredParam } from '../../registry/method.ts'

/** Gas for a deposit beyond what the portal demands for its calldata: as much as the portal gives plain ether. */
const DEFAULT_GAS = 100_000n

export const tickertape_deposit = defineDevelopmentMethod({
  name: 'tickertape_deposit',
  summary: 'Makes a deposit as a user of layer 1, and answers when the block that begins with it is announced.',
  params: [requiredParam('deposit', depositRequest)],
  result: hash.schema,
  cost: 100,
  async handle([request], { context, development }) {
    const { to = null, value = 0n, mint = value, data = EMPTY_BYTES } = request
    if (request.to === undefined && data.length === 0) {
      throw new RpcError(RPC_CODES.invalidParams, 'give `to`, or the code of a contract to create in `data`')
    }
    const from = request.from ?? development.accounts.signers[0]
    if (from === undefined) {
      throw new RpcError(RPC_CODES.invalidParams, 'the node has no accounts: give `from`, the depositing account')
    }
    const gasLimit = request.gas ?? minimumDepositGas(data.length) + DEFAULT_GAS
    const deposit = { from, to, mint, value, gasLimit, data }
    const result = await context.inclusionWaits.run(() => development.deposit(deposit))
    if (result.kind === 'included') return result.hash
    throw new RpcError(codeOf(result.refusal), messageOf(result.refusal))
  },
})

function codeOf({ code }: DepositRefusal): number {
  switch (code) {
    case 'DEPOSITS_NOT_SUPPORTED':
    case 'DEPOSITS_FROM_LAYER_1':
    case 'DEPOSITS_STAND_STILL':
    case 'TOO_MANY_DEPOSITS':
    case 'NODE_STOPPED':
      return RPC_CODES.server
    default:
      return RPC_CODES.invalidParams
  }
}

function messageOf(refusal: DepositRefusal): string {
  switch (refusal.code) {
    case 'DEPOSITS_NOT_SUPPORTED':
      return 'this chain has no deposits: use --profile op or denim'
    case 'DEPOSITS_FROM_LAYER_1':
      return 'this node follows a layer 1 (--l1-url): make the deposit at its portal'
    case 'DEPOSITS_STAND_STILL':
      return 'this node builds no blocks (--stand-still)'
    case 'TOO_MANY_DEPOSITS':
      return `${refusal.limit} deposits wait already: try again after the next block`
    case 'NODE_STOPPED':
      return 'the node is stopping: the deposit was not made'
    case 'DEPOSIT_GAS_TOO_LOW':
      return `gas ${refusal.gasLimit} is too low: the portal wants at least ${refusal.minimum} for this calldata`
    case 'DEPOSIT_GAS_TOO_HIGH':
      return `gas ${refusal.gasLimit} is too high: the portal sells at most ${refusal.limit} for a block of layer 1`
    case 'DEPOSIT_TOO_LARGE':
      return `the calldata has ${refusal.bytes} bytes: the portal accepts at most ${refusal.limit}`
    case 'DEPOSIT_MINT_TOO_HIGH':
      return `mint ${refusal.mint} has more than 128 bits`
    case 'DEPOSIT_FROM_PROTOCOL':
      return 'deposits of this account set the values of layer 1: choose another `from`'
    case 'DEPOSIT_EXCEEDS_BLOCK':
      return `gas ${refusal.gasLimit} exceeds the ${refusal.room} that a block has for deposits`
  }
}
