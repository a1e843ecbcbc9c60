import { type Bytes, bytesToHex, type Hex } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { sign } from '../../primitives/secp256k1/secp256k1.ts'

/** The hash of a message that a person signs (EIP-191, version 0x45). */
export function messageHash(message: Bytes): Bytes {
  return keccak256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${message.length}`), message]))
}

/** A signature as wallets return it: `r`, `s` and 27 or 28, 65 bytes. */
export function signatureOf(hash: Bytes, privateKey: Bytes): Hex {
  const { r, s, yParity } = sign(hash, privateKey)
  return bytesToHex(Buffer.concat([bigintToWord(r), bigintToWord(s), Uint8Array.of(27 + yParity)]))
}
