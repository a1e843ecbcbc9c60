import type { Method } from '../registry/method.ts'

/** Whether a request names the pending block, or means it by leaving a parameter out. */
export function readsPendingBlock(
  { params, isPendingFromPool }: Pick<Method, 'params' | 'isPendingFromPool'>,
  values: readonly unknown[],
): boolean {
  if (isPendingFromPool === true) return false
  return params.some(({ schema }, index) => isPending(values[index] ?? schema.default))
}

function isPending(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return json === 'pending'
  return 'blockNumber' in json && json.blockNumber === 'pending'
}
