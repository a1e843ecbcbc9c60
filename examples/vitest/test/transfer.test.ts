import { parseAbi, parseEther } from 'viem'
import { describe, expect } from 'vitest'
import { test } from './fixtures.js'

const RECIPIENT = '0x00000000000000000000000000000000000000aa'
/** Reverts with Error("no"). */
const REVERTING = '0x62461bcd60e51b5f5260206004526002602452616e6f60f01b60445260645ffd'

describe('a transfer', () => {
  test('arrives with its receipt', async ({ client }) => {
    const hash = await client.sendTransaction({ to: RECIPIENT, value: parseEther('1') })

    const receipt = await client.waitForTransactionReceipt({ hash })

    expect(receipt).toMatchObject({ status: 'success', blockNumber: 1n })
    expect(await client.getBalance({ address: RECIPIENT })).toBe(parseEther('1'))
  })

  test('of another test is not seen', async ({ client }) => {
    expect(await client.getBlockNumber()).toBe(0n)
    expect(await client.getBalance({ address: RECIPIENT })).toBe(0n)
  })
})

describe('the node', () => {
  test('lets viem act for any account', async ({ node, client }) => {
    await node.setBalance(RECIPIENT, parseEther('2'))
    await client.impersonateAccount({ address: RECIPIENT })

    const hash = await client.sendTransaction({ account: RECIPIENT, to: client.account.address, value: 1n })

    expect((await client.getTransactionReceipt({ hash })).from).toBe(RECIPIENT)
  })

  test('gives viem the reason of a revert', async ({ node, client }) => {
    await node.setCode(RECIPIENT, REVERTING)
    const call = client.readContract({ address: RECIPIENT, abi: parseAbi(['function f() view']), functionName: 'f' })

    await expect(call).rejects.toThrow(/reverted with the following reason:\nno/)
  })

  test('notifies of blocks', async ({ node, client }) => {
    const seen: bigint[] = []
    const two = new Promise<void>((resolve) => {
      const unwatch = client.watchBlockNumber({
        onBlockNumber(number) {
          seen.push(number)
          if (number < 2n) return
          unwatch()
          resolve()
        },
      })
    })
    await node.mine(2)
    await two

    expect(seen.at(-1)).toBe(2n)
  })
})
