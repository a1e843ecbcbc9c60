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

const HELP = 'n over  s into  o out  b back  i instruction  c FILE:LINE continue  r revert  q quit'
const END = '\u0003'
const BACKSPACE = '\u007f'

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
  /** What follows `c`; `undefined`: keys are commands. */
  let place: string | undefined
  for await (const text of keys) {
    for (const key of text) {
      if (key === END || (place === undefined && key === 'q')) return
      if (place !== undefined) {
        if (key === '\r' || key === '\n') {
          write('\n')
          await go(continued(session, step, place), `${oneLine(place)} is not reached`)
          place = undefined
        } else {
          place = key === BACKSPACE ? place.slice(0, -1) : place + key
          write(key === BACKSPACE ? '\b \b' : oneLine(key))
        }
      } else if (key === 'c') {
        place = ''
        write('continue to FILE:LINE, or to the end: ')
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

/** Where text such as `Pool.sol:118` leads; nothing leads to the end. */
function continued(session: DebugSession, step: number, place: string): number | undefined {
  if (place.trim() === '') return session.trace.count - 1
  const [, path, line] = /^\s*(.+):(\d+)\s*$/.exec(place) ?? []
  return path === undefined ? undefined : session.continueTo(step, path, Number(line))
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
    case 'r':
      return go(revertLine(session), 'nothing failed')
  }
}
