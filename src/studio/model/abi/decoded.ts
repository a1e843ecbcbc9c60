/** A decoded value with its parts, as a tree for display. */
export interface DecodedValue {
  readonly name: string
  readonly type: string
  /** Text of a value without parts. */
  readonly text: string
  /** Members of a tuple or items of an array. */
  readonly parts: readonly DecodedValue[]
}

/** A call, log or error in the terms of its ABI. */
export interface Decoded {
  readonly name: string
  /** As in `transfer(address,uint256)`. */
  readonly signature: string
  readonly values: readonly DecodedValue[]
}
