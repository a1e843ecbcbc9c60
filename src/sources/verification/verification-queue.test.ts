import { expect, test } from 'vitest'
import type { Address } from '../../primitives/hex.ts'
import type { VerifiedSource } from '../store/verified-source.ts'
import { VerificationQueue } from './verification-queue.ts'

test('a closed queue fails what waits and refuses more, after the running verification has ended', async () => {
  const address = `0x${'11'.repeat(20)}` as Address
  const request = { address, input: {} as never, contract: { name: 'A' }, compilerVersion: '0.8.24' }
  let end: (source: VerifiedSource) => void = () => undefined
  const running = new Promise<VerifiedSource>((resolve) => {
    end = resolve
  })
  let verifications = 0
  let jobs = 0
  const queue = new VerificationQueue({
    verify: () => {
      verifications++
      return running
    },
    now: () => new Date(0),
    randomId: () => `${++jobs}`,
    log: { error: () => undefined },
  })
  const [first, second] = [queue.add(request), queue.add(request)]
  // The first one starts.
  await Promise.resolve()

  const closed = queue.close()
  end({ runtime: {}, creation: {}, verifiedAt: '' } as never)
  await closed

  expect(verifications).toBe(1)
  expect(queue.get(first)?.matches).toBeDefined()
  expect(queue.get(second)?.error).toMatchObject({ code: 'internal_error' })
  expect(() => queue.add(request)).toThrow('the node stops')
})
