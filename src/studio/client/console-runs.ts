/** A request of the console with its outcome. */
export interface ConsoleRun {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
  readonly milliseconds: number
  readonly isError: boolean
  readonly text: string
}

/** Results that are kept. */
const MAX_RUNS = 20
/** Characters of all results together. */
const MAX_KEPT = 4_000_000

/** The runs with another one, newest first. The oldest leave, the newest stays whatever its size. */
export function withRun(runs: readonly ConsoleRun[], run: Omit<ConsoleRun, 'id'>): readonly ConsoleRun[] {
  let kept = 0
  return [{ ...run, id: (runs[0]?.id ?? 0) + 1 }, ...runs].slice(0, MAX_RUNS).filter(({ text }, index) => {
    kept += text.length
    return index === 0 || kept <= MAX_KEPT
  })
}
