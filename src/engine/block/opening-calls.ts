import type { Header } from '../../chain/block/header.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { MissingStateError, whenLoaded } from '../../state/missing-state.ts'
import type { Session } from '../types.ts'
import { baseTimeInstallation, installsBaseTime } from './base-time-activation.ts'

/** Treatment of a call whose slots another node has (fork mode). */
export interface OpeningCallOptions {
  /** Leaves the call out instead of loading the slots: a block that is due does not wait for the other node. */
  readonly skipsMissing: boolean
}

/**
 * Changes the state before the first transaction of a block: installs BaseTime (Denim), then makes the system calls of
 * its fork (EIP-4788, EIP-2935).
 */
export async function makeOpeningCalls(
  session: Session,
  header: Pick<Header, 'number' | 'parentHash' | 'parentBeaconBlockRoot'>,
  config: ChainConfig,
  options: OpeningCallOptions = { skipsMissing: false },
): Promise<void> {
  const { fork } = session.env
  const installation = installsBaseTime(header.number, config) ? baseTimeInstallation(session.state) : undefined
  if (installation !== undefined) session.apply(installation)
  if (rulesOf(fork).hasBeaconRoot) {
    const root = hexToBytes(header.parentBeaconBlockRoot!)
    await unlessMissing(() => session.systemCall(BEACON_ROOTS_ADDRESS, root), options)
  }
  if (rulesOf(fork).hasHistoryContract) {
    const hash = hexToBytes(header.parentHash)
    await unlessMissing(() => session.systemCall(HISTORY_STORAGE_ADDRESS, hash), options)
  }
}

/** A fork without its upstream may lack the slots that a call overwrites, too. */
async function unlessMissing(
  call: () => ReturnType<Session['systemCall']>,
  { skipsMissing }: OpeningCallOptions,
): Promise<void> {
  try {
    await (skipsMissing ? call() : whenLoaded(call))
  } catch (error) {
    const isSkipped = skipsMissing && error instanceof MissingStateError
    if (!isSkipped && !isOffline(error)) throw error
  }
}

function isOffline(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'FORK_OFFLINE'
}
