/** A dump cannot be loaded; nothing has changed. */
export class StateDumpError extends Error {
  override readonly name = 'StateDumpError'
  readonly code = 'INVALID_STATE_DUMP'
}
