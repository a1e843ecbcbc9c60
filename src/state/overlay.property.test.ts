import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  ADDRESSES,
  accounts,
  CODES,
  everythingIn,
  NaiveState,
  SLOTS,
  stateDiffs,
  words,
} from '../../test/support/naive-state.ts'
import { propertyRuns } from '../../test/support/runs.ts'
import type { Address, Bytes, Slot } from '../primitives/hex.ts'
import { EMPTY_CODE_HASH, keccakHash } from '../primitives/keccak.ts'
import type { Account } from './account.ts'
import { StateOverlay } from './overlay.ts'
import type { StateDiff } from './state-diff.ts'

type Step =
  | { readonly kind: 'account'; readonly address: Address; readonly account: Account | undefined }
  | { readonly kind: 'storage'; readonly address: Address; readonly slot: Slot; readonly value: bigint }
  | { readonly kind: 'clear'; readonly address: Address }
  | { readonly kind: 'code'; readonly address: Address; readonly code: Bytes }
  | { readonly kind: 'apply'; readonly diff: StateDiff }
  | { readonly kind: 'checkpoint' | 'revert' | 'commit' | 'take' }
  | { readonly kind: 'revertTo'; readonly fraction: number }

const address = fc.constantFrom(...ADDRESSES)
const NEW_ACCOUNT = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant('account' as const),
    address,
    account: fc.option(accounts, { nil: undefined, freq: 2 }),
  }),
  fc.record({ kind: fc.constant('storage' as const), address, slot: fc.constantFrom(...SLOTS), value: words }),
  fc.record({ kind: fc.constant('storage' as const), address, slot: fc.constantFrom(...SLOTS), value: words }),
  fc.record({ kind: fc.constant('clear' as const), address }),
  fc.record({ kind: fc.constant('code' as const), address, code: fc.constantFrom(...CODES, new Uint8Array(0)) }),
  fc.record({ kind: fc.constant('apply' as const), diff: stateDiffs }),
  // Twice as many checkpoints as reverts and commits, so that they nest.
  fc.record({ kind: fc.constant('checkpoint' as const) }),
  fc.record({ kind: fc.constant('checkpoint' as const) }),
  fc.record({ kind: fc.constantFrom('revert' as const, 'commit' as const, 'take' as const) }),
  fc.record({ kind: fc.constant('revertTo' as const), fraction: fc.double({ min: 0, max: 0.99, noNaN: true }) }),
)

/** Code of a reverted `setCode` may stay: it is found by hash only, so accounts and storage are compared. */
function withoutCodes(state: Parameters<typeof everythingIn>[0]) {
  const { accounts: all, storage } = everythingIn(state)
  return { accounts: all, storage }
}

describe('StateOverlay', () => {
  it('property: behaves like full copies of a state', () => {
    fc.assert(
      fc.property(stateDiffs, fc.array(steps, { maxLength: 60, size: 'max' }), (first, all) => {
        const base = new NaiveState().after(first)
        const overlay = new StateOverlay(base)
        let model = base
        let replica = base
        const open: { id: number; model: NaiveState }[] = []
        for (const step of all) {
          switch (step.kind) {
            case 'account':
              overlay.setAccount(step.address, step.account)
              model = model.with(step.address, step.account)
              break
            case 'storage':
              overlay.setStorage(step.address, step.slot, step.value)
              if (step.value !== 0n) model = model.with(step.address, model.account(step.address) ?? NEW_ACCOUNT)
              model = model.withSlot(step.address, step.slot, step.value)
              break
            case 'clear':
              overlay.clearStorage(step.address)
              model = model.with(step.address, model.account(step.address), new Map())
              break
            case 'code': {
              const codeHash = overlay.setCode(step.address, step.code)
              expect(codeHash).toBe(keccakHash(step.code))
              model = model.withCode(step.code)
              model = model.with(step.address, { ...(model.account(step.address) ?? NEW_ACCOUNT), codeHash })
              expect(overlay.code(codeHash)).toEqual(step.code)
              break
            }
            case 'apply':
              overlay.apply(step.diff)
              model = model.after(step.diff)
              break
            case 'checkpoint':
              open.push({ id: overlay.checkpoint(), model })
              break
            case 'revert':
              if (open.length === 0) break
              overlay.revert()
              model = open.pop()!.model
              break
            case 'commit':
              if (open.length === 0) break
              overlay.commit()
              open.pop()
              break
            case 'revertTo': {
              const index = Math.floor(step.fraction * open.length)
              const target = open[index]
              if (target === undefined) break
              overlay.revert(target.id)
              model = target.model
              open.length = index
              break
            }
            case 'take':
              if (open.length > 0) break
              replica = replica.after(overlay.takeDiff())
              expect(withoutCodes(replica)).toEqual(withoutCodes(model))
              break
          }
          expect(withoutCodes(overlay)).toEqual(withoutCodes(model))
        }
        while (open.pop() !== undefined) overlay.commit()
        replica = replica.after(overlay.takeDiff())
        expect(withoutCodes(replica)).toEqual(withoutCodes(model))
        for (const who of ADDRESSES) {
          const { codeHash } = replica.account(who) ?? NEW_ACCOUNT
          expect(replica.code(codeHash)).toEqual(overlay.code(codeHash))
        }
      }),
      { numRuns: propertyRuns(500) },
    )
  })

  const [alice, bob] = ADDRESSES as [Address, Address]
  const account = { nonce: 1n, balance: 5n, codeHash: EMPTY_CODE_HASH }

  it('takes a diff of changed values only, and only once', () => {
    const overlay = new StateOverlay(new NaiveState().with(alice, account, new Map([[SLOTS[0]!, 7n]])))
    overlay.setAccount(alice, { ...account })
    overlay.setStorage(alice, SLOTS[0]!, 7n)
    expect(overlay.takeDiff().accounts.size).toBe(0)
    overlay.setStorage(alice, SLOTS[0]!, 8n)
    const diff = overlay.takeDiff()
    expect(diff.accounts).toEqual(new Map([[alice, { account, storageCleared: false }]]))
    expect(diff.storage).toEqual(new Map([[alice, new Map([[SLOTS[0]!, 8n]])]]))
    overlay.setStorage(alice, SLOTS[0]!, 9n)
    expect(diff.storage.get(alice)?.get(SLOTS[0]!)).toBe(8n)
    overlay.takeDiff()
    expect(overlay.takeDiff().accounts.size).toBe(0)
    expect(overlay.storage(alice, SLOTS[0]!)).toBe(9n)
  })

  it('omits an account that was created and deleted', () => {
    const overlay = new StateOverlay(new NaiveState())
    overlay.setStorage(alice, SLOTS[0]!, 7n)
    expect(overlay.account(alice)).toEqual(NEW_ACCOUNT)
    overlay.setAccount(alice, undefined)
    expect(overlay.takeDiff().accounts.size).toBe(0)
  })

  it('clears storage only of an account that existed', () => {
    const overlay = new StateOverlay(new NaiveState().with(alice, account))
    overlay.clearStorage(alice)
    overlay.clearStorage(bob)
    overlay.setAccount(bob, account)
    const diff = overlay.takeDiff()
    expect(diff.accounts.get(alice)?.storageCleared).toBe(true)
    expect(diff.accounts.get(bob)?.storageCleared).toBe(false)
  })

  it('sees storage written through it', () => {
    const overlay = new StateOverlay(new NaiveState())
    expect(overlay.hasStorage(alice)).toBe(false)
    overlay.setStorage(alice, SLOTS[0]!, 1n)
    expect(overlay.hasStorage(alice)).toBe(true)
    overlay.takeDiff()
    expect(overlay.hasStorage(alice)).toBe(true)
    overlay.setStorage(alice, SLOTS[0]!, 0n)
    expect(overlay.hasStorage(alice)).toBe(false)
    overlay.setStorage(alice, SLOTS[1]!, 1n)
    overlay.clearStorage(alice)
    expect(overlay.hasStorage(alice)).toBe(false)
  })

  it('reverts a committed inner checkpoint with the outer one', () => {
    const overlay = new StateOverlay(new NaiveState().with(alice, account))
    const outer = overlay.checkpoint()
    overlay.setAccount(alice, { ...account, balance: 6n })
    overlay.checkpoint()
    overlay.setStorage(alice, SLOTS[0]!, 1n)
    overlay.commit()
    overlay.revert(outer)
    expect(overlay.account(alice)).toEqual(account)
    expect(overlay.takeDiff().accounts.size).toBe(0)
  })

  it('rejects a revert or commit without a checkpoint', () => {
    const overlay = new StateOverlay(new NaiveState())
    expect(() => overlay.revert()).toThrow('no such checkpoint')
    expect(() => overlay.commit()).toThrow('no checkpoint is open')
    const checkpoint = overlay.checkpoint()
    expect(() => overlay.takeDiff()).toThrow('a checkpoint is open')
    expect(() => overlay.revert(checkpoint + 1)).toThrow('no such checkpoint')
    overlay.commit()
    expect(overlay.takeDiff().accounts.size).toBe(0)
  })
})
