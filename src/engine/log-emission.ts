/** Positions of logs among all that a message emitted, including those of failed frames. */
export interface LogEmission {
  /** One for each log of the result. */
  readonly positions: readonly number[]
  readonly count: number
}
