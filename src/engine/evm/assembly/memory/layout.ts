/** Bytes of the records that describe memory; constants of their own file, since static data is laid out with them. */
export const ARENA_SIZE: usize = 16
export const BUFFER_SIZE: usize = 8
export const TABLE_SIZE: usize = 16
/** What the journal keeps at once: see `journal.ts`. */
export const PART: usize = 40
