import type { Method } from '../registry/method.ts'

/** Whether a request names the pending block, or means it by leaving a parameter out. */
export function readsPendingBlock(
  { params, isPendingFromPool }: Pick<Method, 'params' | 'isPendingFromPool'>,
  values: readonly unknown[],
): boolean {
  if (isPendingFromPool === true) return false
  return params.some(({ schema }, index) => isPending(values[index] ?? schema.default))
}

/**
 * The parameters with the newest block in place of the pending one, for chains without pre-confirmations (Denim): they
 * have no pending block. Calls still run in the environment of the next block.
 */
export function withoutPendingBlock(
  { params, runsCode, isPendingFromPool }: Pick<Method, 'params' | 'runsCode' | 'isPendingFromPool'>,
  values: readonly unknown[],
): readonly unknown[] {
  if (runsCode === true || isPendingFromPool === true) return values
  const last = params.findLastIndex(({ schema }, index) => isPending(values[index] ?? schema.default))
  if (last < 0) return values
  return Array.from({ length: Math.max(values.length, last + 1) }, (_, index) => {
    const value = values[index] ?? params[index]?.schema.default
    return isPending(value) ? withLatest(value) : values[index]
  })
}

/** Members of a block reference, and of the criteria of logs. */
const BLOCK_MEMBERS = ['blockNumber', 'fromBlock', 'toBlock'] as const

function isPending(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return json === 'pending'
  return BLOCK_MEMBERS.some((member) => (json as Readonly<Record<string, unknown>>)[member] === 'pending')
}

function withLatest(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return 'latest'
  const replaced = Object.entries(json).map(([name, value]) => [name, isBlockMember(name, value) ? 'latest' : value])
  return Object.fromEntries(replaced)
}

function isBlockMember(name: string, value: unknown): boolean {
  return value === 'pending' && BLOCK_MEMBERS.some((member) => member === name)
}
