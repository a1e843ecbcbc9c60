import { flag } from './flag.ts'
import { integer } from './values.ts'

/** Level and format of logs and output. */
export const LOG_FLAGS = {
  logLevel: flag<string>({
    value: 'level',
    description:
      'log level; logs are lines of JSON on standard error, or of text where a node prints text on a terminal',
    choices: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    fallback: 'warn',
    env: 'TICKERTAPE_LOG_LEVEL',
  }),
  slowRequestMs: flag<number>({
    value: 'ms',
    description: 'log requests that take longer (level warn), with method, duration and ids, never parameters; 0: none',
    parse: integer(0),
    fallback: 1_000,
  }),
  logFormat: flag<'text' | 'json' | undefined>({
    value: 'format',
    description:
      'how transactions, console.log and reverts are printed on standard output; without it only a development node prints them, as text, unless --json, --json-ready or --quiet is given',
    choices: ['text', 'json'],
    fallback: undefined,
    shown: 'text',
  }),
  quiet: flag<boolean>({
    description: 'print no transactions, console.log and reverts; --silent includes it',
    fallback: false,
  }),
  abi: flag<string | undefined>({
    value: 'folder',
    description:
      'artifacts of Foundry (out) or Hardhat (artifacts) that name functions, errors and contracts in the output',
    fallback: undefined,
    shown: 'none',
  }),
  json: flag<boolean>({ description: 'no banner; readiness as a line of JSON', fallback: false }),
  jsonReady: flag<boolean>({ description: 'no banner; one line of JSON with the URLs when ready', fallback: false }),
}
