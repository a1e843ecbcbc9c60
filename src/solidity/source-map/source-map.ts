/** What a jump is in the source: the call of a function, the return of one, or a part of a statement. */
export type JumpKind = 'in' | 'out' | 'none'

/** A source map of the compiler (docs.soliditylang.org, "Source Mappings"), one entry for each instruction. */
export interface SourceMap {
  readonly length: number
  /** First byte of the range in its file. */
  readonly starts: Int32Array
  /** Bytes of the range. */
  readonly lengths: Int32Array
  /** Identifier of the file; -1: none, the compiler added the instruction. */
  readonly files: Int32Array
  /** Whether the instruction jumps: 1 into a function, 2 out of one, 0 otherwise. */
  readonly jumps: Uint8Array
}

const JUMPS: Readonly<Record<string, number>> = { i: 1, o: 2, '-': 0 }
const KINDS: readonly JumpKind[] = ['none', 'in', 'out']

/** Decodes `s:l:f:j:m;…`, in which an empty field repeats that of the entry before. */
export function decodeSourceMap(text: string): SourceMap {
  const entries = text === '' ? [] : text.split(';')
  const { length } = entries
  const map = {
    length,
    starts: new Int32Array(length),
    lengths: new Int32Array(length),
    files: new Int32Array(length),
    jumps: new Uint8Array(length),
  }
  let [start, size, file, jump] = [0, 0, -1, 0]
  for (let index = 0; index < length; index++) {
    const [s, l, f, j] = entries[index]!.split(':')
    if (s) start = Number(s)
    if (l) size = Number(l)
    if (f) file = Number(f)
    if (j) jump = JUMPS[j] ?? 0
    map.starts[index] = start
    map.lengths[index] = size
    map.files[index] = file
    map.jumps[index] = jump
  }
  return map
}

export function jumpKind({ jumps }: SourceMap, index: number): JumpKind {
  return KINDS[jumps[index] ?? 0]!
}
