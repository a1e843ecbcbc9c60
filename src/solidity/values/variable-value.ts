/** A value with its parts, as a tree for display. */
export interface VariableValue {
  readonly name: string
  readonly type: string
  /** Text of a value without parts, or what is known about the whole. */
  readonly text: string
  /** Members of a struct or items of an array. */
  readonly parts: readonly VariableValue[]
}

/** Items of an array that are shown: hostile data may announce any number. */
export const MAX_SHOWN_ITEMS = 100
/** Bytes of a text or of bytes that are shown. */
export const MAX_SHOWN_BYTES = 4_096
/** Values that one view decodes, parts of values included. */
const MAX_VALUES = 2_000
/** Structs within structs. */
export const MAX_VALUE_DEPTH = 16

/** How many more values may be decoded: hostile data may refer to itself. */
export interface ValueBudget {
  left: number
}

export function valueBudget(): ValueBudget {
  return { left: MAX_VALUES }
}

export function plainValue(name: string, type: string, text: string): VariableValue {
  return { name, type, text, parts: [] }
}
