import { type Address, bytesToHex } from '../../primitives/hex.ts'
import type { FrameKind, FrameStart, Tracer } from '../tracer.ts'

const CALLS: ReadonlySet<FrameKind> = new Set(['CALL', 'CALLCODE', 'DELEGATECALL', 'STATICCALL'])

/** go-ethereum's `4byteTracer`: counts calls by function selector and argument size. */
export class FourByteTracer implements Tracer {
  readonly #precompiles: ReadonlySet<Address>
  #counts = new Map<string, number>()

  /** @param deps.precompiles have no selectors */
  constructor(deps: { readonly precompiles: ReadonlySet<Address> }) {
    this.#precompiles = deps.precompiles
  }

  /** Keyed by selector and size, as in `0x27dc297e-128`. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts
  }

  onBegin(): void {
    this.#counts = new Map()
  }

  onEnter({ kind, to, input }: FrameStart): void {
    if (!CALLS.has(kind) || input.length < 4 || to === undefined || this.#precompiles.has(to)) return
    const key = `${bytesToHex(input.subarray(0, 4))}-${input.length - 4}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }
}
