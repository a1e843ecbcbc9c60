import type { StepCost, Tracer, TraceStep } from '../tracer.ts'
import type { TraceBudget } from './trace-budget.ts'

/** How often an instruction ran in a message, and the gas of all its runs. */
export interface OpcodeGas {
  readonly opcode: number
  readonly count: number
  readonly gasUsed: number
}

const OPCODES = 256
/** JSON bytes of one entry. */
const ENTRY_BYTES = 60

/** Sums up gas by instruction, as in reth: that of a call includes the gas passed to the called frame. */
export class OpcodeGasTracer implements Tracer {
  readonly #budget: TraceBudget
  readonly #counts = new Array<number>(OPCODES).fill(0)
  readonly #gas = new Array<number>(OPCODES).fill(0)
  #opcode = 0

  constructor(deps: { readonly budget: TraceBudget }) {
    this.#budget = deps.budget
  }

  /**
   * The instructions that ran, by opcode.
   *
   * @throws TraceTooLargeError
   */
  result(): readonly OpcodeGas[] {
    const used = this.#counts.map((count, opcode) => ({ opcode, count, gasUsed: this.#gas[opcode]! }))
    const ran = used.filter(({ count }) => count > 0)
    this.#budget.spend(ENTRY_BYTES * ran.length)
    return ran
  }

  onBegin(): void {
    this.#counts.fill(0)
    this.#gas.fill(0)
  }

  onStep({ opcode }: TraceStep): void {
    this.#opcode = opcode
    this.#counts[opcode]! += 1
  }

  onCharged({ cost }: StepCost): void {
    this.#gas[this.#opcode]! += cost
  }
}
