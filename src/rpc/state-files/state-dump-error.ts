/** A dump cannot be loaded. */
export class StateDumpError extends Error {
  override readonly name = 'StateDumpError'
  readonly code = 'INVALID_STATE_DUMP'
  /** Whether accounts of the dump are loaded already. Otherwise nothing has changed. */
  readonly hasChanged: boolean

  constructor(message: string, { hasChanged = false }: { readonly hasChanged?: boolean } = {}) {
    super(message)
    this.hasChanged = hasChanged
  }
}
