import { flag } from './flag.ts'
import { integer } from './values.ts'

/** Level and format of logs and output. */
export const LOG_FLAGS = {
  logLevel: flag<string>({
    value: 'level',
    description: 'log level; logs are lines of JSON on standard error',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'warn',
    env: 'TICKERTAPE_LOG_LEVEL',
  }),
  slowRequest: flag<number>({
    value: 'ms',
    description: 'log requests that take longer (level warn), with method, duration and ids, never parameters; 0: none',
    parse: integer(0),
    fallback: 1_000,
  }),
  json: flag<boolean>({ description: 'no banner; readiness as a line of JSON', fallback: false }),
  jsonReady: flag<boolean>({ description: 'no banner; one line of JSON with the URLs when ready', fallback: false }),
}
