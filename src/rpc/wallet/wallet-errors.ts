import { RpcError } from '../protocol/errors.ts'

/** Error codes of wallets (EIP-1193, EIP-5792). */
export const WALLET_CODES = {
  unauthorized: 4100,
  unsupportedCapability: 5700,
  unsupportedChain: 5710,
  duplicateId: 5720,
  unknownBundle: 5730,
  bundleTooLarge: 5740,
  atomicityNotSupported: 5760,
} as const

export function walletError(code: keyof typeof WALLET_CODES, message: string): RpcError {
  return new RpcError(WALLET_CODES[code], message)
}
