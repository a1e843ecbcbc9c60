import { DEVELOPMENT_ACCOUNTS } from '../../../chain/accounts/development-accounts.ts'
import { type Address, type Bytes, hexToBytes, isHexBytes } from '../../../primitives/hex.ts'
import { PrivateKeyError, privateKeyToAddress } from '../../../primitives/secp256k1/secp256k1.ts'
import { StockError } from '../terms/stock-error.ts'

/** Signer of a transaction. */
export interface Sender {
  readonly address: Address
  readonly privateKey: Bytes
}

export interface SenderOptions {
  readonly privateKey: string | undefined
  readonly account: number | undefined
}

/**
 * The account of a private key, otherwise a development account, by default the first one. The key stays in this
 * process.
 *
 * @throws StockError `INVALID_INPUT`; its message never repeats the key
 */
export function signerOf({ privateKey, account }: SenderOptions): Sender {
  if (privateKey === undefined) return DEVELOPMENT_ACCOUNTS[account ?? 0]!
  if (account !== undefined)
    throw invalid('--private-key (or TICKERTAPE_PRIVATE_KEY) and --account both say who sends: give one of them')
  if (!isHexBytes(privateKey) || privateKey.length !== 66) {
    throw invalid('--private-key wants 32 bytes in hex, 0x and 64 digits')
  }
  const bytes = hexToBytes(privateKey)
  try {
    return { address: privateKeyToAddress(bytes), privateKey: bytes }
  } catch (error) {
    if (error instanceof PrivateKeyError) throw invalid(`--private-key is no key: ${error.message}`)
    throw error
  }
}

function invalid(message: string): StockError {
  return new StockError('INVALID_INPUT', message)
}
