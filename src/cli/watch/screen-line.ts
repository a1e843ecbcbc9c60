import { oneLine } from '../../primitives/text/foreign-text.ts'

/** Role of a text, which a terminal shows as a colour. */
export type Tone = 'plain' | 'title' | 'muted' | 'good' | 'bad' | 'busy'

export interface Span {
  readonly text: string
  readonly tone: Tone
}

/** A row of the screen. Texts of a node have passed `plainText`, so each character takes one column. */
export type ScreenLine = readonly Span[]

export const EMPTY_LINE: ScreenLine = []

export function span(text: string, tone: Tone = 'plain'): Span {
  return { text, tone }
}

export function widthOf(line: ScreenLine): number {
  return line.reduce((width, { text }) => width + [...text].length, 0)
}

/** Texts at the left and at the right edge; the left one gives way. */
export function spread(left: ScreenLine, right: ScreenLine, columns: number): ScreenLine {
  const room = Math.max(0, columns - widthOf(right))
  const shown = fitted(left, Math.max(0, room - 1))
  return [...shown, span(' '.repeat(Math.max(0, room - widthOf(shown)))), ...right]
}

/** A line cut to a width. */
function fitted(line: ScreenLine, columns: number): ScreenLine {
  const result: Span[] = []
  let room = columns
  for (const { text, tone } of line) {
    const characters = [...text].slice(0, room)
    room -= characters.length
    if (characters.length > 0) result.push({ text: characters.join(''), tone })
  }
  return result
}

const CODES: Readonly<Record<Tone, string>> = { plain: '', title: '1', muted: '2', good: '32', bad: '31', busy: '33' }

/** A line as a terminal reads it. Control characters in texts are replaced. */
export function terminalText(line: ScreenLine, columns: number, hasColours: boolean): string {
  return fitted(line, columns)
    .map(({ text, tone }) => {
      const code = CODES[tone]
      return hasColours && code !== '' ? `\u001b[${code}m${oneLine(text)}\u001b[0m` : oneLine(text)
    })
    .join('')
}
