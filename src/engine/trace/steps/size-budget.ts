/** Bounds the size of a response. */
export interface SizeBudget {
  /** @throws when the response would be too large */
  spend(bytes: number): void
}
