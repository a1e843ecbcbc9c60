import { destination, type Logger, pino, stdSerializers } from 'pino'

/** What Node's own errors begin with that are mistakes in a program. */
const NODE_ERROR = /^ERR_/

/**
 * A log for standard error. An error with a code says what happened and what to do: it is one line, without where in the program
 * it was noticed. Any other one is a mistake, and has its stack.
 */
export function createLogger(
  level: string,
  write: pino.DestinationStream = destination({ dest: 2, sync: true }),
): Logger {
  return pino({ level, serializers: { err: serializeError } }, write)
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? error.code : undefined
  if (code === undefined || NODE_ERROR.test(String(code))) return stdSerializers.err(error)
  return { type: error.name, code, message: error.message }
}
