/** Smaller bodies fit one packet uncompressed. */
export const MIN_COMPRESSED_BYTES = 1_400

/**
 * The coding for a response: the one with the highest weight in Accept-Encoding (RFC 9110, section 12.5.3).
 *
 * @param codings what can be sent, the preferred one first
 * @returns undefined: the client accepts none of them, or prefers the plain body
 * @example acceptedCoding('gzip;q=0.5, br', ['gzip', 'br']) // 'br'
 */
export function acceptedCoding<C extends string>(acceptEncoding = '', codings: readonly C[]): C | undefined {
  const weights = new Map(acceptEncoding.split(',').map(weightOf))
  const any = weights.get('*') ?? 0
  let best: C | undefined
  let bestWeight = weights.get('identity') ?? 0
  for (const coding of codings) {
    const weight = weights.get(coding) ?? any
    // At equal weights a compressed body is better than a plain one.
    if (weight > bestWeight || (best === undefined && weight > 0 && weight === bestWeight)) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

function weightOf(offer: string): readonly [coding: string, weight: number] {
  const [coding = '', ...parameters] = offer.toLowerCase().split(';')
  const weight = parameters.map((parameter) => /^\s*q=([0-9.]+)\s*$/.exec(parameter)?.[1]).find(Boolean)
  return [coding.trim(), Number(weight ?? 1)]
}
