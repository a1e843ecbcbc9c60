import { getContractAddress } from 'viem'
import { describe, expect, test } from 'vitest'
import { COUNTER_RUNTIME } from '../../test/support/contracts.ts'
import {
  address,
  callTo,
  ENV,
  ETHER,
  executed,
  LAYER_2,
  NO_CHECKS,
  SENDER,
  stateOf,
  transaction,
} from '../../test/support/engine-fixture.ts'
import { LazyState } from '../../test/support/lazy-state.ts'
import { toAddress, ZERO_HASH } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../primitives/keccak.ts'
import { bigintToSlot } from '../primitives/quantity.ts'
import { MissingStateError } from '../state/missing-state.ts'
import type { StateReader } from '../state/state-reader.ts'
import type { NativeContract } from './native-contract.ts'
import { createEngine } from './session/create-engine.ts'

const READER = address(0xa1)
const COUNTER = address(0xa2)
const RICH = address(0xa3)
const NATIVE = address(0xa4)
const CREATED = toAddress(
  getContractAddress({ opcode: 'CREATE2', from: READER, salt: ZERO_HASH, bytecodeHash: EMPTY_CODE_HASH }),
)
const push = (who: string) => `73${who.slice(2)}`
/** Sum of a slot, a balance, a code size, a block hash, a call that writes and the address of a new contract. */
const READS_EVERYTHING = [
  '0x5f54',
  `${push(RICH)}3101`,
  `${push(COUNTER)}3b01`,
  '60064001',
  `5f5f5f5f5f${push(COUNTER)}5af101`,
  '5f5f5f5ff501',
  '5f5260205ff3',
].join('')

function fullState(): StateReader {
  const state = stateOf({
    code: { [READER]: READS_EVERYTHING, [COUNTER]: `0x${COUNTER_RUNTIME}` },
    // An account with a balance alone is asked for storage before a creation at its address (EIP-7610).
    balances: { [RICH]: 3n * ETHER, [CREATED]: 1n },
  })
  const storage = new Map([
    [READER, 5n],
    [COUNTER, 40n],
  ])
  return {
    account: (who) => state.account(who),
    storage: (who, slot) => (slot === bigintToSlot(0n) ? (storage.get(who) ?? 0n) : 0n),
    hasStorage: (who) => state.hasStorage(who),
    code: (hash) => state.code(hash),
    blockHash: (number) => state.blockHash(number),
  }
}

const engine = createEngine({ config: LAYER_2 })
const call = callTo(READER, {})

describe('on a state that is read on demand', () => {
  test('a message gives the result and the changes that it gives on the whole state', async () => {
    const whole = engine.open(ENV, fullState())
    const expected = await whole.call(call, NO_CHECKS)
    const lazy = new LazyState(fullState())

    const session = engine.open(ENV, lazy)
    const result = await session.call(call, NO_CHECKS)

    expect(result).toEqual(expected)
    expect(executed(result).status).toBe('success')
    expect(session.takeDiff()).toEqual(whole.takeDiff())
    // Five kinds of reads, each loaded once.
    expect(new Set(lazy.loads.map((load) => load.split(' ')[0]))).toEqual(
      new Set(['account', 'slot', 'storage', 'code', 'hash']),
    )
    expect(lazy.loads).toHaveLength(new Set(lazy.loads).size)
  })

  test('code goes on where it stopped', async () => {
    const session = engine.open(ENV, new LazyState(fullState()), {
      tracer: () => ({ onStep: ({ opcode, depth }) => steps.push(`${depth} ${opcode}`) }),
    })
    const steps: string[] = []
    await session.call(call, NO_CHECKS)
    const missing = steps.length
    steps.length = 0
    const whole = engine.open(ENV, fullState(), {
      tracer: () => ({ onStep: ({ opcode, depth }) => steps.push(`${depth} ${opcode}`) }),
    })
    await whole.call(call, NO_CHECKS)
    expect(steps.length).toBeGreaterThan(30)
    expect(missing).toBe(steps.length)
  })

  test('a second message on the same state waits for nothing', async () => {
    const lazy = new LazyState(fullState())
    await engine.open(ENV, lazy).call(call, NO_CHECKS)
    expect(engine.open(ENV, lazy).call(call, NO_CHECKS)).not.toBeInstanceOf(Promise)
  })

  test('a transaction is checked and paid like on the whole state', async () => {
    const whole = engine.open(ENV, fullState())
    const session = engine.open(ENV, new LazyState(fullState()))
    const increment = transaction({ to: COUNTER, gasLimit: 100_000n })
    const expected = await whole.execute(increment, ENV.gasLimit)
    expect(await session.execute(increment, ENV.gasLimit)).toEqual(expected)
    expect(executed(expected).status).toBe('success')
    expect(session.takeDiff()).toEqual(whole.takeDiff())
  })

  test('a native contract that misses state has no effect twice', async () => {
    const native: NativeContract = ({ state }) => {
      const account = state.account(NATIVE) ?? { nonce: 0n, balance: 0n, codeHash: state.account(SENDER)!.codeHash }
      state.setAccount(NATIVE, { ...account, nonce: account.nonce + 1n })
      state.storage(COUNTER, bigintToSlot(0n))
      return { kind: 'success', output: new Uint8Array(0), gasUsed: 0n }
    }
    const own = createEngine({ config: LAYER_2, nativeContracts: new Map([[NATIVE, native]]) })
    const session = own.open(ENV, new LazyState(fullState()))
    await session.call(callTo(NATIVE, {}), NO_CHECKS)
    expect(session.state.account(NATIVE)?.nonce).toBe(1n)
  })

  test('a session that does not wait fails without changes, and succeeds once the state is loaded', async () => {
    const lazy = new LazyState(fullState())
    const session = engine.open(ENV, lazy, { missingState: 'fail' })
    let failures = 0
    for (;;) {
      const error = await Promise.resolve(session.call(call, NO_CHECKS)).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      if (error === undefined) break
      expect(error).toBeInstanceOf(MissingStateError)
      failures += 1
      await (error as MissingStateError).load()
    }
    expect(failures).toBe(lazy.loads.length)
    const whole = engine.open(ENV, fullState())
    await whole.call(call, NO_CHECKS)
    expect(session.takeDiff()).toEqual(whole.takeDiff())
  })

  test('state that cannot be loaded fails the message, and the session goes on', async () => {
    const lazy = new LazyState(fullState())
    const session = engine.open(ENV, lazy)
    lazy.failure = new Error('the upstream is gone')
    await expect(session.call(call, NO_CHECKS)).rejects.toThrow('the upstream is gone')
    lazy.failure = undefined
    expect(executed(await session.call(call, NO_CHECKS)).status).toBe('success')
  })

  test('a session cannot be used while a message waits for state', async () => {
    const session = engine.open(ENV, new LazyState(fullState()))
    const first = session.call(call, NO_CHECKS)
    await expect(session.call(call, NO_CHECKS)).rejects.toMatchObject({ code: 'SESSION_BUSY' })
    expect(executed(await first).status).toBe('success')
  })
})
