import type { ForeignMembers } from '../../chain/foreign-members.ts'
import type { JsonRecord } from '../protocol/json.ts'

/** Adds the members of an object of another chain as its node gave them, which take precedence (docs/fork.md). */
export function withForeign(record: JsonRecord, foreign: ForeignMembers | undefined): JsonRecord {
  // They were parsed from JSON.
  return foreign === undefined ? record : Object.assign(record, foreign as JsonRecord)
}
