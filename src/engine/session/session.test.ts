import { describe, expect, it } from 'vitest'
import {
  address,
  COINBASE,
  callTo,
  ENV,
  LAYER_2,
  NO_CHECKS,
  openSession,
  SENDER,
  stateOf,
  transaction,
  VAULT,
} from '../../../test/support/engine-fixture.ts'
import { hexToBytes } from '../../primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../../primitives/quantity.ts'
import { emptyDiff } from '../../state/diff.ts'
import type { Session } from '../types.ts'
import { createEngine } from './create-engine.ts'

const BEEF = address(0xbeef)
const CONTRACT = address(0xc0de)
/** Stores the first word of the call data in slot 0. */
const STORES = '0x5f355f5500'

describe('a session', () => {
  const store = (value: bigint) => callTo(CONTRACT, { data: hexToBytes(bigintToHash(value)) })
  const stored = (session: Session) => session.state.storage(CONTRACT, bigintToSlot(0n))

  it('reverts to its checkpoints, which nest', async () => {
    const session = openSession({ code: { [CONTRACT]: STORES } })
    session.checkpoint()
    await session.call(store(1n), NO_CHECKS)
    session.checkpoint()
    await session.call(store(2n), NO_CHECKS)
    session.checkpoint()
    await session.call(store(3n), NO_CHECKS)
    session.commit()
    expect(stored(session)).toBe(3n)
    session.revert()
    expect(stored(session)).toBe(1n)
    session.revert()
    expect(stored(session)).toBe(0n)
    expect(session.takeDiff()).toEqual(emptyDiff())
  })

  it('returns each change once', async () => {
    const session = openSession({ code: { [CONTRACT]: STORES } })
    await session.call(store(1n), NO_CHECKS)
    expect(session.takeDiff().storage.get(CONTRACT)?.get(bigintToSlot(0n))).toBe(1n)
    await session.execute(transaction({ nonce: 1n }), ENV.gasLimit)
    const second = session.takeDiff()
    expect(second.storage.size).toBe(0)
    expect(new Set(second.accounts.keys())).toEqual(new Set([SENDER, BEEF, COINBASE, VAULT]))
  })

  it('runs messages in order, and none when closed', async () => {
    const session = openSession({ code: { [CONTRACT]: STORES } })
    const results = await Promise.all([session.call(store(1n), NO_CHECKS), session.call(store(2n), NO_CHECKS)])
    expect(results).toMatchObject([{ status: 'success' }, { status: 'success' }])
    expect(stored(session)).toBe(2n)
    const { state } = session
    session.close()
    await expect(session.call(callTo(BEEF), NO_CHECKS)).rejects.toMatchObject({ code: 'SESSION_CLOSED' })
    expect(() => state.account(BEEF)).toThrow(expect.objectContaining({ code: 'SESSION_CLOSED' }))
  })

  it('keeps its own state while other sessions of the engine run', async () => {
    const engine = createEngine({ config: LAYER_2 })
    const state = stateOf({ code: { [CONTRACT]: STORES } })
    const sessions = Array.from({ length: 12 }, () => engine.open(ENV, state))
    for (const round of [1n, 2n]) {
      await Promise.all(sessions.map((session, index) => session.call(store(round * BigInt(index + 1)), NO_CHECKS)))
      expect(sessions.map(stored)).toEqual(sessions.map((_, index) => round * BigInt(index + 1)))
    }
    for (const session of sessions) session.close()
    const fresh = engine.open(ENV, state)
    expect(stored(fresh)).toBe(0n)
    await fresh.call(store(5n), NO_CHECKS)
    expect(stored(fresh)).toBe(5n)
  })

  it('is unchanged when the state below fails', async () => {
    const state = stateOf({ code: { [CONTRACT]: STORES } })
    const storage = () => {
      throw new Error('disk gone')
    }
    const broken = {
      account: state.account.bind(state),
      hasStorage: state.hasStorage.bind(state),
      code: state.code.bind(state),
      blockHash: state.blockHash.bind(state),
      storage,
    }
    const session = createEngine({ config: LAYER_2 }).open(ENV, broken)
    await expect(session.call(store(1n), NO_CHECKS)).rejects.toThrow('disk gone')
    expect(session.state.account(SENDER)?.nonce).toBe(0n)
    expect(await session.call(callTo(BEEF, { value: 1n }), NO_CHECKS)).toMatchObject({ status: 'success' })
  })
})
