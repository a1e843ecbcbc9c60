import type { Bytes, Hash } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import type { Tracer, TraceStep } from '../tracer.ts'
import type { TraceBudget } from './trace-budget.ts'

const KECCAK256 = 0x20
/** Bytes beyond the end of memory; a longer preimage is left out, as in go-ethereum (eth/tracers/internal/util.go). */
const MAX_PADDING = 1024 * 1024
/** JSON bytes of an entry without its preimage. */
const ENTRY_BYTES = 75

/** go-ethereum's `keccak256PreimageTracer`: the input of each KECCAK256, by its hash. */
export class KeccakPreimageTracer implements Tracer {
  readonly #budget: TraceBudget
  readonly #preimages = new Map<Hash, Bytes>()

  constructor(deps: { readonly budget: TraceBudget }) {
    this.#budget = deps.budget
  }

  get preimages(): ReadonlyMap<Hash, Bytes> {
    return this.#preimages
  }

  onBegin(): void {
    this.#preimages.clear()
  }

  onStep(step: TraceStep): void {
    const preimage = preimageAt(step)
    if (preimage === undefined) return
    const hash = keccakHash(preimage)
    if (this.#preimages.has(hash)) return
    this.#budget.spend(ENTRY_BYTES + 2 * preimage.length)
    this.#preimages.set(hash, preimage)
  }
}

/** What a KECCAK256 hashes, although memory grows only with it; `undefined` for other instructions. */
function preimageAt(step: TraceStep): Bytes | undefined {
  if (step.opcode !== KECCAK256 || step.stackSize < 2) return undefined
  return paddedMemory(step, step.word(0), step.word(1))
}

/** Memory with zeros beyond its end; `undefined` for more of them than `MAX_PADDING`. */
export function paddedMemory(step: TraceStep, offset: bigint, size: bigint): Bytes | undefined {
  if (offset + size > BigInt(step.memorySize + MAX_PADDING)) return undefined
  const bytes = new Uint8Array(Number(size))
  bytes.set(step.memorySlice(Number(offset), Number(size)))
  return bytes
}
