import type { KeyValueReader } from '../../../storage/key-value.ts'
import { readDiff } from '../../records/diff-codec.ts'
import type { StateDiff } from '../../state-diff.ts'
import { readChecked } from '../encoding/checked-value.ts'
import { blockKey } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'

/**
 * State changes from outside between the parent of a block and the block; `undefined`: none, as usual.
 *
 * @throws CorruptValueError
 */
export function readPrelude(reader: KeyValueReader<TableName>, number: number): StateDiff | undefined {
  const item = readChecked(reader, 'preludes', blockKey(number))
  return item && readDiff(item)
}

/** Whether a block has a prelude. */
export function hasPrelude(reader: KeyValueReader<TableName>, number: number): boolean {
  return reader.peek('preludes', blockKey(number)) !== undefined
}
