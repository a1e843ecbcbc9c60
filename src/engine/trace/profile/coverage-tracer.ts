import type { Address, Bytes, Hash } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import { JUMPI } from '../../evm/abi/opcodes.ts'
import type { FrameStart, Tracer, TraceStep } from '../../tracer.ts'
import { runningCode } from './running-code.ts'

/** Instructions of one code that ran. */
export interface CodeHits {
  /** Code of a contract, or code that creates one, with its arguments. */
  readonly kind: 'runtime' | 'creation'
  readonly hash: Hash
  readonly code: Bytes
  /** Contract with the code, or that it created; absent for a creation that was refused. */
  readonly address: Address | undefined
  /** Runs by program counter. */
  readonly hits: Map<number, number>
  /** Of conditional jumps: how often they jumped, by program counter. */
  readonly jumps: Map<number, number>
}

/** Memory of one code, and of one program counter. */
const CODE_BYTES = 200
const HIT_BYTES = 16

/** Counts how often each instruction of each code runs in a message. */
export class CoverageTracer implements Tracer {
  readonly #state: StateReader
  readonly #budget: { spend(bytes: number): void }
  #codes = new Map<string, CodeHits>()
  #open: (CodeHits | undefined)[] = []
  #running: CodeHits | undefined

  /** @param deps.state the state in the middle of the message */
  constructor(deps: { readonly state: StateReader; readonly budget: { spend(bytes: number): void } }) {
    this.#state = deps.state
    this.#budget = deps.budget
  }

  get codes(): Iterable<CodeHits> {
    return this.#codes.values()
  }

  onBegin(): void {
    this.#codes = new Map()
    this.#open = []
    this.#running = undefined
  }

  onEnter(start: FrameStart): void {
    this.#running = this.#entered(start)
    this.#open.push(this.#running)
  }

  onExit(): void {
    this.#open.pop()
    this.#running = this.#open.at(-1)
  }

  onStep(step: TraceStep): void {
    const { programCounter } = step
    const { hits, jumps } = this.#running!
    const before = hits.get(programCounter)
    if (before === undefined) this.#budget.spend(HIT_BYTES)
    hits.set(programCounter, (before ?? 0) + 1)
    if (step.opcode !== JUMPI) return
    const jumped = step.stackSize > 1 && step.word(1) !== 0n
    jumps.set(programCounter, (jumps.get(programCounter) ?? 0) + Number(jumped))
  }

  #entered({ kind, to, input }: FrameStart): CodeHits | undefined {
    if (kind === 'SELFDESTRUCT') return undefined
    if (kind === 'CREATE' || kind === 'CREATE2') {
      return this.#hitsOf({ kind: 'creation', hash: keccakHash(input), code: input, address: to })
    }
    const running = to && runningCode(this.#state, to)
    return running && this.#hitsOf({ kind: 'runtime', ...running })
  }

  #hitsOf(code: Omit<CodeHits, 'hits' | 'jumps'>): CodeHits {
    const key = `${code.kind} ${code.hash}`
    const known = this.#codes.get(key)
    if (known !== undefined) return known
    this.#budget.spend(CODE_BYTES)
    const hits = { ...code, hits: new Map<number, number>(), jumps: new Map<number, number>() }
    this.#codes.set(key, hits)
    return hits
  }
}
