import { destination, type Logger, pino, stdSerializers, stdTimeFunctions } from 'pino'

/** Prefix of the codes of Node's errors that indicate a programming mistake. */
const NODE_ERROR = /^ERR_/

/**
 * Logger to standard error: lines of JSON with the level as text and the time as in RFC 3339. Errors with a code are
 * expected: they are logged without stack, because their message says what to do. Other errors are bugs and keep their
 * stack.
 */
export function createLogger(
  level: string,
  write: pino.DestinationStream = destination({ dest: 2, sync: true }),
): Logger {
  const formatters = { level: (label: string) => ({ level: label }) }
  return pino({ level, formatters, timestamp: stdTimeFunctions.isoTime, serializers: { err: serializeError } }, write)
}

function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? error.code : undefined
  if (code === undefined || NODE_ERROR.test(String(code))) return stdSerializers.err(error)
  return { type: error.name, code, message: error.message }
}
