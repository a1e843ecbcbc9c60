import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { endAll, expectSame, follow, start } from '../../../test/support/replica-scene.ts'
import { caughtUp } from '../../../test/support/replicas.ts'
import { propertyRuns } from '../../../test/support/runs.ts'
import { signTransfer } from '../../../test/support/transfers.ts'
import { AUTO, FLASHBLOCKS, intervalMode, MANUAL, type MiningMode } from './mining-mode.ts'

afterEach(endAll)

const SENDERS = 3

type Operation =
  | { readonly kind: 'send'; readonly from: number }
  | { readonly kind: 'mine'; readonly blocks: number; readonly interval: bigint | undefined }
  | { readonly kind: 'mode'; readonly mode: MiningMode }
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'increase'; readonly seconds: bigint }
  | { readonly kind: 'timestamp'; readonly later: bigint }
  | { readonly kind: 'gasLimit'; readonly gasLimit: bigint }
  | { readonly kind: 'drop' }

const operations = fc.array(
  fc.oneof<fc.Arbitrary<Operation>[]>(
    fc.record({ kind: fc.constant('send'), from: fc.nat(SENDERS - 1) }),
    fc.record({ kind: fc.constant('send'), from: fc.nat(SENDERS - 1) }),
    fc.record({
      kind: fc.constant('mine'),
      blocks: fc.oneof(fc.nat(3), fc.constant(70)),
      interval: fc.option(fc.bigInt(1n, 100n), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant('mode'), mode: fc.constantFrom(AUTO, FLASHBLOCKS, MANUAL, intervalMode(3_000)) }),
    fc.record({ kind: fc.constant('wait'), ms: fc.nat(5_000) }),
    fc.record({ kind: fc.constant('increase'), seconds: fc.bigInt(0n, 1_000n) }),
    fc.record({ kind: fc.constant('timestamp'), later: fc.bigInt(-5n, 500n) }),
    fc.record({ kind: fc.constant('gasLimit'), gasLimit: fc.bigInt(100_000n, 1_000_000n) }),
    fc.record({ kind: fc.constant('drop') }),
  ),
  { maxLength: 25 },
)

/** A node whose operations are compared with the simplest model: nonces sent, and the blocks that a request adds. */
class ModelledNode {
  readonly #scene: Awaited<ReturnType<typeof start>>
  readonly #nonces = Array.from({ length: SENDERS }, () => 0n)

  constructor(scene: Awaited<ReturnType<typeof start>>) {
    this.#scene = scene
  }

  async run(operation: Operation): Promise<void> {
    const { node, clock } = this.#scene
    const { mining, time } = node.development!
    const { latest } = node.view().head.sealed
    switch (operation.kind) {
      case 'send':
        return this.#send(operation.from)
      case 'mine':
        expect(await mining.mine(operation)).toBeUndefined()
        // In the mode of flashblocks, the first one is the open block with its transactions.
        expect(node.view().head.sealed.latest - latest).toBe(operation.blocks)
        return
      case 'mode':
        return mining.setMode(() => operation.mode, { minesWaiting: true })
      case 'wait':
        clock.moveTo(clock.monotonic() + operation.ms)
        return node.idle()
      case 'increase':
        await time.increase(operation.seconds)
        return
      case 'timestamp': {
        const wanted = this.#newestTimestamp() + operation.later
        const refused = await time.setNextTimestamp(wanted)
        if (refused === undefined) expect(node.view().head.pending.block.header.timestamp).toBe(wanted)
        else expect(refused).toMatchObject({ code: 'TIMESTAMP_TOO_LOW', timestamp: wanted })
        return
      }
      case 'gasLimit':
        await mining.setGasLimit(operation.gasLimit)
        expect(node.view().head.pending.block.header.gasLimit).toBe(operation.gasLimit)
        return
      case 'drop':
        await mining.dropTransactions()
        expect(node.view().pool.size).toBe(0)
        for (let from = 0; from < SENDERS; from++) {
          const { address } = this.#account(from)
          this.#nonces[from] = node.view().pendingNonce(address)
        }
    }
  }

  async #send(from: number): Promise<void> {
    const { node } = this.#scene
    const { raw, hash } = signTransfer({ from, nonce: this.#nonces[from]! })
    expect(await node.submit(raw)).toMatchObject({ kind: 'accepted' })
    this.#nonces[from]! += 1n
    const found = node.view().transaction(hash)
    const { mode } = node.development!.mining
    const isAuto = mode.kind === 'on-demand' && mode.auto
    expect(found).toMatchObject(isAuto ? { kind: 'included', block: { status: 'sealed' } } : { kind: 'pooled' })
  }

  /** What holds after every operation. */
  check(): void {
    const { node } = this.#scene
    const { head, pool } = node.view()
    const { mode } = node.development!.mining
    const { block } = head.pending
    expect(block.header.timestamp).toBeGreaterThan(this.#newestTimestamp())
    if (mode.kind === 'on-demand') expect(block.transactions).toHaveLength(0)
    if (mode.kind === 'on-demand' && mode.auto) expect(pool.size).toBe(0)
    for (let from = 0; from < SENDERS; from++) {
      expect(node.view().pendingNonce(this.#account(from).address)).toBe(this.#nonces[from])
    }
  }

  #account(from: number): { readonly address: ReturnType<typeof signTransfer>['from'] } {
    return { address: signTransfer({ from, nonce: 0n }).from }
  }

  #newestTimestamp(): bigint {
    const { node } = this.#scene
    return node.view().header({ kind: 'number', number: node.view().head.sealed.latest })!.timestamp
  }
}

test('random operations leave a chain with increasing timestamps that a replica shows likewise', async () => {
  await fc.assert(
    fc.asyncProperty(operations, async (wanted) => {
      const scene = await start({ development: { mining: MANUAL } })
      const { node, stream } = scene
      const replica = await follow(stream.url)
      const modelled = new ModelledNode(scene)
      for (const operation of wanted) {
        await modelled.run(operation)
        modelled.check()
      }
      // The replica has the records of the pool before those of the block. The block has room for all transactions:
      // a replica's pending block has none of the pool.
      await node.development!.mining.setGasLimit(30_000_000n)
      await node.development!.mining.mine({ blocks: 1 })
      await caughtUp(replica, node)
      await expectSame(replica, node)
      const { latest } = node.view().head.sealed
      for (let number = 1; number <= latest; number++) {
        const [below, header] = [number - 1, number].map((at) => node.view().header({ kind: 'number', number: at })!)
        expect(header!.timestamp).toBeGreaterThan(below!.timestamp)
        expect(header!.parentHash).toBe(node.view().blockHash({ kind: 'number', number: number - 1 }))
      }
      await endAll()
    }),
    {
      numRuns: propertyRuns(100),
      examples: [
        [
          [
            ...Array.from({ length: 5 }, () => ({ kind: 'send', from: 0 }) as const),
            { kind: 'gasLimit', gasLimit: 100_000n },
          ],
        ],
      ],
    },
  )
})
