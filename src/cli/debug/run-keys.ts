import { oneLine } from '../../primitives/text/foreign-text.ts'
import type { DebugSession } from '../../solidity/debugger/debug-session.ts'
import { StockError } from '../stock/terms/stock-error.ts'
import { failureLine } from '../terminal/terminal-text.ts'
import { stepText } from './debug-text.ts'

export interface KeysDeps {
  /** Text as the terminal sends it, one or more keys at once. */
  readonly keys: AsyncIterable<string>
  readonly write: (text: string) => void
}

const HELP =
  'n over  s into  o out  b back  i instruction  c FILE:LINE continue  f first line  r revert  ? keys  q quit'
const END = '\u0003'
const BACKSPACE = '\u007f'
/** Also the beginning of what arrows and other keys send. */
const ESCAPE = '\u001b'

/** Steps through a session by keys, until `q` or the end of the input. */
export async function runKeys(session: DebugSession, { keys, write }: KeysDeps): Promise<void> {
  if (session.trace.count === 0) return write('no code ran: there is nothing to step through\n')
  let step = revertLine(session) ?? session.start
  const show = async (at: number): Promise<void> => {
    try {
      write(`\n${stepText(session, await session.view(at))}${HELP}\n`)
    } catch (error) {
      if (!(error instanceof StockError)) throw error
      return write(failureLine(error.message))
    }
    step = at
    // A view loads again what could not be loaded ahead.
    void session.prefetch(at).catch(() => undefined)
  }
  const go = async (to: number | undefined, missing: string): Promise<void> => {
    if (to === undefined) return write(`${missing}\n`)
    await show(to)
  }
  await show(step)
  /** Text typed after `c`. `undefined`: the next key is a command. */
  let place: string | undefined
  for await (const text of keys) {
    for (const key of text.startsWith(ESCAPE) ? [text] : text) {
      if (key === END || (place === undefined && key === 'q')) return
      if (place !== undefined) {
        if (key.startsWith(ESCAPE)) {
          write('\n')
          place = undefined
        } else if (key === '\r' || key === '\n') {
          write('\n')
          const { to, text: message } = continued(session, step, place)
          if (to !== undefined && message !== '') write(`${message}\n`)
          await go(to, message)
          place = undefined
        } else {
          place = key === BACKSPACE ? place.slice(0, -1) : place + key
          write(key === BACKSPACE ? '\b \b' : oneLine(key))
        }
      } else if (key === 'c') {
        place = ''
        write('continue to FILE:LINE, or to the end (Esc cancels): ')
      } else await command(session, step, key, go)
    }
  }
}

/** The line that reverted, or the innermost one on the way to code without sources. */
function revertLine(session: DebugSession): number | undefined {
  const { revertStep } = session
  if (revertStep === undefined) return undefined
  const entry = session.callStack(revertStep).find(({ step }) => session.lineAt(step) !== undefined)
  return entry?.step ?? revertStep
}

/** Where text such as `Pool.sol:118` leads, and what there is to say; nothing leads to the end. */
function continued(
  session: DebugSession,
  step: number,
  place: string,
): { readonly to?: number | undefined; readonly text: string } {
  if (place.trim() === '') return { to: session.trace.count - 1, text: '' }
  const [, path, digits] = /^\s*(.+):(\d+)\s*$/.exec(place) ?? []
  if (path === undefined) return { text: 'name a file and a line, as in Pool.sol:118' }
  if (!session.hasFile(path)) return { text: `no contract of this transaction has a file ${oneLine(path)}` }
  const line = Number(digits)
  const next = session.continueTo(step, path, line)
  if (next !== undefined) return { to: next, text: '' }
  const before = session.returnTo(step, path, line)
  const shown = oneLine(place.trim())
  if (before === undefined) return { text: `${shown} does not run, or not again` }
  return { to: before, text: `${shown} does not run after this step: this is its last visit before` }
}

async function command(
  session: DebugSession,
  step: number,
  key: string,
  go: (to: number | undefined, missing: string) => Promise<void>,
): Promise<void> {
  switch (key) {
    case 'n':
      return go(session.over(step), 'there is no further line in this function')
    case 's':
      return go(session.into(step), 'there is no further line')
    case 'o':
      return go(session.out(step), 'this function has no caller with a source')
    case 'b':
      return go(session.back(step), 'there is no line before')
    case 'i':
      return go(session.instruction(step), 'there is no further instruction')
    case 'f':
      return go(session.start, '')
    case 'r':
      return go(revertLine(session), 'nothing failed')
    default:
      return go(undefined, HELP)
  }
}
