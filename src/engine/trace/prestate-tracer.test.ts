import { describe, expect, it } from 'vitest'
import { codeOf } from '../../../test/fuzz/fuzz-program.ts'
import { randomStatements } from '../../../test/fuzz/random-statements.ts'
import { address, COINBASE, callTo, SENDER, stateOf } from '../../../test/support/engine-fixture.ts'
import { testRandom } from '../../../test/support/test-seed.ts'
import { OTHER, TOP, tracedCall } from '../../../test/support/traced-call.ts'
import { createAddress } from '../../chain/transaction/contract-address.ts'
import { type Address, bytesToHex } from '../../primitives/hex.ts'
import { EMPTY_CODE_HASH } from '../../primitives/keccak.ts'
import { bigintToSlot } from '../../primitives/quantity.ts'
import { StateOverlay } from '../../state/overlay.ts'
import { delegationCode } from '../transaction/delegation.ts'
import { PrestateTracer, type PrestateTracerOptions } from './prestate-tracer.ts'
import { TraceBudget } from './trace-budget.ts'

const CONTRACTS = [TOP, OTHER, address(0xc1)] as const

/** The first contract that TOP creates. */
const CREATED = createAddress(TOP, 1n)

/** @param funded an account with a balance of 7 wei */
async function trace(
  code: Readonly<Record<Address, string>>,
  options: PrestateTracerOptions = {},
  funded: Address | undefined = undefined,
) {
  const before = new StateOverlay(stateOf({ code }))
  if (funded !== undefined) before.setAccount(funded, { nonce: 0n, balance: 7n, codeHash: EMPTY_CODE_HASH })
  const deps = { budget: new TraceBudget(1 << 24), coinbase: COINBASE, state: before }
  const tracer = new PrestateTracer(options, deps)
  before.setStorage(TOP, bigintToSlot(1n), 5n)
  before.setStorage(TOP, bigintToSlot(2n), 6n)
  const call = callTo(TOP, { value: 3n, maxFeePerGas: 12n, maxPriorityFeePerGas: 2n, gasLimit: 200_000n })
  const { diff } = await tracedCall(tracer, before, call)
  return { before, diff, state: tracer.result({ before, diff }) }
}

/** SSTORE(1, 0), SLOAD(2), SSTORE(3, 4), BALANCE of 0xdead. */
const CODE = '0x6000600155600254600460035561dead3100'

describe('prestateTracer', () => {
  it('reports everything read as it was before', async () => {
    const { state } = await trace({ [TOP]: CODE })
    expect(state.post).toBeUndefined()
    expect(state.pre.get(SENDER)).toEqual({ balance: 10n ** 19n, storage: new Map() })
    expect(state.pre.get(TOP)).toMatchObject({
      balance: 0n,
      nonce: 1n,
      storage: new Map([
        [bigintToSlot(1n), 5n],
        [bigintToSlot(2n), 6n],
        [bigintToSlot(3n), 0n],
      ]),
    })
    expect(bytesToHex(state.pre.get(TOP)!.code!)).toBe(CODE)
    expect([...state.pre.keys()]).not.toContain(address(0xdead))
    const withEmpty = await trace({ [TOP]: CODE }, { includeEmpty: true })
    expect([...withEmpty.state.pre.keys()]).toEqual(expect.arrayContaining([address(0xdead), COINBASE]))
  })

  it('diffMode: reports only changes, before and after', async () => {
    const { state, diff } = await trace({ [TOP]: CODE }, { diffMode: true })
    expect(new Set(state.post!.keys())).toEqual(new Set(diff.accounts.keys()))
    expect(state.pre.get(TOP)!.storage).toEqual(new Map([[bigintToSlot(1n), 5n]]))
    expect(state.post!.get(TOP)).toEqual({ balance: 3n, storage: new Map([[bigintToSlot(3n), 4n]]) })
    expect(state.post!.get(SENDER)).toMatchObject({ nonce: 1n })
    expect(state.pre.has(COINBASE)).toBe(false)
    expect(state.post!.get(COINBASE)!.balance).toBeGreaterThan(0n)
  })

  it('diffMode: keeps all slots that a deleted account read, as go-ethereum does', async () => {
    // CREATE of SLOAD(0), SELFDESTRUCT(0), at an address that has a balance.
    const { state } = await trace({ [TOP]: '0x645f54505fff5f526005601b5ff000' }, { diffMode: true }, CREATED)
    expect(state.pre.get(CREATED)).toEqual({ balance: 7n, storage: new Map([[bigintToSlot(0n), 0n]]) })
    expect(state.post!.has(CREATED)).toBe(false)
  })

  it('omits code and storage on request', async () => {
    const { state } = await trace({ [TOP]: CODE }, { disableCode: true, disableStorage: true })
    const account = state.pre.get(TOP)!
    expect(account.code).toBeUndefined()
    expect(account.codeHash).toBeDefined()
    expect(account.storage.size).toBe(0)
  })

  it('reports the delegation target of an account', async () => {
    const { state } = await trace({ [TOP]: bytesToHex(delegationCode(OTHER)), [OTHER]: '0x00' })
    expect([...state.pre.keys()]).toContain(OTHER)
  })

  it("reports the session's diff for random programs", async () => {
    let changes = 0
    // The first run has only the writes with which every program begins: two of them change a slot in any case.
    for (let run = 0; run < 150; run++) {
      const random = testRandom(run)
      const around = { accounts: [...CONTRACTS, address(4), address(0xdead)], precompiles: [address(4)] }
      const code = Object.fromEntries(
        CONTRACTS.map((contract) => {
          const writes = `0x60${random() < 0.5 ? '00' : '07'}600155600860025560${random() < 0.5 ? '00' : '09'}600355`
          const statements = codeOf(randomStatements(random, around, 4 + Math.floor(random() * 20)))
          return [contract, run === 0 ? writes : writes + bytesToHex(statements).slice(2)]
        }),
      )
      const { state, diff, before } = await trace(code, { diffMode: true })
      for (const [account, { account: after }] of diff.accounts) {
        const old = before.account(account)
        const reported = state.post!.get(account)
        expect(reported === undefined, `run ${run}: ${account}`).toBe(after === undefined)
        expect({ ...(old ?? { balance: 0n, nonce: 0n }), ...pick(reported) }).toMatchObject(pick(after))
        const written = [...(diff.storage.get(account) ?? [])].filter(([slot]) => !isSame(before, account, slot, diff))
        for (const [slot, value] of written) {
          expect(reported!.storage.get(slot) ?? 0n, `run ${run}: ${account} ${slot}`).toBe(value)
          expect(state.pre.get(account)?.storage.get(slot) ?? 0n).toBe(before.storage(account, slot))
          changes++
        }
      }
      expect([...state.post!.keys()].filter((account) => !diff.accounts.has(account))).toEqual([])
      if (run === 0) expect(changes).toBeGreaterThanOrEqual(2)
    }
  })
})

function pick(account: { readonly balance?: bigint; readonly nonce?: bigint } | undefined) {
  if (account === undefined) return {}
  const { balance, nonce } = account
  return { ...(balance !== undefined && { balance }), ...(nonce !== undefined && { nonce }) }
}

function isSame(
  before: StateOverlay,
  account: Address,
  slot: Parameters<StateOverlay['storage']>[1],
  diff: { readonly storage: ReadonlyMap<Address, ReadonlyMap<typeof slot, bigint>> },
) {
  return before.storage(account, slot) === diff.storage.get(account)!.get(slot)
}
