import { describe, expect, test } from 'vitest'
import { RequestError } from '../../live/request-error.ts'
import { Senders } from './senders.ts'

const ALICE = `0x${'a1'.repeat(20)}`
const BOB = `0x${'b0'.repeat(20)}`

function sendersOf(request: (method: string, params?: readonly unknown[]) => Promise<unknown>) {
  const after = (_: number, action: () => void) => {
    queueMicrotask(action)
    return () => undefined
  }
  return new Senders({ client: { request }, after })
}

describe('Senders', () => {
  test('offers the accounts of the node, then those that it impersonates', async () => {
    const asked: string[] = []
    const senders = sendersOf(async (method) => {
      asked.push(method)
      return method === 'eth_accounts' ? [ALICE, null] : true
    })

    await senders.refresh()
    await senders.impersonate(BOB)

    expect(senders.accounts.value).toEqual([ALICE, BOB])
    await senders.stopImpersonating(BOB)
    expect(senders.accounts.value).toEqual([ALICE])
    expect(asked).toEqual(['eth_accounts', 'anvil_impersonateAccount', 'anvil_stopImpersonatingAccount'])
  })

  test('keeps an account that the node still impersonates when ending it fails', async () => {
    const senders = sendersOf(async (method) => {
      if (method === 'anvil_stopImpersonatingAccount') throw new RequestError('UNREACHABLE', 'away')
      return true
    })
    await senders.impersonate(BOB)

    await expect(senders.stopImpersonating(BOB)).rejects.toThrow('away')

    expect(senders.impersonated.value).toEqual([BOB])
  })

  test('has no accounts where the node refuses to name them', async () => {
    const senders = sendersOf(async () => {
      throw new RequestError('REFUSED', 'no such method', { rpcCode: -32601 })
    })

    await senders.refresh()

    expect(senders.accounts.value).toEqual([])
  })

  test('waits until a transaction has a receipt', async () => {
    const receipts = [null, null, { status: '0x1' }]
    const senders = sendersOf(async () => receipts.shift())

    await senders.included('0xaa')

    expect(receipts).toEqual([])
  })
})
