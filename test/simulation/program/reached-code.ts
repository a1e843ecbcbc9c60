import { type Profiler, Session } from 'node:inspector'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { PROGRAM_FILE, PROGRAM_TAIL } from '../world/simulated-process.ts'

/** Lines of one source that are part of the program. */
export interface SourceLines {
  /** Path from the root of the repository. */
  readonly file: string
  readonly lines: number
  /** Beginning with 1, in order. */
  readonly unreached: readonly number[]
}

/** Sources whose lines are printed. */
const SHOWN = /src\/(?:node|replication|server\/cluster)\/.*/
/** Lines without a statement: brackets, comments. */
const EMPTY = /^\s*(?:[{}()[\];,]*|\/\/.*|\/?\*.*|\} else \{)\s*$/

/** Code that processes of a program have run, by the block coverage of V8. Make it before the program is compiled. */
export class ReachedCode implements Disposable {
  readonly #session = new Session()
  #reached = new Uint8Array(0)
  /** Characters of the script before the code: its first report covers all of it. */
  #headLength: number | undefined

  constructor() {
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Adds the code that has run since the last call. */
  add(code: string): void {
    if (this.#reached.length === 0) this.#reached = new Uint8Array(code.length)
    const ran = new Uint8Array(code.length)
    const ranges = this.#ranges()
    this.#headLength ??= Math.max(...ranges.map(({ endOffset }) => endOffset)) - PROGRAM_TAIL.length - code.length
    const head = this.#headLength
    // Each function comes after the one that contains it, and its blocks after the ones that contain them.
    for (const { startOffset, endOffset, count } of ranges) {
      ran.fill(Math.min(count, 1), Math.max(0, startOffset - head), Math.max(0, endOffset - head))
    }
    this.#reached = this.#reached.map((one, at) => one | ran[at]!)
  }

  /** @param map of `buildMappedProgram` */
  linesOf(code: string, map: SourceMapPayload): readonly SourceLines[] {
    const sources = new SourceMap(map)
    const found = new Map<string, Map<number, boolean>>()
    let start = 0
    for (const [line, text] of code.split('\n').entries()) {
      const column = text.search(/\S/)
      if (!EMPTY.test(text)) {
        const entry = sources.findEntry(line, column)
        const file = 'originalSource' in entry ? SHOWN.exec(entry.originalSource)?.[0] : undefined
        if (file !== undefined && 'originalLine' in entry) {
          const lines = found.get(file) ?? new Map<number, boolean>()
          const isReached = this.#reached.subarray(start + column, start + text.trimEnd().length).includes(1)
          lines.set(entry.originalLine + 1, lines.get(entry.originalLine + 1) || isReached)
          found.set(file, lines)
        }
      }
      start += text.length + 1
    }
    return [...found].map(([file, lines]) => ({
      file,
      lines: lines.size,
      unreached: [...lines]
        .filter(([, isReached]) => !isReached)
        .map(([line]) => line)
        .sort((a, b) => a - b),
    }))
  }

  [Symbol.dispose](): void {
    this.#session.disconnect()
  }

  #ranges(): readonly Profiler.CoverageRange[] {
    let scripts: readonly Profiler.ScriptCoverage[] = []
    // A session of the own thread answers before `post` returns.
    this.#session.post('Profiler.takePreciseCoverage', (error, { result }) => {
      if (error !== null) throw error
      scripts = result
    })
    return scripts
      .filter(({ url }) => url === PROGRAM_FILE)
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
  }
}

/** A table in Markdown, the files with the most unreached lines first. */
export function reachedTable(sources: readonly SourceLines[]): string {
  const rows = sources
    .toSorted((one, other) => other.unreached.length - one.unreached.length || (one.file < other.file ? -1 : 1))
    .map(({ file, lines, unreached }) => `| \`${file}\` | ${lines} | ${unreached.length} | ${runsOf(unreached)} |\n`)
  const all = sources.reduce((sum, { lines }) => sum + lines, 0)
  const missed = sources.reduce((sum, { unreached }) => sum + unreached.length, 0)
  return [
    '| file | lines | never reached | which |\n| --- | --- | --- | --- |\n',
    ...rows,
    `\n${all - missed} of ${all} lines in ${sources.length} files were reached\n`,
  ].join('')
}

/** `3-5, 9` */
function runsOf(numbers: readonly number[]): string {
  const runs: [first: number, last: number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run !== undefined && number <= run[1] + 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(', ')
}
