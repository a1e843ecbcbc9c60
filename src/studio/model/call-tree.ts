import { bigintOf } from '../../live/amount.ts'

/** A call in the order of execution, with its depth. */
export interface CallRow {
  /** Position in the tree, as in `0.2.1`. */
  readonly path: string
  readonly depth: number
  readonly type: string
  readonly from: string
  readonly to: string | undefined
  readonly value: bigint
  readonly gasUsed: bigint
  readonly input: string
  readonly output: string
  readonly error: string | undefined
  readonly childCount: number
}

/** Rows that are shown: a call tree may have millions. */
export const MAX_CALLS = 20_000

/** Rows of a result of `callTracer`, parents first. */
export function callRows(trace: unknown): readonly CallRow[] {
  const rows: CallRow[] = []
  // Not recursive: calls nest up to 1,024 deep.
  const stack: { readonly frame: unknown; readonly depth: number; readonly path: string }[] = []
  if (trace !== null && typeof trace === 'object') stack.push({ frame: trace, depth: 0, path: '0' })
  while (stack.length > 0 && rows.length < MAX_CALLS) {
    const { frame, depth, path } = stack.pop()!
    const children = childrenOf(frame)
    rows.push(rowOf(frame, depth, path, children.length))
    for (let index = children.length - 1; index >= 0; index -= 1) {
      stack.push({ frame: children[index], depth: depth + 1, path: `${path}.${index}` })
    }
  }
  return rows
}

function childrenOf(frame: unknown): readonly unknown[] {
  const { calls } = (frame ?? {}) as { calls?: unknown }
  return Array.isArray(calls) ? calls : []
}

function rowOf(frame: unknown, depth: number, path: string, childCount: number): CallRow {
  const { type, from, to, value, gasUsed, input, output, error } = (frame ?? {}) as Readonly<Record<string, unknown>>
  return {
    path,
    depth,
    type: String(type ?? 'CALL'),
    from: String(from ?? ''),
    to: typeof to === 'string' ? to : undefined,
    value: bigintOf(value) ?? 0n,
    gasUsed: bigintOf(gasUsed) ?? 0n,
    input: typeof input === 'string' ? input : '0x',
    output: typeof output === 'string' ? output : '0x',
    error: typeof error === 'string' ? error : undefined,
    childCount,
  }
}

/** The rows without those below a closed one. */
export function visibleCalls(rows: readonly CallRow[], closed: ReadonlySet<string>): readonly CallRow[] {
  let hiddenBelow: number | undefined
  return rows.filter(({ depth, path }) => {
    if (hiddenBelow !== undefined && depth > hiddenBelow) return false
    hiddenBelow = closed.has(path) ? depth : undefined
    return true
  })
}
