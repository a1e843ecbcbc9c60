import type { Header } from '../../chain/block/header.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { type Hash, hexToBytes } from '../../primitives/hex.ts'
import { type AsyncSteps, awaited } from '../../primitives/maybe-promise.ts'
import { layerReader } from '../../state/layered-reader.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { newBlockEnv } from '../block/block-env.ts'
import type { BlockEnv, Engine, MayContinue, Session } from '../types.ts'

/** Environment and state that the first call of a block sees. */
export interface BlockOpening {
  readonly env: BlockEnv
  /** After the system calls. */
  readonly state: StateReader
}

interface OpeningContext {
  readonly engine: Engine
  /** State after the parent, which the header names. */
  readonly state: StateReader
  readonly mayContinue: MayContinue
}

interface CachedOpening extends BlockOpening {
  readonly engine: Engine
  readonly parentHash: Hash
}

/** Keyed by the state after the parent: wallets simulate repeatedly on one block. */
const openings = new WeakMap<StateReader, CachedOpening>()

/**
 * The opening of a block without overrides; the same objects for the same block, so that an EVM instance keeps its
 * cached reads.
 */
export function* sharedOpening(
  header: Header,
  { engine, state, mayContinue }: OpeningContext,
): AsyncSteps<BlockOpening> {
  const cached = openings.get(state)
  if (cached?.engine === engine && beginsAs(cached, header)) return cached
  const env = newBlockEnv(header, engine.config)
  const session = engine.open(env, state, { mayContinue })
  try {
    yield* simulatedOpeningCalls(session, header)
    const opening = {
      engine,
      parentHash: header.parentHash,
      env,
      state: layerReader(state, [{ diff: session.takeDiff() }], new Map()),
    }
    openings.set(state, opening)
    return opening
  } finally {
    session.close()
  }
}

/** Without overrides, two children of one block differ in time and base fee at most (`openingHeader`). */
function beginsAs({ parentHash, env }: CachedOpening, header: Header): boolean {
  return (
    parentHash === header.parentHash &&
    env.timestamp === header.timestamp &&
    env.baseFee === (header.baseFeePerGas ?? 0n)
  )
}

/**
 * The system calls at the start of a block (EIP-2935, EIP-4788). Unlike `makeOpeningCalls` as steps, and for a header
 * that may lack a beacon root.
 */
export function* simulatedOpeningCalls(session: Session, header: Header): AsyncSteps<void> {
  if (rulesOf(session.env.fork).hasHistoryContract) {
    yield* awaited(session.systemCall(HISTORY_STORAGE_ADDRESS, hexToBytes(header.parentHash)))
  }
  const { parentBeaconBlockRoot } = header
  if (parentBeaconBlockRoot) {
    yield* awaited(session.systemCall(BEACON_ROOTS_ADDRESS, hexToBytes(parentBeaconBlockRoot)))
  }
}
