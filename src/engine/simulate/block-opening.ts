import type { Header } from '../../chain/block/header.ts'
import { BEACON_ROOTS_ADDRESS, HISTORY_STORAGE_ADDRESS } from '../../chain/constants.ts'
import { rulesOf } from '../../chain/forks/rules.ts'
import { type Hash, hexToBytes } from '../../primitives/hex.ts'
import { type AsyncSteps, awaited } from '../../primitives/maybe-promise.ts'
import { layerReader } from '../../state/layered-reader.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { newBlockEnv } from '../block/block-env.ts'
import type { BlockEnv, Engine, MayContinue, Session } from '../types.ts'

/** How a block begins: what its first call sees. */
export interface BlockOpening {
  readonly env: BlockEnv
  /** With what the protocol wrote before. */
  readonly state: StateReader
}

interface OpeningContext {
  readonly engine: Engine
  /** After the parent, which the header names. */
  readonly state: StateReader
  readonly mayContinue: MayContinue
}

interface CachedOpening extends BlockOpening {
  readonly engine: Engine
  readonly parentHash: Hash
}

/** By the state after the parent: a wallet simulates again and again on the same block. */
const openings = new WeakMap<StateReader, CachedOpening>()

/**
 * The opening of a block without overrides; the same objects for the same block, so that an instance of the EVM goes on
 * with what it has read of them.
 */
export function* sharedOpening(
  header: Header,
  { engine, state, mayContinue }: OpeningContext,
): AsyncSteps<BlockOpening> {
  const known = openings.get(state)
  if (known?.engine === engine && beginsAs(known, header)) return known
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

/** Two blocks after the same one differ in their time and base fee at most, where nothing is overridden (`openingHeader`). */
function beginsAs({ parentHash, env }: CachedOpening, header: Header): boolean {
  return (
    parentHash === header.parentHash &&
    env.timestamp === header.timestamp &&
    env.baseFee === (header.baseFeePerGas ?? 0n)
  )
}

/**
 * What the protocol calls before anybody else does (EIP-2935, EIP-4788). Unlike `makeOpeningCalls` in steps, and for a header
 * that may have no beacon root.
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
