import type { StepTrace } from '../trace/step-trace.ts'
import type { StoragePlace } from '../values/storage-names.ts'
import { type StorageNames, storageValues } from '../values/storage-names.ts'
import type { VariableValue } from '../values/variable-value.ts'

/** A slot that the transaction has used, with the variables in it. */
export interface NamedSlot {
  readonly slot: bigint
  readonly value: bigint
  /** Empty: it has no name in the layout, or there is none. */
  readonly variables: readonly VariableValue[]
  /** Whether the transaction wrote it, and the write was not reverted. */
  readonly isWritten: boolean
}

/**
 * Slots of an account as they are before a step, as far as the transaction has used them. What frames wrote that were
 * reverted before the step does not count.
 *
 * @param frameOf index of the frame by step
 */
export function storageBefore(
  { frames, storage }: StepTrace,
  frameOf: Int32Array,
  account: string,
  step: number,
  names: StorageNames | undefined,
): readonly NamedSlot[] {
  const slots = new Map<bigint, { readonly value: bigint; readonly isWritten: boolean }>()
  const isReverted = (at: number): boolean => {
    for (let index: number | undefined = frameOf[at]; index !== undefined; index = frames[index]!.parent) {
      const { error, endStep } = frames[index]!
      if (error !== undefined && endStep <= step) return true
    }
    return false
  }
  for (const access of storage) {
    if (access.step >= step) break
    if (frames[frameOf[access.step]!]!.account !== account || isReverted(access.step)) continue
    const { slot, value, isWrite } = access
    slots.set(slot, { value, isWritten: isWrite || slots.get(slot)?.isWritten === true })
  }
  const wordAt = (slot: bigint): bigint | undefined => slots.get(slot)?.value
  return Array.from(slots, ([slot, { value, isWritten }]) => {
    const places: readonly StoragePlace[] = names?.placesIn(slot) ?? []
    return { slot, value, isWritten, variables: storageValues(places, value, wordAt) }
  }).sort((a, b) => (a.slot < b.slot ? -1 : 1))
}
