import { concat, type Hex, keccak256, toRlp } from 'viem'
import { sign } from 'viem/accounts'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'

/** A field of a transaction: bytes, or a list of fields. */
export type Field = Hex | readonly Field[]

/**
 * A typed transaction of development account 0 with arbitrary fields and a correct signature.
 */
export async function signFields(type: Hex, fields: readonly Field[]): Promise<Hex> {
  const hash = keccak256(concat([type, toRlp(fields)]))
  const { r, s, yParity } = await sign({ hash, privateKey: bytesToHex(DEVELOPMENT_ACCOUNTS[0]!.privateKey) })
  return concat([type, toRlp([...fields, yParity === 0 ? '0x' : '0x01', trimmed(r), trimmed(s)])])
}

/** RLP integers have no leading zeros. */
function trimmed(value: Hex): Hex {
  return `0x${value.slice(2).replace(/^(00)+/, '')}`
}
