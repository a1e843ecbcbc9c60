import type { Address, Bytes, Hash } from '../../primitives/hex.ts'
import type { ForeignMembers } from '../foreign-members.ts'

/** An event emitted by a contract; the receipt that holds it gives its position in the chain. */
export interface Log {
  readonly address: Address
  /** 0 to 4. */
  readonly topics: readonly Hash[]
  readonly data: Bytes
  /** Members that only the forked chain knows. */
  readonly foreign?: ForeignMembers
}
