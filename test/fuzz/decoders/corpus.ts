import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, hexToBytes } from '../../../src/primitives/hex.ts'

/** Inputs and bytes of an input that a corpus keeps at most: the repository stays small. */
const MAX_INPUTS = 60
const MAX_INPUT_BYTES = 1_024

/** The file with the inputs of a target: hexadecimal, one a line. */
function fileOf(root: string, target: string): string {
  return join(root, 'test/fuzz/corpus', `${target}.txt`)
}

/** Inputs that have reached code in an earlier run. */
export function readCorpus(root: string, target: string): readonly Uint8Array[] {
  const file = fileOf(root, target)
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8').split('\n').filter(Boolean).map(hexToBytes)
}

export function writeCorpus(root: string, target: string, inputs: readonly Uint8Array[]): void {
  const kept = inputs.filter(({ length }) => length > 0 && length <= MAX_INPUT_BYTES).slice(0, MAX_INPUTS)
  writeFileSync(fileOf(root, target), `${kept.map(bytesToHex).join('\n')}\n`)
}
