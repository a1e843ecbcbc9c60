import { hexToBytes } from '../../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/keccak.ts'
import type { KeyValueReader } from '../../../storage/key-value.ts'
import type { ChainBelow } from '../../chain-below.ts'
import { MissingStateError } from '../../missing-state.ts'
import type { StateDiff } from '../../state-diff.ts'
import type { TableName } from '../encoding/tables.ts'
import { put, type Write } from '../encoding/write.ts'

/**
 * Writes of the code that changed accounts have from the chain below: a diff refers to it by hash, and a later process
 * may not know an account from which it could load the code. Code that is not loaded was not executed, and is left out.
 */
export function* codeWritesFrom(
  below: ChainBelow,
  reader: KeyValueReader<TableName>,
  blocks: readonly { readonly prelude?: StateDiff | undefined; readonly diff: StateDiff }[],
): Iterable<Write> {
  const diffs = blocks.flatMap(({ prelude, diff }) => (prelude === undefined ? [diff] : [prelude, diff]))
  const written = new Set([EMPTY_CODE_HASH, ...diffs.flatMap(({ code }) => [...code.keys()])])
  for (const { account } of diffs.flatMap(({ accounts }) => [...accounts.values()])) {
    if (account === undefined || written.has(account.codeHash)) continue
    written.add(account.codeHash)
    const key = hexToBytes(account.codeHash)
    if (reader.get('code', key) !== undefined) continue
    try {
      const code = below.state.code(account.codeHash)
      if (code.length > 0) yield put('code', key, code)
    } catch (error) {
      if (!(error instanceof MissingStateError)) throw error
    }
  }
}
