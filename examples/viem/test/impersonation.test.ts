import { parseEther } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { client, deploy, FIRST, mode, receiptOf, revertAfterEach, SECOND, Token } from './node.js'

const WHALE = '0x00000000219ab540356cBB839Cbe05303d7705Fa'

describe('impersonation', () => {
  revertAfterEach()
  beforeEach(async () => {
    await client.setBalance({ address: WHALE, value: parseEther('100') })
    await client.impersonateAccount({ address: WHALE })
  })

  it('sends as an account whose key is unknown', async () => {
    const before = await client.getBalance({ address: SECOND })

    const receipt = await receiptOf(client.sendTransaction({ account: WHALE, to: SECOND, value: parseEther('2') }))

    expect(receipt.from).toBe(WHALE.toLowerCase())
    expect(await client.getBalance({ address: SECOND })).toBe(before + parseEther('2'))
  })

  it('the transaction has the impersonated sender', async () => {
    const { transactionHash: hash } = await receiptOf(client.sendTransaction({ account: WHALE, to: SECOND }))

    expect((await client.getTransaction({ hash })).from).toBe(WHALE.toLowerCase())
  })

  it('a contract sees the impersonated caller', async () => {
    const contract = await deploy()

    await receiptOf(client.writeContract({ ...contract, account: WHALE, functionName: 'add', args: [4n] }))

    expect(await client.readContract({ ...contract, functionName: 'counts', args: [WHALE] })).toBe(4n)
  })

  it('deploys as an impersonated account', async () => {
    const receipt = await receiptOf(client.deployContract({ ...Token, account: WHALE }))

    const token = { address: receipt.contractAddress!, abi: Token.abi }
    expect(await client.readContract({ ...token, functionName: 'balanceOf', args: [WHALE] })).toBe(parseEther('1000'))
  })

  it('sends as a contract', async () => {
    const { address } = await deploy()
    await client.setBalance({ address, value: parseEther('1') })
    await client.impersonateAccount({ address })

    const receipt = await receiptOf(client.sendTransaction({ account: address, to: SECOND, value: 5n }))

    expect(receipt.status).toBe('success')
    await client.stopImpersonatingAccount({ address })
  })

  it('stopImpersonatingAccount locks the account', async () => {
    await client.stopImpersonatingAccount({ address: WHALE })

    await expect(client.sendTransaction({ account: WHALE, to: SECOND })).rejects.toThrow(/unknown account|no signer/i)
  })

  it.skipIf(mode !== 'anvil')('sendUnsignedTransaction sends without a signature', async () => {
    const sent = client.sendUnsignedTransaction({ from: WHALE, to: SECOND, value: 1n })

    expect((await receiptOf(sent)).status).toBe('success')
  })

  it('unlocked accounts still sign by themselves', async () => {
    const receipt = await receiptOf(client.sendTransaction({ account: FIRST.address, to: SECOND, value: 1n }))

    expect(receipt.status).toBe('success')
  })
})
