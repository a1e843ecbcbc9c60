import { instructionName } from '../../../solidity/bytecode/opcodes.ts'
import type { StepTrace } from '../../../solidity/trace/step-trace.ts'
import type { VariableValue } from '../../../solidity/values/variable-value.ts'
import { visibleText } from '../visible-text.ts'

/** An instruction of a trace. */
export interface OpcodeRow {
  readonly step: number
  readonly programCounter: number
  readonly name: string
  readonly gas: number
  readonly depth: number
}

/**
 * The instructions around a step, in the order of execution.
 *
 * @param gas of each step
 * @param count of rows, fewer in shorter traces
 */
export function opcodeRows(
  { count: steps, programCounters, opcodes, depths }: StepTrace,
  gas: Float64Array,
  step: number,
  count: number,
): readonly OpcodeRow[] {
  const first = Math.max(0, Math.min(step - (count >> 1), steps - count))
  return Array.from({ length: Math.min(count, steps) }, (_, index) => {
    const at = first + index
    return {
      step: at,
      programCounter: programCounters[at]!,
      name: instructionName(opcodes[at]!),
      gas: gas[at]!,
      depth: depths[at]!,
    }
  })
}

const WORD_BYTES = 32

/** A word of memory. */
export interface MemoryRow {
  readonly offset: number
  readonly hex: string
  /** Readable characters, a dot for others. */
  readonly text: string
}

/** Memory by words. @param limit of words */
export function memoryRows(memory: Uint8Array, limit: number): readonly MemoryRow[] {
  const words = Math.min(limit, Math.ceil(memory.length / WORD_BYTES))
  return Array.from({ length: words }, (_, index) => {
    const offset = index * WORD_BYTES
    const bytes = [...memory.subarray(offset, offset + WORD_BYTES)]
    return {
      offset,
      hex: bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''),
      text: bytes.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join(''),
    }
  })
}

/** A word of the stack or of storage as hex without leading zeros. */
export function hexOfWord(word: bigint): string {
  return `0x${word.toString(16)}`
}

/** A variable as a row of a table. */
export interface VariableRow {
  readonly name: string
  readonly type: string
  readonly text: string
  /** 0 for a variable, more for its parts. */
  readonly depth: number
  readonly key: string
}

const MAX_ROWS = 400
const MAX_NAME = 120
const MAX_TEXT = 2_000

/** Variables with their parts below them, as text without hidden characters. */
export function variableRows(values: readonly VariableValue[]): readonly VariableRow[] {
  const rows: VariableRow[] = []
  const add = ({ name, type, text, parts }: VariableValue, depth: number, path: string): void => {
    if (rows.length >= MAX_ROWS) return
    rows.push({
      name: visibleText(name, MAX_NAME),
      type: visibleText(type, MAX_NAME),
      text: visibleText(text, MAX_TEXT),
      depth,
      key: path,
    })
    for (const [index, part] of parts.entries()) add(part, depth + 1, `${path}/${index}`)
  }
  for (const [index, value] of values.entries()) add(value, 0, String(index))
  return rows
}
