import { describe, expect, test } from 'vitest'
import { CHAIN_ID } from '../../test/support/transfers.ts'
import { DEVELOPMENT_ACCOUNTS } from '../chain/accounts/development-accounts.ts'
import { signAuthorization } from '../chain/transaction/authorization.ts'
import type { Authorization, PoolTransaction } from '../chain/transaction/transaction.ts'
import { AuthorizedNonceIndex, authorizedNonces, nonceAfter } from './authorized-nonces.ts'

const [sender, other] = DEVELOPMENT_ACCOUNTS as [(typeof DEVELOPMENT_ACCOUNTS)[0], (typeof DEVELOPMENT_ACCOUNTS)[0]]
const ONE = { authority: sender.address, nonce: 7n }
const NEXT = { authority: sender.address, nonce: 8n }

function transactionOf(authorizationList: readonly Authorization[]): PoolTransaction {
  return { type: 4, chainId: CHAIN_ID, nonce: 5n, from: sender.address, authorizationList } as PoolTransaction
}

describe('the nonce after a transaction', () => {
  const sign = ({ privateKey }: typeof sender, nonce: bigint) =>
    signAuthorization({ chainId: CHAIN_ID, address: other.address, nonce }, privateKey)

  test('counts the authorizations of its sender that follow each other, and none of others', () => {
    const transaction = transactionOf([sign(sender, 6n), sign(other, 6n), sign(sender, 9n), sign(sender, 7n)])
    const authorized = authorizedNonces(transaction)

    expect(authorized).toEqual([
      { authority: sender.address, nonce: 6n },
      { authority: other.address, nonce: 6n },
      { authority: sender.address, nonce: 7n },
    ])
    expect(nonceAfter(transaction, authorized)).toBe(8n)
  })

  test('does not count an authorization without a valid signature', () => {
    expect(authorizedNonces(transactionOf([{ ...sign(other, 6n), r: 0n }]))).toEqual([])
  })
})

describe('AuthorizedNonceIndex', () => {
  test('has a nonce until each transaction that uses it has left', () => {
    const index = new AuthorizedNonceIndex()
    index.add([ONE])
    index.add([ONE, NEXT])

    index.delete([ONE])
    expect([index.has(ONE), index.has(NEXT)]).toEqual([true, true])
    index.delete([ONE, NEXT])

    expect([index.has(ONE), index.has(NEXT), index.hasAuthority(sender.address)]).toEqual([false, false, false])
  })

  test('has the authority while one of its nonces is used', () => {
    const index = new AuthorizedNonceIndex()
    index.add([ONE, NEXT])

    index.delete([ONE])

    expect([index.has(ONE), index.has(NEXT), index.hasAuthority(sender.address)]).toEqual([false, true, true])
  })

  test('ignores a nonce that it does not have', () => {
    const index = new AuthorizedNonceIndex()
    index.delete([ONE])

    expect(index.hasAuthority(sender.address)).toBe(false)
  })
})
