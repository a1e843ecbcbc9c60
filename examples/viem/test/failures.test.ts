import { BaseError, ContractFunctionRevertedError, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { client, deploy, FIRST, receiptOf, revertAfterEach, SECOND, Token } from './node.js'

async function revertOf(action: Promise<unknown>) {
  const error = await action.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(BaseError)
  return (error as BaseError).walk((cause) => cause instanceof ContractFunctionRevertedError) as
    | ContractFunctionRevertedError
    | undefined
}

describe('failures', () => {
  revertAfterEach()

  it('readContract shows the reason of a revert', async () => {
    const contract = await deploy()

    const error = await revertOf(client.simulateContract({ ...contract, functionName: 'fail', args: ['because'] }))

    expect(error?.reason).toBe('because')
  })

  it('simulateContract decodes a custom error', async () => {
    const contract = await deploy()

    const error = await revertOf(client.simulateContract({ ...contract, functionName: 'add', args: [2_000n] }))

    expect(error?.data).toMatchObject({ errorName: 'TooLarge', args: [2_000n, 1_000n] })
  })

  it('simulateContract decodes a panic', async () => {
    const contract = await deploy()

    const error = await revertOf(client.simulateContract({ ...contract, functionName: 'subtract', args: [100n] }))

    expect(error?.data).toMatchObject({ errorName: 'Panic', args: [0x11n] })
  })

  it('estimateContractGas decodes a custom error', async () => {
    const contract = await deploy()

    const error = await revertOf(
      client.estimateContractGas({ ...contract, account: FIRST.address, functionName: 'add', args: [2_000n] }),
    )

    expect(error?.data).toMatchObject({ errorName: 'TooLarge' })
  })

  it('writeContract of a local account fails at its estimate', async () => {
    const contract = await deploy()

    const error = await revertOf(
      client.writeContract({ ...contract, account: FIRST, functionName: 'fail', args: ['no'] }),
    )

    expect(error?.reason).toBe('no')
  })

  it('a token refuses what a sender does not have', async () => {
    const token = await deploy(Token)

    const error = await revertOf(
      client.simulateContract({ ...token, account: SECOND, functionName: 'transfer', args: [FIRST.address, 1n] }),
    )

    expect(error?.data).toMatchObject({ errorName: 'ERC20InsufficientBalance', args: [SECOND, 0n, 1n] })
  })

  it('a transaction that reverts is mined with status reverted', async () => {
    const contract = await deploy()
    const nonce = await client.getTransactionCount({ address: FIRST.address })

    // Hardhat answers the send itself with the revert, Anvil with the hash.
    const hash = await client
      .writeContract({ ...contract, account: FIRST, gas: 100_000n, functionName: 'fail', args: ['no'] })
      .catch(() => undefined)
    if (hash !== undefined) await receiptOf(Promise.resolve(hash))

    const { transactions } = await client.getBlock()
    const receipt = await client.getTransactionReceipt({ hash: transactions[0]! })
    expect(receipt.status).toBe('reverted')
    expect(await client.getTransactionCount({ address: FIRST.address })).toBe(nonce + 1)
  })

  it('a call of an address without code returns nothing', async () => {
    expect((await client.call({ to: SECOND, data: '0x12345678' })).data).toBeUndefined()
  })

  it('refuses a value above the balance', async () => {
    const value = parseEther('1000000')

    await expect(client.sendTransaction({ account: FIRST.address, to: SECOND, value })).rejects.toThrow(/funds/i)
  })

  it('refuses a nonce that was used', async () => {
    await receiptOf(client.sendTransaction({ account: FIRST, to: SECOND, value: 1n }))

    await expect(client.sendTransaction({ account: FIRST, to: SECOND, value: 2n, nonce: 0 })).rejects.toThrow(/nonce/i)
  })

  it('answers an unknown method with an error', async () => {
    await expect(client.request({ method: 'eth_noSuchMethod' as never })).rejects.toThrow(BaseError)
  })

  it('answers an unknown transaction with null', async () => {
    const hash = `0x${'ab'.repeat(32)}` as const

    await expect(client.getTransaction({ hash })).rejects.toThrow(/could not be found/)
    await expect(client.getTransactionReceipt({ hash })).rejects.toThrow(/could not be found/)
  })
})
