import { ignoredValue } from '../../codecs/object.ts'
import { text } from '../../codecs/text.ts'
import { RPC_CODES, RpcError } from '../../protocol/errors.ts'
import { defineDevelopmentMethod } from '../../registry/development-method.ts'
import { type MethodParameter, optionalParam } from '../../registry/method.ts'

const NO_PROOF_OF_WORK = 'there is no proof of work: mine blocks with evm_mine or anvil_mine'
const NO_SIGNATURES =
  'signatures are not impersonated, since blocks could then not be verified: sign with a key of eth_accounts, or override ' +
  'the code of 0x0000000000000000000000000000000000000001 (ecrecover) in eth_call'

export const anvil_impersonateSignature = refusedMethod({
  name: 'anvil_impersonateSignature',
  summary: 'Always refused: blocks could not be verified. Override the code of address 1 in eth_call instead.',
  // Versions of Anvil take a pair, or both values on their own.
  params: [optionalParam('signature', ignoredValue), optionalParam('address', ignoredValue)],
  message: NO_SIGNATURES,
})

export const eth_getWork = refusedMethod({
  name: 'eth_getWork',
  summary: 'Always refused: there is no proof of work.',
  params: [],
  message: NO_PROOF_OF_WORK,
  isProofOfWork: true,
})

export const eth_submitWork = refusedMethod({
  name: 'eth_submitWork',
  summary: 'Always refused: there is no proof of work.',
  params: [optionalParam('nonce', text), optionalParam('powHash', text), optionalParam('mixDigest', text)],
  message: NO_PROOF_OF_WORK,
  isProofOfWork: true,
})

export const eth_submitHashrate = refusedMethod({
  name: 'eth_submitHashrate',
  summary: 'Always refused: there is no proof of work.',
  params: [optionalParam('hashrate', text), optionalParam('id', text)],
  message: NO_PROOF_OF_WORK,
  isProofOfWork: true,
})

interface RefusedMethod {
  readonly name: string
  readonly summary: string
  /** Optional, so that a request without them gets the reason, too. */
  readonly params: readonly MethodParameter<unknown>[]
  readonly message: string
  readonly isProofOfWork?: boolean
}

/** A method of the other nodes that this one answers with the way to do the same. */
function refusedMethod({ name, summary, params, message, isProofOfWork = false }: RefusedMethod) {
  return defineDevelopmentMethod({
    name,
    effect: 'none',
    summary,
    params,
    result: { type: 'null' },
    cost: 1,
    handle(_, { conventions }) {
      const { proofOfWorkRefusal } = conventions.control
      if (isProofOfWork && proofOfWorkRefusal !== undefined) throw new RpcError(...proofOfWorkRefusal)
      throw new RpcError(RPC_CODES.server, message)
    },
  })
}
