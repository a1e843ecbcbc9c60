import { parseEther } from 'viem'
import { numberOf } from '../../live/amount.ts'

/** A state of the chain that can be returned to. */
export interface ListedSnapshot {
  readonly id: string
  readonly blockNumber: number | undefined
}

/** Snapshots of a result of `anvil_metadata`, newest first. */
export function snapshotList(metadata: unknown): readonly ListedSnapshot[] {
  const { snapshots } = (metadata ?? {}) as { snapshots?: unknown }
  if (snapshots === null || typeof snapshots !== 'object') return []
  return Object.entries(snapshots)
    .map(([id, block]: [string, unknown]) => ({
      id,
      blockNumber: numberOf(Array.isArray(block) ? block[0] : undefined),
    }))
    .sort((a, b) => (numberOf(b.id) ?? 0) - (numberOf(a.id) ?? 0))
}

/** The forked chain of a result of `anvil_nodeInfo`; `undefined` if the chain is none. */
export function upstreamOf(
  nodeInfo: unknown,
): { readonly url: string; readonly blockNumber: number | undefined } | undefined {
  const { forkConfig } = (nodeInfo ?? {}) as { forkConfig?: { forkUrl?: unknown; forkBlockNumber?: unknown } | null }
  if (typeof forkConfig?.forkUrl !== 'string') return undefined
  return { url: forkConfig.forkUrl, blockNumber: numberOf(forkConfig.forkBlockNumber) }
}

/**
 * Wei of an amount of ether with at most 18 decimals.
 *
 * @throws Error that says what to write
 */
export function weiFromEther(text: string): bigint {
  const trimmed = text.trim().replaceAll(/[_,]/g, '')
  if (!/^\d+(?:\.\d{1,18})?$/.test(trimmed)) throw new Error('Write an amount of ether, as in 1.5.')
  return parseEther(trimmed)
}

/** @throws Error that says what to write */
export function addressFrom(text: string): string {
  const trimmed = text.trim()
  if (!/^0x[0-9a-fA-F]{40}$/.test(trimmed)) throw new Error('Write an address: 0x and 40 hex digits.')
  return trimmed.toLowerCase()
}

/** @throws Error that says what to write */
export function wholeNumberFrom(text: string, { name, min, max }: { name: string; min: number; max: number }): number {
  const value = /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN
  if (!(value >= min && value <= max)) throw new Error(`Write ${name} as a whole number from ${min} to ${max}.`)
  return value
}
