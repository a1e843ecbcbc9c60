import type { Header } from '../../chain/block/header.ts'
import { encodeHeader } from '../../chain/block/header-codec.ts'
import type { ExecutionWitness } from '../../engine/block/execution-witness.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import type { YieldIfDue } from '../scheduling/time-slices.ts'

/**
 * JSON of the result of `debug_executionWitness`. Yields while encoding.
 *
 * @param headers ascending, up to the parent
 */
export async function executionWitnessJson(
  { state, codes, keys }: ExecutionWitness,
  headers: readonly Header[],
  yieldIfDue: YieldIfDue,
): Promise<string> {
  const lists = { state, codes, keys, headers: headers.map(encodeHeader) }
  const members: string[] = []
  for (const [name, values] of Object.entries(lists)) members.push(`"${name}":${await listJson(values, yieldIfDue)}`)
  return `{${members.join(',')}}`
}

async function listJson(values: readonly Bytes[], yieldIfDue: YieldIfDue): Promise<string> {
  let items = ''
  for (const value of values) {
    await yieldIfDue()
    items += items === '' ? `"${bytesToHex(value)}"` : `,"${bytesToHex(value)}"`
  }
  return `[${items}]`
}
