import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import type { RevertScope } from '../../src/node/development/snapshots.ts'
import type { ServedNode, SoloHandle } from '../../src/node/roles/node-handle.ts'
import { toAddress } from '../../src/primitives/hex.ts'
import { bigintToSlot } from '../../src/primitives/quantity.ts'
import type { ManualNode } from './manual-node.ts'
import { signTransfer } from './transfers.ts'

/** Accounts that receive transfers and whose state is changed from outside. */
const ACCOUNTS = [11, 12, 13].map((n) => toAddress(`0x${n.toString(16).padStart(40, '0')}`))
const SLOTS = [1n, 2n].map(bigintToSlot)
const CODES = ['', '5f5ff3', '600160015500'].map((hex) => Buffer.from(hex, 'hex'))
const SENDER = DEVELOPMENT_ACCOUNTS[0]!.address
const GAS = { gasLimit: 100_000n }

export type DevelopmentStep =
  | {
      readonly kind: 'send' | 'balance' | 'added' | 'nonce' | 'code' | 'slot'
      readonly to: number
      readonly value: number
    }
  | { readonly kind: 'mine' | 'rollback'; readonly count: number }
  | { readonly kind: 'reorganize'; readonly depth: number; readonly transfers: readonly Transfer[] }
  | { readonly kind: 'tick' | 'take' | 'setHead' }
  | { readonly kind: 'revert'; readonly which: number; readonly scope: RevertScope }

/** A transfer in a block that replaces another. */
interface Transfer {
  readonly block: number
  readonly to: number
  readonly value: number
}

const reorganizations = fc.nat(3).chain((depth) =>
  fc.record({
    kind: fc.constant('reorganize' as const),
    depth: fc.constant(depth),
    transfers: fc.array(
      fc.record({
        block: fc.nat(Math.max(0, depth - 1)),
        to: fc.nat(ACCOUNTS.length - 1),
        value: fc.nat(3),
      }),
      { maxLength: depth === 0 ? 0 : 3 },
    ),
  }),
)

const scopes = fc.constantFrom<RevertScope>('chain', 'everything')

/** Steps of a development node's client. */
export const developmentSteps = (maxLength: number): fc.Arbitrary<readonly DevelopmentStep[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 10,
        arbitrary: fc.record({
          kind: fc.constantFrom(...(['send', 'send', 'balance', 'added', 'nonce', 'code', 'slot', 'slot'] as const)),
          to: fc.nat(ACCOUNTS.length - 1),
          value: fc.nat(3),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({ kind: fc.constant('mine' as const), count: fc.integer({ min: 1, max: 3 }) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), count: fc.nat(3) }) },
      { weight: 1, arbitrary: reorganizations },
      { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('tick' as const, 'take' as const, 'take' as const) }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('revert' as const), which: fc.nat(5), scope: scopes }),
      },
    ),
    { minLength: 1, maxLength },
  )

/** What a client can read of the state after a block, and the block. */
export interface Observed {
  readonly hash: string
  readonly accounts: readonly (readonly [balance: bigint, nonce: bigint, codeHash: string | undefined])[]
  readonly slots: readonly bigint[]
}

/** Reads at all heights, and the pool. */
export interface ObservedChain {
  readonly blocks: readonly Observed[]
  readonly pool: readonly string[]
}

export function observe(node: Pick<ServedNode, 'view'>): ObservedChain {
  const view = node.view()
  const blocks: Observed[] = []
  for (let number = 0; number <= view.head.sealed.latest; number++) blocks.push(observedAt(node, number))
  const hashes = [...view.pool.senders()].flatMap((sender) => view.pool.bySender(sender))
  return { blocks, pool: hashes.map(({ transaction }) => transaction.hash).sort() }
}

function observedAt(node: Pick<ServedNode, 'view'>, number: number): Observed {
  const view = node.view()
  const state = view.state({ kind: 'number', number })!
  return {
    hash: view.blockHash({ kind: 'number', number })!,
    accounts: ACCOUNTS.map((address) => {
      const account = state.account(address)
      return [account?.balance ?? 0n, account?.nonce ?? 0n, account?.codeHash] as const
    }),
    slots: ACCOUNTS.flatMap((address) => SLOTS.map((slot) => state.storage(address, slot))),
  }
}

/** Plays steps on a node and compares every read with a model that remembers what was read at each height. */
export class DevelopmentModel {
  readonly #manual: ManualNode
  /** By height; only steps that change a block or the state after the newest one may change an entry. */
  #known: Observed[]
  readonly #snapshots: { readonly id: number; readonly observed: ObservedChain }[] = []

  constructor(manual: ManualNode) {
    this.#manual = manual
    this.#known = [...observe(manual.node).blocks]
  }

  async play(step: DevelopmentStep): Promise<void> {
    const { node } = this.#manual
    const { latest } = node.view().head.sealed
    await this.#perform(step)
    const { blocks } = observe(node)
    const goesBack = step.kind === 'revert' || step.kind === 'rollback'
    const kept = step.kind === 'reorganize' && step.depth <= latest ? latest - step.depth : latest
    // Blocks below the newest one of before, or the newest that was kept, stay as they were.
    const stable = Math.min(goesBack ? blocks.length - 1 : kept, latest, blocks.length - 1)
    for (let number = 0; number < stable; number++) expectSame(blocks[number], this.#known[number], `block ${number}`)
    this.#known = [...blocks]
  }

  async #perform(step: DevelopmentStep): Promise<void> {
    const { node, nextFlashblock, clock } = this.#manual
    const { state, snapshots, mining } = node.development!
    switch (step.kind) {
      case 'send': {
        const nonce = node.view().pendingNonce(SENDER)
        await node.submit(signTransfer({ nonce, to: ACCOUNTS[step.to]!, value: BigInt(step.value), ...GAS }).raw)
        return
      }
      case 'mine':
        await mining.mine({ blocks: step.count })
        return
      case 'tick':
        if (clock.next !== undefined) await nextFlashblock()
        return
      case 'take':
        this.#snapshots.push({ id: Number(await snapshots.take()), observed: observe(node) })
        return
      case 'revert':
        return this.#revert(step)
      case 'rollback': {
        const { latest } = node.view().head.sealed
        const refused = await snapshots.rollback(step.count)
        expectSame(refused?.code, step.count > latest ? 'ABOVE_LATEST' : undefined, 'rollback')
        if (refused === undefined) expectSame(node.view().head.sealed.latest, latest - step.count, 'latest')
        return
      }
      case 'reorganize':
        return this.#reorganize(step)
      case 'setHead':
        await node.setHead(node.view().head.sealed.latest)
        return
      default:
        await this.#change(step, state)
    }
  }

  async #change(
    { kind, to, value }: Extract<DevelopmentStep, { to: number }>,
    state: NonNullable<SoloHandle['development']>['state'],
  ): Promise<void> {
    const { node } = this.#manual
    const address = ACCOUNTS[to]!
    const tip = () => node.view().state({ kind: 'tag', tag: 'latest' })!
    const pending = () => node.view().state({ kind: 'tag', tag: 'pending' })!
    const amount = BigInt(value)
    const before = tip().account(address)?.balance ?? 0n
    switch (kind) {
      case 'balance':
        await state.setBalance(address, amount)
        for (const read of [tip(), pending()]) expectSame(read.account(address)?.balance ?? 0n, amount, 'balance')
        return
      case 'added':
        await state.addBalance(address, amount)
        if (node.view().head.pending.block.transactions.length === 0) {
          const after = tip().account(address)?.balance ?? 0n
          if (after < before + amount) throw new Error(`added ${amount} to ${before}, got ${after}`)
        }
        return
      case 'nonce':
        await state.setNonce(address, amount, { isGuarded: false })
        expectSame(tip().account(address)?.nonce ?? 0n, amount, 'nonce')
        return
      case 'code': {
        const code = CODES[value % CODES.length]!
        await state.setCode(address, code)
        const view = node.view()
        expectSame(Buffer.from(view.code(tip(), address)).toString('hex'), code.toString('hex'), 'code')
        return
      }
      default: {
        const slot = SLOTS[value % SLOTS.length]!
        await state.setStorage(address, slot, amount)
        for (const read of [tip(), pending()]) expectSame(read.storage(address, slot), amount, 'slot')
      }
    }
  }

  async #reorganize({ depth, transfers }: Extract<DevelopmentStep, { kind: 'reorganize' }>): Promise<void> {
    const { node } = this.#manual
    const { snapshots, submitMade } = node.development!
    const { latest } = node.view().head.sealed
    const make =
      ({ to, value }: Transfer) =>
      (nonce: bigint) =>
        signTransfer({ nonce, to: ACCOUNTS[to]!, value: BigInt(value), ...GAS })
    const transactions = [...transfers]
      .sort((a, b) => a.block - b.block)
      .map((transfer) => ({
        block: transfer.block,
        send: () => submitMade(SENDER, make(transfer), { isMined: false }),
      }))
    const refused = await snapshots.reorganize(depth, transactions)
    expectSame(refused?.code, depth > latest ? 'ABOVE_LATEST' : undefined, 'reorganize')
    expectSame(node.view().head.sealed.latest, latest, 'latest after a reorganization')
  }

  async #revert({ which, scope }: Extract<DevelopmentStep, { kind: 'revert' }>): Promise<void> {
    const { node } = this.#manual
    const { snapshots } = node.development!
    const chosen = this.#snapshots[which]
    const isReverted = await snapshots.revert(chosen?.id ?? 1_000_000, scope)
    if (chosen === undefined) return expectSame(isReverted, false, 'revert to an unknown snapshot')
    this.#snapshots.length = which
    const { blocks, pool } = observe(node)
    // A rollback below a snapshot invalidates it.
    if (!isReverted) return
    expectSame(blocks, chosen.observed.blocks, 'blocks after a revert')
    if (scope === 'everything') expectSame(pool, chosen.observed.pool, 'pool after a revert')
  }
}

export function expectSame(actual: unknown, expected: unknown, what: string): void {
  if (isDeepStrictEqual(actual, expected)) return
  const text = (value: unknown) =>
    JSON.stringify(value, (_, member: unknown) => (typeof member === 'bigint' ? `${member}` : member))
  throw new Error(`${what}: expected ${text(expected)}, got ${text(actual)}`)
}
