import { describe, expect, it } from 'vitest'
import {
  address,
  callTo,
  ENV,
  executed,
  LAYER_2,
  NO_CHECKS,
  SENDER,
  stateOf,
} from '../../test/support/engine-fixture.ts'
import { bytesToHex, hexToBytes } from '../primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../primitives/quantity.ts'
import type { StateReader } from '../state/state-reader.ts'
import { estimateGas } from './call/estimate-gas.ts'
import { createEngine } from './session/create-engine.ts'

const CONTRACT = address(0xa1)
const SLOT = bigintToSlot(1n)
/** Returns slot 1 and reverts if it is empty. */
const READS = '0x60015480600b57600080fd5b60005260206000f3'
const OTHER_ACCOUNT = address(0xa5)
/** Reads a balance first. */
const READS_AFTER_BALANCE = `0x73${OTHER_ACCOUNT.slice(2)}315060015480602257600080fd5b60005260206000f3`
const ACCESS_LIST = [{ address: CONTRACT, storageKeys: [bigintToHash(1n)] }]

/** Slot 1 of the contract holds 5. */
function base(code = READS): StateReader {
  const state = stateOf({ code: { [CONTRACT]: code } })
  return { ...wrapped(state), storage: (who, slot) => (who === CONTRACT && slot === SLOT ? 5n : 0n) }
}

function wrapped(state: StateReader): StateReader {
  return {
    account: (who) => state.account(who),
    storage: (who, slot) => state.storage(who, slot),
    hasStorage: (who) => state.hasStorage(who),
    code: (hash) => state.code(hash),
    blockHash: (number) => state.blockHash(number),
  }
}

const engine = createEngine({ config: LAYER_2 })
const call = callTo(CONTRACT, { accessList: ACCESS_LIST })

describe('a slot of an access list keeps its value when the run is reverted', () => {
  it('in a session', async () => {
    const session = engine.open(ENV, base())
    for (let round = 0; round < 2; round++) {
      session.checkpoint()
      expect(BigInt(bytesToHex(executed(await session.call(call, NO_CHECKS)).output))).toBe(5n)
      session.revert()
    }
    expect(session.state.storage(CONTRACT, SLOT)).toBe(5n)
  })

  it('in an estimate', async () => {
    const request = { from: SENDER, to: CONTRACT, accessList: ACCESS_LIST }
    const estimate = await estimateGas(engine, ENV, base(), request)
    expect(estimate).toMatchObject({ kind: 'estimated' })
    expect(estimate.kind === 'estimated' && estimate.gas < 40_000n).toBe(true)
  })

  it('after a message that throws', async () => {
    let fails = true
    const state = base(READS_AFTER_BALANCE)
    const session = engine.open(ENV, {
      ...state,
      account: (who) => {
        if (fails && who === OTHER_ACCOUNT) throw new Error('not here')
        return state.account(who)
      },
    })
    await expect(session.call(call, NO_CHECKS)).rejects.toThrow('not here')
    fails = false
    expect(BigInt(bytesToHex(executed(await session.call(callTo(CONTRACT), NO_CHECKS)).output))).toBe(5n)
  })
})

describe('code that looks like a delegation', () => {
  const DELEGATE = address(0xb1)
  const code = { [CONTRACT]: `0xef0100${DELEGATE.slice(2)}`, [DELEGATE]: '0x602a60005260206000f3' }

  it.each(['istanbul', 'berlin', 'cancun'] as const)('is an invalid instruction in %s', async (fork) => {
    const session = engine.open({ ...ENV, fork }, stateOf({ code }))
    expect(executed(await session.call(callTo(CONTRACT), NO_CHECKS))).toMatchObject({
      status: 'halt',
      halt: 'invalid opcode: opcode 0xef not defined',
    })
  })

  it.each(['prague', 'osaka'] as const)('is followed in %s', async (fork) => {
    const session = engine.open({ ...ENV, fork }, stateOf({ code }))
    expect(executed(await session.call(callTo(CONTRACT), NO_CHECKS)).status).toBe('success')
  })
})

describe('a creation whose output begins with 0xef', () => {
  /** Init code that leaves the byte in memory and ends with an instruction. */
  const creation = (end: string) => callTo(null, { data: hexToBytes(`0x60ef60005360016000${end}`) })

  it.each([
    ['reverts with it', 'london', 'fd', 'revert'],
    ['reverts with it', 'osaka', 'fd', 'revert'],
    ['cannot deploy it', 'london', 'f3', 'halt'],
    ['cannot deploy it', 'osaka', 'f3', 'halt'],
    ['deploys it before EIP-3541,', 'berlin', 'f3', 'success'],
  ] as const)('%s in %s', async (_, fork, end, status) => {
    const session = engine.open({ ...ENV, fork }, stateOf({}))
    expect(executed(await session.call(creation(end), NO_CHECKS)).status).toBe(status)
  })
})

describe('a long run pauses', () => {
  /** Straight-line code without a jump. */
  const CODES: readonly (readonly [string, string])[] = [
    ['within code that never jumps', `0x${'62100000 5f 20 50'.replaceAll(' ', '').repeat(200)}`],
    ['between calls of precompiles', `0x${'5f5f620800005f60025afa50'.repeat(200)}`],
    ['before a precompile that may take long', '0x5f5f620800005f60025afa50'],
  ]

  it.each(CODES)('%s', async (_, code) => {
    let pauses = 0
    const env = { ...ENV, gasLimit: 1n << 40n }
    const session = engine.open(env, stateOf({ code: { [CONTRACT]: code } }), {
      mayContinue: () => {
        pauses++
        return true
      },
    })
    const { gasUsed } = executed(await session.call(callTo(CONTRACT, { gasLimit: 50_000_000n }), NO_CHECKS))
    expect(pauses).toBeGreaterThanOrEqual(Math.max(1, Math.floor(gasUsed / 2_500_000)))
  })

  it('between the runs of an estimate', async () => {
    let requested = 0
    const options = {
      mayContinue: () => {
        requested++
        return requested < 3
      },
    }
    const request = { from: SENDER, to: CONTRACT }
    const state = stateOf({ code: { [CONTRACT]: '0x5a6161a810600d5760006000fd5b00' } })
    await expect(estimateGas(engine, ENV, state, request, options)).rejects.toMatchObject({ code: 'EXECUTION_STOPPED' })
  })
})
