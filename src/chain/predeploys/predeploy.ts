import { type Address, type Bytes, hexToBytes, type Slot, toAddress } from '../../primitives/hex.ts'

/** An account of block 0. */
export interface GenesisAccount {
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Bytes
  readonly storage: ReadonlyMap<Slot, bigint>
}

/** A contract that exists from block 0. */
export interface Predeploy extends GenesisAccount {
  readonly name: string
  readonly address: Address
}

/**
 * A contract without ether. Its nonce is 1, as after a creation (EIP-161).
 *
 * @param address in any case
 * @throws InvalidHexError when `address` is not 20 bytes
 * @example predeploy('Multicall3', '0xcA11bde05977b3631167028862bE2a173976CA11', code)
 */
export function predeploy(
  name: string,
  address: string,
  code: Bytes | string,
  storage: ReadonlyMap<Slot, bigint> = new Map(),
): Predeploy {
  const bytes = typeof code === 'string' ? hexToBytes(code) : code
  return { name, address: toAddress(address), balance: 0n, nonce: 1n, code: bytes, storage }
}
