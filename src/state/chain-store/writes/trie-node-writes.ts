import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { TrieNodeSource, TrieNodeWrites } from '../../trie-node-source.ts'
import { trieNodeKey, withPrefix } from '../encoding/keys.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, remove, type Write } from '../encoding/write.ts'

/** Removals first: a cleared storage trie may have new nodes under the same prefix. */
export function* trieNodeWrites(reader: KeyValueReader<TableName>, writes: TrieNodeWrites): Iterable<Write> {
  for (const prefix of writes.deletedPrefixes) {
    for (const { key } of reader.range('trieNodes', withPrefix(trieNodeKey(prefix)))) yield remove('trieNodes', key)
  }
  for (const path of writes.deletes) yield remove('trieNodes', trieNodeKey(path))
  for (const [path, node] of writes.puts) yield put('trieNodes', trieNodeKey(path), node)
}

/**
 * Trie nodes of the tip.
 *
 * @param below nodes of a fork block, which are used where no own block changed them
 */
export function trieNodesIn(reader: KeyValueReader<TableName>, below?: TrieNodeSource): TrieNodeSource {
  if (below === undefined) return { node: (path) => reader.get('trieNodes', trieNodeKey(path)) }
  return { onGap: below.onGap, node: (path) => reader.get('trieNodes', trieNodeKey(path)) ?? below.node(path) }
}
