import { createContract } from 'micro-eth-signer/abi.js'
import type { Bytes } from '../../primitives/hex.ts'

const SELECTOR_BYTES = 4

interface AbiEntry {
  readonly type: string
  readonly inputs?: readonly unknown[]
}

/** Whether bytes are the arguments of the constructor of an ABI, in the only encoding that the compiler produces. */
export function areConstructorArguments(abi: readonly AbiEntry[], bytes: Bytes): boolean {
  const inputs = abi.find(({ type }) => type === 'constructor')?.inputs ?? []
  if (inputs.length === 0 || bytes.length === 0) return inputs.length === 0 && bytes.length === 0
  try {
    // As a function that returns its inputs: the library decodes outputs and encodes inputs.
    const { echo } = createContract([{ type: 'function', name: 'echo', inputs, outputs: inputs }] as never)
    const { decodeOutput, encodeInput } = echo as {
      readonly decodeOutput: (data: Bytes) => unknown
      readonly encodeInput: (values: unknown) => Bytes
    }
    return Buffer.compare(encodeInput(decodeOutput(bytes)).subarray(SELECTOR_BYTES), bytes) === 0
  } catch {
    return false
  }
}
