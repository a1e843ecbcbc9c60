import { describe, expect, test } from 'vitest'
import { RequestError } from '../../live/request-error.ts'
import { Store } from '../../live/store.ts'
import { Senders } from './senders.ts'
import type { Wallet } from './wallets.ts'

const ALICE = `0x${'a1'.repeat(20)}`
const BOB = `0x${'b0'.repeat(20)}`

function sendersOf(
  request: (method: string, params?: readonly unknown[]) => Promise<unknown>,
  found = new Store<readonly Wallet[]>([]),
) {
  const after = (_: number, action: () => void) => {
    queueMicrotask(action)
    return () => undefined
  }
  const wallets = {
    found,
    walletOf: (account: string) => found.value.find(({ accounts }) => accounts.includes(account)),
    send: async (from: string, call: object, chainId: bigint) => `${from} ${JSON.stringify(call)} ${chainId}`,
  }
  return new Senders({ client: { request }, wallets, after })
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

  test('offers connected accounts of wallets first, and has their wallet sign on the chain of the node', async () => {
    const found = new Store<readonly Wallet[]>([])
    const senders = sendersOf(
      async (method) => (method === 'eth_accounts' ? [ALICE.toUpperCase().replace('X', 'x'), BOB] : '0x5'),
      found,
    )
    await senders.refresh()
    expect(senders.signerOf(ALICE)).toBeUndefined()

    found.set([{ uuid: 'u', name: 'Fake', accounts: [ALICE] }])

    expect(senders.accounts.value).toEqual([ALICE, BOB])
    expect(senders.signerOf(ALICE)).toBe('Fake')
    expect(await senders.send(ALICE, { to: BOB, data: '0x' })).toBe(`${ALICE} {"to":"${BOB}","data":"0x"} 5`)
    expect(await senders.send(BOB, { to: ALICE, data: '0x' })).toBe('0x5')
    found.set([])
    expect(senders.accounts.value).toHaveLength(2)
    expect(senders.signerOf(ALICE)).toBeUndefined()
  })

  test('waits until a transaction has a receipt', async () => {
    const receipts = [null, null, { status: '0x1' }]
    const senders = sendersOf(async () => receipts.shift())

    await senders.included('0xaa')

    expect(receipts).toEqual([])
  })
})
