/**
 * Measured steps: the `lateness` of a slot, building a flashblock (`build`), recording and announcing it (`announce`),
 * sealing a block and opening the next (`seal`), storing a block (`commit`), waiting until records are on disk (`sync`)
 * and acknowledged by the replicated log (`publish`).
 */
export type WorkStep = 'lateness' | 'build' | 'announce' | 'seal' | 'commit' | 'sync' | 'publish'

/** Called at the end of a step with its duration in milliseconds. */
export type WorkMeter = (step: WorkStep, milliseconds: number) => void
