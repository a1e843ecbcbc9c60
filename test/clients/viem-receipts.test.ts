import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { startManualServer } from '../support/manual-server.ts'
import { FRIEND, OWNER, signTransfer, walletOf } from './viem-wallet.ts'

describe('waitForTransactionReceipt of viem', () => {
  test.each([
    ['a plain chain', undefined],
    ['a chain with experimental_preconfirmationTime', 200],
  ])('of a transaction that is only in a flashblock, at every index: %s', async (_, preconfirmationTime) => {
    const server = await startManualServer()
    const wallet = walletOf(server.url, OWNER, preconfirmationTime)
    for (let index = 1; index <= 10; index++) {
      await server.nextBlock()
      for (let slot = 1; slot < index; slot++) await server.nextFlashblock()
      const hash = await wallet.sendTransaction({ to: FRIEND.address, value: 1n })
      await server.nextFlashblock()
      // Index 10 and the seal are one step.
      const isSealed = index === 10
      const { latest } = server.node.view().head.sealed
      const partial = await wallet.getBlock({ blockTag: isSealed ? 'latest' : 'pending' })
      const receipt = await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20, timeout: 5_000 })
      expect(receipt).toMatchObject({
        transactionHash: hash,
        status: 'success',
        blockHash: partial.hash,
        blockNumber: partial.number,
        from: OWNER.address.toLowerCase(),
        to: FRIEND.address.toLowerCase(),
        transactionIndex: 0,
        gasUsed: 21_000n,
      })
      expect(Number(receipt.blockNumber) - latest).toBe(isSealed ? 0 : 1)
      expect((await wallet.getBlock({ blockHash: receipt.blockHash })).transactions).toEqual([hash])
    }
    await server.stop()
  })

  test('resolves while the block is sealed', async () => {
    const server = await startManualServer()
    const wallet = walletOf(server.url)
    for (let index = 1; index <= 10; index++) {
      await server.nextBlock()
      for (let slot = 1; slot < index; slot++) await server.nextFlashblock()
      const hash = await wallet.sendTransaction({ to: FRIEND.address, value: 1n })
      let isOver = false
      const waiting = wallet
        .waitForTransactionReceipt({ hash, pollingInterval: 5, timeout: 5_000, confirmations: 2 })
        .finally(() => {
          isOver = true
        })
      while (!isOver) {
        await server.nextFlashblock()
        // Yields, so that the client can send all its pending requests.
        await wallet.getBlockNumber({ cacheTime: 0 })
      }
      const receipt = await waiting
      expect(receipt).toMatchObject({ transactionHash: hash, status: 'success', gasUsed: 21_000n })
      const block = await wallet.getBlock({ blockHash: receipt.blockHash })
      expect(block.number).toBe(receipt.blockNumber)
      expect(block.transactions[receipt.transactionIndex]).toBe(hash)
    }
    await server.stop()
  })
})

test('sendRawTransactionSync of viem returns with the next flashblock', async () => {
  const server = await startManualServer()
  const wallet = walletOf(server.url)
  for (let nonce = 0; nonce < 12; nonce++) {
    const serializedTransaction = await signTransfer(wallet, nonce)
    const pooled = once(server.node.events, 'pooled')
    const response = wallet.sendRawTransactionSync({ serializedTransaction })
    await pooled
    await server.nextFlashblock()
    const { blockHash, blockNumber, transactionHash } = await response
    const block = await wallet.getBlock({ blockHash })
    expect(block.number).toBe(blockNumber)
    expect(block.transactions).toContain(transactionHash)
  }
  await server.stop()
})
