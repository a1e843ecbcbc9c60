import type { Compat } from './compat.ts'

/** Differences of block, transaction and receipt objects from those of go-ethereum. */
export interface ObjectTraits {
  /** Block objects have `totalDifficulty`. */
  readonly hasTotalDifficulty: boolean
  /** Transactions of a forecast (ADR 0017) have no position. */
  readonly isForecastWithoutPosition: boolean
  /** The receipt of a failed creation has no contract address. */
  readonly isFailedCreationWithoutAddress: boolean
}

const PLAIN: ObjectTraits = {
  hasTotalDifficulty: false,
  isForecastWithoutPosition: false,
  isFailedCreationWithoutAddress: false,
}
const TRAITS: Readonly<Record<Compat, ObjectTraits>> = {
  anvil: { ...PLAIN, hasTotalDifficulty: true },
  hardhat: { hasTotalDifficulty: true, isForecastWithoutPosition: true, isFailedCreationWithoutAddress: true },
}

/** The traits of the reproduced node; without one, those of go-ethereum. */
export function objectTraitsOf(compat: Compat | undefined): ObjectTraits {
  return compat === undefined ? PLAIN : TRAITS[compat]
}
