import { type ScreenLine, terminalText } from './screen-line.ts'
import type { ScreenSize } from './watch-screen.ts'

/** The part of `process.stdout` that is used. */
export interface ScreenOutput {
  readonly columns?: number
  readonly rows?: number
  readonly writableNeedDrain: boolean
  write(text: string): boolean
  once(event: 'drain', listener: () => void): unknown
}

export interface TerminalScreenOptions {
  readonly hasColours: boolean
  /** Shortest time between two frames. */
  readonly frameMs: number
}

export interface TerminalScreenDeps {
  readonly output: ScreenOutput
  readonly after: (milliseconds: number, action: () => void) => () => void
  readonly draw: (size: ScreenSize) => readonly ScreenLine[]
}

/** The alternate screen without a cursor and without wrapping; `LEAVE` restores what was there before. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[2J'
export const LEAVE = '\u001b[?7h\u001b[?25h\u001b[?1049l'
/** Terminals that know synchronized output show a frame at once; others ignore this. */
const BEGIN_FRAME = '\u001b[?2026h'
const END_FRAME = '\u001b[?2026l'

/** Frames of lines on a terminal. Only rows that changed are written, and nothing while the terminal is slow. */
export class TerminalScreen {
  readonly #options: TerminalScreenOptions
  readonly #deps: TerminalScreenDeps
  #shown: readonly string[] = []
  #size = ''
  #isOpen = false
  #isPlanned = false
  #cancel: (() => void) | undefined

  constructor(options: TerminalScreenOptions, deps: TerminalScreenDeps) {
    this.#options = options
    this.#deps = deps
  }

  /** Takes the terminal over, also again after the process was suspended. */
  open(): void {
    this.#isOpen = true
    this.#deps.output.write(ENTER)
    this.#shown = []
    this.#frame()
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancel?.()
    this.#isPlanned = false
    this.#deps.output.write(LEAVE)
  }

  /** Something changed: draws soon. */
  update(): void {
    if (!this.#isOpen || this.#isPlanned) return
    this.#isPlanned = true
    this.#cancel = this.#deps.after(this.#options.frameMs, () => {
      this.#isPlanned = false
      this.#frame()
    })
  }

  #frame(): void {
    const { output, draw } = this.#deps
    if (!this.#isOpen) return
    // A terminal over a slow connection would show the past, and unwritten frames would fill the memory.
    if (output.writableNeedDrain) {
      this.#isPlanned = true
      output.once('drain', () => {
        this.#isPlanned = false
        this.#frame()
      })
      return
    }
    const { columns = 80, rows = 24 } = output
    const lines = draw({ columns, rows }).map((line) => terminalText(line, columns, this.#options.hasColours))
    const size = `${columns} ${rows}`
    const isResized = size !== this.#size
    this.#size = size
    const changed = lines.flatMap((line, row) =>
      isResized || line !== this.#shown[row] ? [`\u001b[${row + 1};1H\u001b[2K${line}`] : [],
    )
    this.#shown = lines
    if (changed.length > 0) output.write(`${BEGIN_FRAME}${isResized ? '\u001b[2J' : ''}${changed.join('')}${END_FRAME}`)
  }
}
