/** Where logs stand among all that a message emitted, those of failed frames included. */
export interface LogEmission {
  /** Of each log of the outcome. */
  readonly positions: readonly number[]
  readonly count: number
}
