import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { STOCK_FACTORY_ADDRESS } from '../../src/chain/predeploys/stock-contracts.ts'
import { hexToBytes, toAddress } from '../../src/primitives/hex.ts'
import { UPSTREAM_REASONS } from '../../src/rest/upstream/upstream-source.ts'
import { hurriedClock } from '../support/hurried-clock.ts'
import { type ManualServer, startManualServer } from '../support/manual-server.ts'
import { standaloneService } from '../support/standalone-service.ts'
import { encodeCall } from '../support/stock-chain.ts'
import { FAULTS, HUGE_BYTES, startUnreliableUpstream, type UnreliableUpstream } from '../support/unreliable-upstream.ts'

const STOCK = '0x5700000000000000000000000000000000000001'
const OWNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TARGETS = ['/v1/tokenized-stocks', `/v1/tokenized-stocks/total-supply/${STOCK}`]
const REASONS = Object.values(UPSTREAM_REASONS).map(({ reason }) => reason)

/** Two forks of one chain: same id and heights, different supplies. */
let forks: readonly [ManualServer, ManualServer]
let upstream: UnreliableUpstream
const nonces = [0n, 0n]

beforeAll(async () => {
  forks = [await startManualServer(), await startManualServer()]
  upstream = await startUnreliableUpstream(forks[0].url, forks[1].url)
  await advance(0, 'block')
  await advance(1, 'block')
})
afterAll(async () => {
  await upstream.close()
  await Promise.all(forks.map((fork) => fork.stop()))
})

/** Every step of a fork changes the supply, differently on each. */
async function advance(index: 0 | 1, step: 'flashblock' | 'block'): Promise<void> {
  const fork = forks[index]
  const data = hexToBytes(encodeCall('mint', [OWNER, BigInt(index + 1) * 10n ** 18n]))
  await fork.send({ nonce: nonces[index]!, to: toAddress(STOCK), value: 0n, data, gasLimit: 500_000n })
  nonces[index]! += 1n
  await (step === 'block' ? fork.nextBlock() : fork.nextFlashblock())
}

/** Response of the service inside the forks for a block; `undefined`: neither has it. */
async function truthAt(target: string, hash: string): Promise<string | undefined> {
  for (const fork of forks) {
    const response = await fetch(`${fork.url}${target}?exact=true&block=${hash}`)
    if (response.ok) return response.text()
  }
  return undefined
}

const request = fc.record({
  target: fc.constantFrom(...TARGETS),
  block: fc.constantFrom('latest', 'pending', 'safe', '0x1'),
  before: fc.option(fc.record({ index: fc.constantFrom(0, 1), step: fc.constantFrom('flashblock', 'block') })),
  faults: fc.array(fc.oneof(fc.constant('none'), fc.constantFrom('none', 'otherNode'), fc.constantFrom(...FAULTS)), {
    maxLength: 12,
  }),
})

test('property: for any fault of an upstream, a response is correct for its block or a documented error', async () => {
  let answered = 0
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      fc.constantFrom(3, 4, 1_000),
      async (requests, takesHashes, batchSize) => {
        upstream.takesHashes = takesHashes
        const clock = hurriedClock(50)
        const service = standaloneService({
          url: upstream.url,
          factory: STOCK_FACTORY_ADDRESS,
          clock,
          batchSize,
          maxBytes: HUGE_BYTES / 2,
          retries: 1,
          upstreamTimeoutMs: 10_000,
          deadlineMs: 50_000,
        })
        for (const { target, block, before, faults } of requests) {
          if (before !== null) await advance(before.index as 0 | 1, before.step as 'flashblock' | 'block')
          upstream.faults = faults as UnreliableUpstream['faults']
          const { status, headers, body } = await service.get(`${target}?exact=true&block=${block}`)
          if (status === 200) {
            answered += 1
            expect(body).toBe(await truthAt(target, headers['x-block-hash']!))
          } else {
            const { code, details } = JSON.parse(String(body))
            expect([
              [503, 14],
              [504, 4],
            ]).toContainEqual([status, code])
            expect(REASONS).toContain(details[0].reason)
          }
        }
      },
    ),
    { numRuns: 40 },
  )
  expect(answered).toBeGreaterThan(10)
}, 120_000)
