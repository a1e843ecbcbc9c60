import { nativeCurve } from './secp256k1-native.ts'
import { type Curve, pureCurve } from './secp256k1-pure.ts'
import { wasmCurve } from './secp256k1-wasm.ts'

/** Fastest first: a recovery takes 77 µs, 185 µs and 1.5 ms. */
const CURVES = [
  ['addon', nativeCurve],
  ['webassembly', wasmCurve],
  ['javascript', pureCurve],
] as const satisfies readonly (readonly [string, () => Curve | undefined])[]

export type CurveImplementation = (typeof CURVES)[number][0]

/** For tests: the implementation to begin with, as on a platform that has no faster one. */
export const FIRST_CURVE_VARIABLE = 'TICKERTAPE_SECP256K1'

/**
 * The fastest implementation that this platform loads. There is no prebuilt addon for some, such as linux-arm64.
 *
 * @param first skips the faster ones; an unknown name skips none
 */
export function chooseCurve(first?: string): { readonly curve: Curve; readonly implementation: CurveImplementation } {
  const from = Math.max(
    CURVES.findIndex(([name]) => name === first),
    0,
  )
  for (const [implementation, load] of CURVES.slice(from)) {
    const curve = load()
    if (curve !== undefined) return { curve, implementation }
  }
  return { curve: pureCurve(), implementation: 'javascript' }
}
