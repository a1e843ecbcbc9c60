import type { Bytes } from '../../primitives/hex.ts'
import { callDataItems, callDataValue, memoryValue } from '../values/encoded-values.ts'
import type { StorageNames } from '../values/storage-names.ts'
import { plainValue, type VariableValue } from '../values/variable-value.ts'
import { wordText } from '../values/words.ts'
import type { StackVariable } from './local-variables.ts'
import type { MachineState } from './machine-windows.ts'

/** What variables refer to. */
export interface StackContext {
  readonly machine: MachineState
  /** Call data of the frame. */
  readonly input: Bytes
  readonly names: StorageNames | undefined
}

/** The value of a variable. @param base index on the stack of the first parameter of its function */
export function stackValue(variable: StackVariable, base: number, context: StackContext): VariableValue {
  const { name, type, location, slot, slots } = variable
  const { machine, input, names } = context
  const word = machine.stack[base + slot]
  if (word === undefined) return plainValue(name, type.text, 'not on the stack here')
  const typed = { name, type }
  // References beyond 2^53 lead nowhere.
  const reference = Number(word)
  switch (location) {
    case 'value':
      return plainValue(name, type.text, type.kind === 'value' ? wordText(type, word) : `0x${word.toString(16)}`)
    case 'memory':
      return memoryValue(typed, machine.memory, reference)
    case 'calldata':
      if (slots === 1) return callDataValue(typed, input, reference)
      return callDataItems(typed, input, reference, Number(machine.stack[base + slot + 1] ?? 0n))
    case 'storage': {
      const [place] = names?.placesIn(word) ?? []
      const text = `storage at slot 0x${word.toString(16)}${place === undefined ? '' : ` (${place.path})`}`
      return plainValue(name, type.text, text)
    }
  }
}
