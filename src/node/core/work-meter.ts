/**
 * Measured steps: the `lateness` of a slot, building a flashblock (`build`), recording and announcing it (`announce`),
 * sealing a block and opening the next (`seal`), storing a block (`commit`).
 */
export type WorkStep = 'lateness' | 'build' | 'announce' | 'seal' | 'commit'

/** Called with the duration of a step, in milliseconds. */
export type WorkMeter = (step: WorkStep, milliseconds: number) => void
