/**
 * What the node's time goes into: `lateness` of the work on a slot, building a flashblock (`build`), its way to the disk
 * and into the head (`announce`), sealing a block and opening the next (`seal`), writing it into the store (`commit`).
 */
export type WorkStep = 'lateness' | 'build' | 'announce' | 'seal' | 'commit'

/** Hears what a step took, in milliseconds. Injected: the node knows nothing of metrics. */
export type WorkMeter = (step: WorkStep, milliseconds: number) => void
