/** Sizes of the records that describe memory, in a file of their own since static data is laid out with them. */
export const ARENA_SIZE: usize = 16
export const BUFFER_SIZE: usize = 8
export const TABLE_SIZE: usize = 16
/** Unit that the journal saves, see `journal.ts`. */
export const PART: usize = 40
