import { flag } from './flag.ts'
import { httpUrl, integer, ratio } from './values.ts'

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
  logRequests: flag<boolean>({
    description:
      'log every JSON-RPC request at any --log-level but silent, with client, method, duration, ids and trace, never parameters',
    fallback: false,
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
      'artifacts of Foundry (out) or Hardhat (artifacts) that name functions, errors and contracts in the output, and ' +
      'missing functions in the errors of --compat hardhat and hardhat3; contracts in its build-info are verified ' +
      '(docs/sources.md)',
    fallback: undefined,
    shown: 'none',
  }),
  json: flag<boolean>({ description: 'no banner; readiness as a line of JSON', fallback: false }),
  jsonReady: flag<boolean>({ description: 'no banner; one line of JSON with the URLs when ready', fallback: false }),
}

/** Traces of requests. */
export const TRACE_FLAGS = {
  otlpEndpoint: flag<string | undefined>({
    value: 'url',
    description:
      'collector of OpenTelemetry, as in http://127.0.0.1:4318: traces of sent transactions, and of other requests with a traceparent header, are exported to it over OTLP/HTTP',
    parse: httpUrl,
    fallback: undefined,
    shown: 'none',
  }),
  otlpSampleRatio: flag<number>({
    value: 'ratio',
    description: 'share of the traces of requests without a traceparent header that are exported, from 0 to 1',
    parse: ratio,
    fallback: 1,
  }),
}
