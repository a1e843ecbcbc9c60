import { expect, test } from 'vitest'
import { RPC_CODES, RpcError } from '../errors.ts'
import { EncodedJson } from '../memoized/encoded-json.ts'
import { BurstLoad } from './burst-load.ts'
import type { PostedResponse, ToThread } from './messages.ts'

const REQUEST = { sequence: 1, sealed: { latest: 0, safe: 0, finalized: 0 }, text: '{}' }

/** A share whose thread responds on request. */
function setUp() {
  const posted: Extract<ToThread, { kind: 'burst' }>[] = []
  const share = new BurstLoad({
    post: (message) => {
      if (message.kind === 'burst') posted.push(message)
    },
  })
  const request = (count: number) => share.run(Array.from({ length: count }, () => REQUEST))
  const response = (ms: number, responses?: readonly PostedResponse[]) => {
    const { id, requests } = posted.shift()!
    share.receive({
      kind: 'burst',
      id,
      ms,
      responses: responses ?? requests.map(() => ({ kind: 'result', text: '[]' })),
    })
  }
  return { share, request, response }
}

test('limits the requests of a thread to four milliseconds of work: few at first, more when it is fast', () => {
  const { share, request, response } = setUp()
  expect(share.room()).toBe(6)
  void request(4)
  expect(share.room()).toBe(2)
  response(4)
  expect(share.room()).toBe(6)
  for (let count = 0; count < 30; count++) {
    void request(4)
    response(0.4)
  }
  expect(share.room()).toBe(39)
  for (let count = 0; count < 30; count++) {
    void request(4)
    response(0.04)
  }
  expect(share.room()).toBe(64)
  for (let count = 0; count < 30; count++) {
    void request(4)
    response(40)
  }
  expect(share.room()).toBe(6)
})

test('has no room until the thread has caught up with the chain', () => {
  const { share } = setUp()
  share.follows()
  share.follows()
  share.hasFollowed()
  expect(share.room()).toBe(0)
  share.hasFollowed()
  expect(share.room()).toBe(6)
})

test('returns results and errors in the order of the requests, and omits unanswered ones', async () => {
  const { share, request, response } = setUp()
  const responses = request(4)
  expect(share.isEmpty).toBe(false)
  response(1, [
    { kind: 'result', text: '"a"' },
    { kind: 'error', code: 3, message: 'execution reverted', data: '0x' },
    { kind: 'takesLong' },
  ])
  expect(await responses).toEqual([new EncodedJson('"a"'), new RpcError(3, 'execution reverted', '0x'), 'takesLong'])
  expect(share.isEmpty).toBe(true)
})

test('returns the requests of an ended thread to the caller, and rejects them when the node stops', async () => {
  const { share, request } = setUp()
  const first = request(4)
  share.end()
  expect(await first).toEqual([])
  const second = request(4)
  share.end(new RpcError(RPC_CODES.timedOut, 'stopping'))
  await expect(second).rejects.toThrow('stopping')
})
