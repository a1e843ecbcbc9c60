import { type Address, type Bytes, bytesToHex, type Hash, type Hex } from '../../../primitives/hex.ts'
import { keccakHash } from '../../../primitives/keccak.ts'
import type { StateReader } from '../../../state/state-reader.ts'
import type { FrameEnd, FrameStart, Tracer } from '../../tracer.ts'
import { runningCode } from './running-code.ts'

/** A call of code. */
export interface CallGas {
  readonly kind: 'call'
  /** Of the frame with those below it, without the intrinsic gas and the refund of the transaction. */
  readonly gasUsed: number
  readonly failed: boolean
  /** Contract whose code ran: the implementation, in a delegate call. */
  readonly address: Address
  readonly codeHash: Hash
  readonly code: Bytes
  /** First four bytes of the input; fewer, if it is shorter. */
  readonly selector: Hex
}

/** A creation that succeeded. */
export interface CreationGas {
  readonly kind: 'creation'
  /** As that of a call; includes the deposit of the code. */
  readonly gasUsed: number
  readonly address: Address
  readonly codeHash: Hash
  readonly code: Bytes
  readonly initCodeBytes: number
}

/** A creation that failed: there is no code by which to name the contract. */
export interface FailedCreation {
  readonly kind: 'failedCreation'
}

export type FrameGas = CallGas | CreationGas | FailedCreation

const SELECTOR_BYTES = 4
/** Memory of one frame. */
const FRAME_BYTES = 150

type OpenFrame =
  | Pick<CallGas, 'kind' | 'address' | 'codeHash' | 'code' | 'selector'>
  | { readonly initCodeBytes: number }

/** Measures the gas of each frame of a message in which code runs. */
export class FrameGasTracer implements Tracer {
  readonly #state: StateReader
  readonly #budget: { spend(bytes: number): void }
  #open: (OpenFrame | undefined)[] = []
  #created: (Address | undefined)[] = []
  #frames: FrameGas[] = []

  /** @param deps.state the state in the middle of the message */
  constructor(deps: { readonly state: StateReader; readonly budget: { spend(bytes: number): void } }) {
    this.#state = deps.state
    this.#budget = deps.budget
  }

  /** In the order in which the frames ended. */
  get frames(): readonly FrameGas[] {
    return this.#frames
  }

  onBegin(): void {
    this.#open = []
    this.#created = []
    this.#frames = []
  }

  onEnter(start: FrameStart): void {
    this.#budget.spend(FRAME_BYTES)
    this.#open.push(this.#opened(start))
    this.#created.push(start.to)
  }

  onExit({ gasUsed, output, error }: FrameEnd): void {
    const frame = this.#open.pop()
    const address = this.#created.pop()
    if (frame === undefined) return
    const failed = error !== undefined
    if (!('initCodeBytes' in frame)) this.#frames.push({ ...frame, gasUsed, failed })
    else if (failed || address === undefined) this.#frames.push({ kind: 'failedCreation' })
    else this.#frames.push({ kind: 'creation', address, codeHash: keccakHash(output), code: output, gasUsed, ...frame })
  }

  #opened({ kind, to, input }: FrameStart): OpenFrame | undefined {
    if (kind === 'SELFDESTRUCT') return undefined
    if (kind === 'CREATE' || kind === 'CREATE2') return { initCodeBytes: input.length }
    const running = to && runningCode(this.#state, to)
    if (running === undefined) return undefined
    const { address, hash: codeHash, code } = running
    return { kind: 'call', address, codeHash, code, selector: bytesToHex(input.subarray(0, SELECTOR_BYTES)) }
  }
}
