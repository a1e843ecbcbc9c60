import { parseEther, parseGwei, verifyMessage, verifyTypedData } from 'viem'
import { describe, expect, it } from 'vitest'
import { Counter, client, deploy, FIRST, receiptOf, revertAfterEach, SECOND, Token, transfer } from './node.js'

describe('transactions', () => {
  revertAfterEach()

  it('getAddresses lists the unlocked accounts', async () => {
    const addresses = await client.getAddresses()

    expect(addresses.slice(0, 2)).toEqual([FIRST.address, SECOND])
  })

  it('getChainId is that of the chain', async () => {
    expect(await client.getChainId()).toBe(31_337)
  })

  it('sendTransaction sends from an unlocked account', async () => {
    const before = await client.getBalance({ address: SECOND })

    const receipt = await receiptOf(transfer(SECOND, parseEther('1')))

    expect(receipt.status).toBe('success')
    expect(receipt.gasUsed).toBe(21_000n)
    expect(await client.getBalance({ address: SECOND })).toBe(before + parseEther('1'))
  })

  it('sendTransaction sends from a local account', async () => {
    const receipt = await receiptOf(client.sendTransaction({ account: FIRST, to: SECOND, value: 1n }))

    expect(receipt.from).toBe(FIRST.address.toLowerCase())
  })

  it('sendRawTransaction accepts signed bytes', async () => {
    const request = await client.prepareTransactionRequest({ account: FIRST, to: SECOND, value: 3n })
    const serializedTransaction = await FIRST.signTransaction(request as never)

    const receipt = await receiptOf(client.sendRawTransaction({ serializedTransaction }))

    expect(receipt.status).toBe('success')
  })

  it('sends a legacy transaction', async () => {
    const sent = client.sendTransaction({ account: FIRST.address, to: SECOND, value: 1n, gasPrice: parseGwei('5') })
    await receiptOf(sent)

    expect((await client.getTransaction({ hash: await sent })).type).toBe('legacy')
  })

  it('uses the fees of the request', async () => {
    const fees = { maxFeePerGas: parseGwei('30'), maxPriorityFeePerGas: parseGwei('2') }
    const sent = client.sendTransaction({ account: FIRST.address, to: SECOND, value: 1n, ...fees })

    const { blockNumber, effectiveGasPrice } = await receiptOf(sent)

    const { baseFeePerGas } = await client.getBlock({ blockNumber })
    expect(effectiveGasPrice).toBe(baseFeePerGas! + parseGwei('2'))
  })

  it('deployContract creates a contract', async () => {
    const { address, receipt } = await deploy()

    expect(receipt.contractAddress).toBe(address.toLowerCase())
    expect(await client.getCode({ address })).toBe(Counter.runtime)
  })

  it('writeContract changes storage', async () => {
    const contract = await deploy()

    await receiptOf(client.writeContract({ ...contract, account: FIRST.address, functionName: 'add', args: [3n] }))

    expect(await client.readContract({ ...contract, functionName: 'count' })).toBe(8n)
  })

  it('simulateContract returns the result without sending', async () => {
    const contract = await deploy()

    const { result } = await client.simulateContract({ ...contract, functionName: 'add', args: [4n] })

    expect(result).toBe(9n)
    expect(await client.readContract({ ...contract, functionName: 'count' })).toBe(5n)
  })

  it('getContractEvents decodes events', async () => {
    const contract = await deploy()
    await receiptOf(client.writeContract({ ...contract, account: SECOND, functionName: 'add', args: [6n] }))

    const [event] = (await client.getContractEvents({ ...contract, fromBlock: 0n })) as unknown as { args: unknown }[]

    expect(event!.args).toEqual({ by: SECOND, value: 6n })
  })

  it('an event filter delivers later events once', async () => {
    const contract = await deploy()
    const filter = await client.createContractEventFilter({ ...contract })
    await receiptOf(client.writeContract({ ...contract, account: FIRST.address, functionName: 'add', args: [1n] }))

    expect(await client.getFilterChanges({ filter })).toHaveLength(1)
    expect(await client.getFilterChanges({ filter })).toHaveLength(0)
  })

  it('a token moves between accounts', async () => {
    const token = await deploy(Token)

    await receiptOf(
      client.writeContract({ ...token, account: FIRST.address, functionName: 'transfer', args: [SECOND, 10n] }),
    )

    expect(await client.readContract({ ...token, functionName: 'balanceOf', args: [SECOND] })).toBe(10n)
  })

  it('signMessage signs with an unlocked account', async () => {
    const signature = await client.signMessage({ account: FIRST.address, message: 'hello' })

    expect(signature).toBe(await FIRST.signMessage({ message: 'hello' }))
    expect(await verifyMessage({ address: FIRST.address, message: 'hello', signature })).toBe(true)
  })

  it('signTypedData signs with an unlocked account', async () => {
    const data = {
      domain: { name: 'Mail', chainId: 31_337 },
      types: { Mail: [{ name: 'text', type: 'string' }] },
      primaryType: 'Mail' as const,
      message: { text: 'hello' },
    }

    const signature = await client.signTypedData({ account: FIRST.address, ...data })

    expect(await verifyTypedData({ address: FIRST.address, signature, ...data })).toBe(true)
  })

  it('getTransactionCount counts sent transactions', async () => {
    const before = await client.getTransactionCount({ address: FIRST.address })

    await receiptOf(transfer(SECOND, 1n))

    expect(await client.getTransactionCount({ address: FIRST.address })).toBe(before + 1)
  })
})
