import type { Address, Bytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { transientRlp } from '../../primitives/rlp-writer.ts'
import { recoverAddress, SECP256K1_HALF_ORDER, sign } from '../../primitives/secp256k1/secp256k1.ts'
import type { Authorization } from './transaction.ts'

const MAGIC = 0x05

/** Recovered authorities: the pool needs them before the engine does. */
const AUTHORITIES = new WeakMap<Authorization, Address | undefined>()

/**
 * Recovers the authority of an authorization (EIP-7702), once; chain id and nonce are checked by the engine.
 *
 * @returns undefined when the signature is invalid: parity above 1, high `s` or no such point
 * @example recoverAuthority(transaction.authorizationList[0])
 */
export function recoverAuthority(authorization: Authorization): Address | undefined {
  if (AUTHORITIES.has(authorization)) return AUTHORITIES.get(authorization)
  const authority = recovered(authorization)
  AUTHORITIES.set(authorization, authority)
  return authority
}

function recovered(authorization: Authorization): Address | undefined {
  const { r, s, yParity } = authorization
  if (yParity !== 0 && yParity !== 1) return undefined
  if (s > SECP256K1_HALF_ORDER) return undefined
  return recoverAddress(authorizationHash(authorization), { r, s, yParity })
}

/**
 * Signs an authorization with `privateKey`.
 *
 * @throws PrivateKeyError when the key is invalid
 */
export function signAuthorization(
  fields: Pick<Authorization, 'chainId' | 'address' | 'nonce'>,
  privateKey: Bytes,
): Authorization {
  return { ...fields, ...sign(authorizationHash(fields), privateKey) }
}

function authorizationHash(fields: Pick<Authorization, 'chainId' | 'address' | 'nonce'>): Bytes {
  return keccak256(transientRlp([fields.chainId, fields.address, fields.nonce], MAGIC))
}
