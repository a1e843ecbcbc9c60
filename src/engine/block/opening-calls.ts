import type { Header } from '../../chain/block/header.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { whenLoaded } from '../../state/missing-state.ts'
import type { Session } from '../types.ts'

/** The system calls at the start of a block (EIP-4788, EIP-2935), according to its fork. */
export async function makeOpeningCalls(
  session: Session,
  header: Pick<Header, 'parentHash' | 'parentBeaconBlockRoot'>,
): Promise<void> {
  const { fork } = session.env
  if (rulesOf(fork).hasBeaconRoot) {
    await unlessOffline(() => session.systemCall(BEACON_ROOTS_ADDRESS, hexToBytes(header.parentBeaconBlockRoot!)))
  }
  if (rulesOf(fork).hasHistoryContract) {
    await unlessOffline(() => session.systemCall(HISTORY_STORAGE_ADDRESS, hexToBytes(header.parentHash)))
  }
}

/** A fork without its upstream may lack the slots that a call overwrites. Such a call is left out. */
async function unlessOffline(call: () => ReturnType<Session['systemCall']>): Promise<void> {
  try {
    await whenLoaded(call)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'FORK_OFFLINE')) throw error
  }
}
