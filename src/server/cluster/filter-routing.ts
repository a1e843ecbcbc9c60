import { randomBytes } from 'node:crypto'
import type { Bytes } from '../../primitives/hex.ts'
import type { Elsewhere } from '../../rpc/elsewhere.ts'
import { RpcError } from '../../rpc/errors.ts'
import { filterNotFound } from '../../rpc/filters/filter-errors.ts'
import { ReadyJson } from '../../rpc/ready/ready-json.ts'
import type { CallAnswer } from './messages.ts'
import type { WorkerLink } from './worker-link.ts'

/** Of an identifier. */
const ID_DIGITS = 32

/** Methods whose first parameter names a filter. */
const METHODS = new Set(['eth_getFilterChanges', 'eth_getFilterLogs', 'eth_uninstallFilter'])

/** Random bytes of identifiers: the first one names the worker, the others nobody can guess. */
export function identifierBytes(worker: number): (size: number) => Bytes {
  return (size) => {
    const bytes = randomBytes(size)
    bytes[0] = worker
    return bytes
  }
}

/** The worker that made an identifier; `undefined`: none can have. */
export function workerOf(id: unknown): number | undefined {
  if (typeof id !== 'string' || !/^0x[0-9a-f]{1,32}$/i.test(id)) return undefined
  return Number.parseInt(id.slice(2).padStart(ID_DIGITS, '0').slice(0, 2), 16)
}

/** A client's requests come to any worker: those about a filter are answered by the one that keeps it. */
export function filterRouting(
  { worker, workers }: { readonly worker: number; readonly workers: number },
  link: Pick<WorkerLink, 'call'>,
): Elsewhere {
  return {
    answer(method, params) {
      if (!METHODS.has(method)) return undefined
      const owner = workerOf(params[0])
      if (owner === undefined || owner === worker || owner < 1 || owner > workers) return undefined
      return link.call(owner, { method, params }).then((answer) => readyAnswer(method, answer))
    },
  }
}

function readyAnswer(method: string, answer: CallAnswer): ReadyJson {
  switch (answer.kind) {
    case 'result':
      return new ReadyJson(answer.text)
    case 'error':
      throw new RpcError(answer.code, answer.message, answer.data)
    case 'gone':
      if (method === 'eth_uninstallFilter') return new ReadyJson('false')
      throw filterNotFound()
  }
}
