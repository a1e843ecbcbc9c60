import type { Address, Bytes, Hash } from '../../primitives/hex.ts'

/** What a contract emitted; its place in the chain belongs to the receipt that holds it. */
export interface Log {
  readonly address: Address
  /** 0 to 4. */
  readonly topics: readonly Hash[]
  readonly data: Bytes
}
