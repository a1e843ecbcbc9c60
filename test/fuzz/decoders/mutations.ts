/** Bytes that decoders treat in a special way: bounds of RLP prefixes and of integers, quotes, ends of lines. */
const SPECIAL = [0x00, 0x01, 0x7f, 0x80, 0x81, 0xb7, 0xb8, 0xbf, 0xc0, 0xc1, 0xf7, 0xf8, 0xff, 0x0a, 0x0d, 0x22, 0x5c]
const MAX_MUTATIONS = 6
/** Bytes. Longer inputs are slow and no better. */
export const MAX_INPUT = 4_096

type Draw = (end: number) => number

/** A changed copy of one input, with parts of another. @param random numbers in [0, 1) */
export function mutated(input: Uint8Array, other: Uint8Array, random: () => number): Uint8Array {
  const draw: Draw = (end) => Math.floor(random() * end)
  let bytes = input
  for (let left = 1 + draw(MAX_MUTATIONS); left > 0; left--)
    bytes = MUTATIONS[draw(MUTATIONS.length)]!(bytes, other, draw)
  return bytes.subarray(0, MAX_INPUT)
}

type Mutation = (bytes: Uint8Array, other: Uint8Array, draw: Draw) => Uint8Array

const MUTATIONS: readonly Mutation[] = [
  (bytes, _, draw) => replaced(bytes, draw, (byte) => byte ^ (1 << draw(8))),
  (bytes, _, draw) => replaced(bytes, draw, () => draw(256)),
  (bytes, _, draw) => replaced(bytes, draw, () => SPECIAL[draw(SPECIAL.length)]!),
  (bytes, _, draw) => replaced(bytes, draw, (byte) => (byte + (draw(2) === 0 ? 1 : 255)) & 0xff),
  // Removes a part.
  (bytes, _, draw) => {
    const from = draw(bytes.length + 1)
    return spliced(bytes, from, from + draw(Math.min(bytes.length - from, 32) + 1), new Uint8Array(0))
  },
  // Repeats a part.
  (bytes, _, draw) => {
    const from = draw(bytes.length + 1)
    const part = bytes.subarray(from, from + draw(Math.min(bytes.length - from, 64) + 1))
    return spliced(bytes, from, from, part)
  },
  // Puts a part of the other input into this one.
  (bytes, other, draw) => {
    const from = draw(other.length + 1)
    const at = draw(bytes.length + 1)
    return spliced(bytes, at, at + draw(2) * 8, other.subarray(from, from + draw(other.length - from + 1)))
  },
  (bytes, _, draw) =>
    spliced(
      bytes,
      draw(bytes.length + 1),
      0,
      Uint8Array.from({ length: 1 + draw(4) }, () => draw(256)),
    ),
  (bytes, _, draw) => bytes.subarray(0, draw(bytes.length + 1)),
]

function replaced(bytes: Uint8Array, draw: Draw, change: (byte: number) => number): Uint8Array {
  if (bytes.length === 0) return bytes
  const copy = Uint8Array.from(bytes)
  const at = draw(bytes.length)
  copy[at] = change(copy[at]!)
  return copy
}

/** @param end of the part that `inserted` replaces; at or before `start`: nothing is replaced */
function spliced(bytes: Uint8Array, start: number, end: number, inserted: Uint8Array): Uint8Array {
  return Buffer.concat([bytes.subarray(0, start), inserted, bytes.subarray(Math.max(start, end))])
}
