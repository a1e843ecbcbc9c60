import { STATUS } from '../../src/rest/http/status.ts'
import { ERROR_MEANINGS } from '../../src/rpc/protocol/error-meanings.ts'
import { INVALID_TRANSACTION_CODES, RPC_CODES, SIMULATION_CODES, submitError } from '../../src/rpc/protocol/errors.ts'
import { CLOSE_CODES, HTTP_STATUSES } from '../../src/server/transport/statuses.ts'
import { code, page, table } from './markdown.ts'
import { REFUSALS } from './refusal-examples.ts'

/** `docs/errors.md`: every error code that clients can receive. */
export function errorsPage(): string {
  return page(
    'Errors',
    '`src/rpc/protocol/errors.ts`, `src/rpc/protocol/error-meanings.ts`, `src/server/transport/statuses.ts` and `src/rest/http/status.ts`',
    'Every error response says how to correct the request. Invalid input changes no state and never stops the node.',
    section('JSON-RPC', ['code', 'meaning', 'what to do'], rpcRows()),
    section(
      'Refused transactions (`eth_sendRawTransaction`)',
      ['reason', 'code', 'message, as in', '`data`'],
      refusalRows(),
    ),
    section('Simulations (`eth_simulateV1`)', ['code', 'reasons'], simulationRows()),
    section('HTTP statuses', ['status', 'meaning'], rowsOf(HTTP_STATUSES)),
    section('WebSocket close codes', ['code', 'meaning'], rowsOf(CLOSE_CODES)),
    section('REST (body: `rpcStatus`)', ['HTTP', 'code', 'name'], restRows()),
  )
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `## ${title}\n\n${table(head, rows)}`
}

function rpcRows(): string[][] {
  return Object.entries(RPC_CODES).map(([name, number]) => {
    const { meaning, advice } = ERROR_MEANINGS[name as keyof typeof RPC_CODES]
    return [String(number), meaning, advice]
  })
}

function refusalRows(): string[][] {
  return Object.values(REFUSALS).map((refusal) => {
    const error = submitError(refusal, 'base')
    return [code(refusal.code), String(error.code), code(error.message), dataText(error.data)]
  })
}

/** The members of `data`, or `data` itself where it is a text. */
function dataText(data: unknown): string {
  if (typeof data === 'string') return code(data)
  return Object.keys(data ?? {})
    .map(code)
    .join(', ')
}

function simulationRows(): string[][] {
  const reasons = new Map<number, string[]>()
  for (const [reason, number] of Object.entries({ ...SIMULATION_CODES, ...INVALID_TRANSACTION_CODES })) {
    reasons.set(number, [...(reasons.get(number) ?? []), code(reason)])
  }
  return [...reasons].sort(([a], [b]) => b - a).map(([number, names]) => [String(number), names.join(', ')])
}

function rowsOf(meanings: Readonly<Record<string, string>>): string[][] {
  return Object.entries(meanings)
}

function restRows(): string[][] {
  return Object.entries(STATUS).map(([name, { code: number, http }]) => [String(http), String(number), code(name)])
}
