import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'
import { LEDGER_ABI } from './ledger.ts'
import { testSession } from './session.ts'
import { TRANSPORTS } from './session-client.ts'
import { connectViem, viemClient } from './viem-client.ts'

describe.each(TRANSPORTS)('viem over %s', (transport) => {
  const session = testSession(transport, connectViem)

  test('simulates calls in sequence, and a failing one with its reason', async () => {
    const { node, client } = session()
    const { client: viem } = viemClient(node, transport)
    const ledger = { to: session().ledger as Address, abi: LEDGER_ABI } as const
    const total = await client.total()
    const { results } = await viem.simulateCalls({
      account: viem.account,
      blockTag: 'pending',
      calls: [
        { ...ledger, functionName: 'record', args: [20n, 'twenty'] },
        { ...ledger, functionName: 'record', args: [1001n, 'a lot'] },
        { ...ledger, functionName: 'total' },
      ],
    })
    expect(results).toMatchObject([
      { status: 'success', result: total + 20n, logs: [{ address: ledger.to.toLowerCase() }] },
      { status: 'failure', error: { cause: { data: { errorName: 'AmountAboveLimit' } } } },
      { status: 'success', result: total + 20n },
    ])
    expect(await client.total()).toBe(total)
    if (transport === 'WebSocket') (await viem.transport.getRpcClient()).close()
  })
})
