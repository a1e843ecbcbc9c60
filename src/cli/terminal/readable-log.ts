import type { DestinationStream } from 'pino'
import { oneLine } from '../../primitives/text/foreign-text.ts'
import { manyLines } from './terminal-text.ts'

/** An entry as pino writes it; other members are details. */
interface LogLine {
  readonly level: string
  readonly time?: string
  readonly pid?: number
  readonly hostname?: string
  readonly msg?: string
  readonly err?: { readonly message?: string; readonly stack?: string }
}

/** Where a logger writes for a person: one readable line per entry, and the stack of a bug below it. */
export function readableLog(write: (text: string) => void): DestinationStream {
  return { write: (line) => write(`${readableText(line)}\n`) }
}

function readableText(line: string): string {
  const { level, time, pid, hostname, msg = '', err, ...details } = JSON.parse(line) as LogLine
  const facts = Object.entries(details).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const reasons = err?.message === undefined ? [] : [err.message]
  const text = [`${level}  ${msg}`, ...reasons, ...facts].join(', ')
  return err?.stack === undefined ? oneLine(text) : `${oneLine(text)}\n${manyLines(err.stack)}`
}
