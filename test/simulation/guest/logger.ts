import type { Logger } from 'pino'
import { simulation } from './simulation.ts'

/** A logger of this process. Only these methods are used by the sources. */
export function simulatedLogger(): Logger {
  const at = (level: string) => (details: object | string, message?: string) =>
    simulation().log(level, message ?? String(details), details)
  const made = { trace: at('trace'), debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return Object.assign(made, { fatal: at('fatal'), child: () => made }) as unknown as Logger
}
