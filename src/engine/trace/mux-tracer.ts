import type { Log } from '../../chain/receipt/log.ts'
import type { Message } from '../interpreter.ts'
import type { FrameEnd, FrameStart, StepCost, Tracer, TraceStep } from '../tracer.ts'

/** go-ethereum's `muxTracer`: several tracers of one run. */
export class MuxTracer implements Tracer {
  readonly #tracers: readonly Tracer[]
  /** Present if a tracer has it: without them the interpreter reports frames only, which is faster. */
  readonly onStep?: (step: TraceStep) => void
  readonly onCharged?: (charge: StepCost) => void

  constructor(tracers: readonly Tracer[]) {
    this.#tracers = tracers
    const stepping = tracers.filter(({ onStep }) => onStep !== undefined)
    if (stepping.length > 0) {
      this.onStep = (step) => {
        for (const tracer of stepping) tracer.onStep?.(step)
      }
    }
    const charging = tracers.filter(({ onCharged }) => onCharged !== undefined)
    if (charging.length > 0) {
      this.onCharged = (charge) => {
        for (const tracer of charging) tracer.onCharged?.(charge)
      }
    }
  }

  onBegin(message: Message): void {
    for (const tracer of this.#tracers) tracer.onBegin?.(message)
  }

  onEnter(start: FrameStart): void {
    for (const tracer of this.#tracers) tracer.onEnter?.(start)
  }

  onExit(end: FrameEnd): void {
    for (const tracer of this.#tracers) tracer.onExit?.(end)
  }

  onLog(log: Log): void {
    for (const tracer of this.#tracers) tracer.onLog?.(log)
  }
}
