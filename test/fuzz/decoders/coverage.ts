import { type Profiler, Session } from 'node:inspector'

/** The code that has run, by the block coverage of V8. */
export class Coverage implements Disposable {
  readonly #session = new Session()
  readonly #covered: RegExp
  /** Characters of functions that have run: 1. */
  readonly #known = new Map<string, Uint8Array>()
  #size = 0

  /** @param covered matches the URLs of the scripts that count */
  constructor(covered: RegExp) {
    this.#covered = covered
    this.#session.connect()
    this.#post('Profiler.enable')
    this.#post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Characters of code that are known to run. */
  get size(): number {
    return this.#size
  }

  /** Whether code that is not known has run since the last look. */
  hasNew(): boolean {
    return this.#run().some(({ key, ran }) => newCharacters(ran, this.#known.get(key)) > 0)
  }

  /** The code that has run since the last look is known from now on. @returns whether some of it was not */
  addNew(): boolean {
    const before = this.#size
    for (const { key, ran } of this.#run()) {
      const known = this.#known.get(key)
      this.#size += newCharacters(ran, known)
      this.#known.set(key, known === undefined ? ran : ran.map((one, index) => one | known[index]!))
    }
    return this.#size > before
  }

  [Symbol.dispose](): void {
    this.#session.disconnect()
  }

  #run(): readonly { readonly key: string; readonly ran: Uint8Array }[] {
    const scripts = this.#post('Profiler.takePreciseCoverage').result.filter(({ url }) => this.#covered.test(url))
    return scripts.flatMap(({ scriptId, functions }) =>
      functions
        .filter(({ ranges }) => ranges[0]!.count > 0)
        .map(({ ranges }) => ({ key: `${scriptId} ${ranges[0]!.startOffset}`, ran: charactersOf(ranges) })),
    )
  }

  /** A session of the own thread answers before `post` returns. */
  #post(method: 'Profiler.takePreciseCoverage'): Profiler.TakePreciseCoverageReturnType
  #post(method: string, params?: object): undefined
  #post(method: string, params?: object): unknown {
    let answer: unknown
    this.#session.post(method, params, (error: Error | null, result?: object) => {
      if (error !== null) throw error
      answer = result
    })
    return answer
  }
}

/** @param ranges the function, then blocks with another count than the code around them, outer ones first */
function charactersOf(ranges: readonly Profiler.CoverageRange[]): Uint8Array {
  const { startOffset: start, endOffset: end } = ranges[0]!
  const ran = new Uint8Array(end - start)
  for (const { startOffset, endOffset, count } of ranges)
    ran.fill(Math.min(count, 1), startOffset - start, endOffset - start)
  return ran
}

function newCharacters(ran: Uint8Array, known: Uint8Array | undefined): number {
  let found = 0
  for (let index = 0; index < ran.length; index++) if (ran[index] === 1 && known?.[index] !== 1) found++
  return found
}
