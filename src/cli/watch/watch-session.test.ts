import { describe, expect, test } from 'vitest'
import { NODE_ACCESS } from './node-access.ts'
import { WatchSession } from './watch-session.ts'

describe('WatchSession', () => {
  test('reports a refusal without the control characters of the node, and shortened', async () => {
    const message = `\u001b]0;owned\u0007${'x'.repeat(100_000)}`
    const session = new WatchSession(
      { address: { http: 'http://127.0.0.1:1/', ws: 'ws://127.0.0.1:1/', isOwn: false }, url: 'http://127.0.0.1:1/' },
      {
        ...NODE_ACCESS,
        fetch: async () => new Response(JSON.stringify({ id: 0, error: { code: -32005, message } })),
        connect: () => {
          throw new Error('no WebSocket')
        },
        after: () => () => undefined,
      },
    )

    session.open()
    await expect.poll(() => session.problem).toMatch(/^it refuses eth_chainId: [\x20-\x7e\ufffd]+…$/)
    session.close()

    expect(session.problem!.length).toBeLessThan(250)
  })
})
