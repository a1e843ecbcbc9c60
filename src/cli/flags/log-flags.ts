import { flag } from './flag.ts'
import { integer } from './values.ts'

/** What is said, and how. */
export const LOG_FLAGS = {
  logLevel: flag<string>({
    value: 'level',
    description: 'what to log, as lines of JSON on standard error',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'warn',
    env: 'TICKERTAPE_LOG_LEVEL',
  }),
  slowRequest: flag<number>({
    value: 'ms',
    description:
      'requests that take longer are logged (level warn): method, duration and ids, never parameters; 0: none',
    parse: integer(0),
    fallback: 1_000,
  }),
  json: flag<boolean>({ description: 'no banner; logs and readiness as lines of JSON', fallback: false }),
  jsonReady: flag<boolean>({ description: 'no banner; one line of JSON with the URLs when ready', fallback: false }),
}
