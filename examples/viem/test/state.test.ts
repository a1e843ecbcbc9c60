import { encodeAbiParameters, getContractAddress, keccak256, numberToHex, parseEther, toHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { Counter, client, deploy, mode, receiptOf, reset, revertAfterEach, SECOND, THIRD, Token } from './node.js'

const ACCOUNT = '0x00000000000000000000000000000000000cafe1'
const word = (value: number) => numberToHex(value, { size: 32 })

describe('state changes', () => {
  revertAfterEach()

  it('setBalance sets a balance', async () => {
    await client.setBalance({ address: ACCOUNT, value: parseEther('3') })

    expect(await client.getBalance({ address: ACCOUNT })).toBe(parseEther('3'))
  })

  it('setBalance shows in the pending block', async () => {
    await client.setBalance({ address: ACCOUNT, value: 7n })

    expect(await client.getBalance({ address: ACCOUNT, blockTag: 'pending' })).toBe(7n)
  })

  it('setBalance does not change older blocks', async () => {
    await client.mine({ blocks: 1 })
    const blockNumber = await client.getBlockNumber()
    await client.mine({ blocks: 1 })

    await client.setBalance({ address: ACCOUNT, value: 7n })

    expect(await client.getBalance({ address: ACCOUNT, blockNumber })).toBe(0n)
  })

  it('setCode makes an address a contract', async () => {
    await client.setCode({ address: ACCOUNT, bytecode: Counter.runtime })

    const contract = { address: ACCOUNT, abi: Counter.abi } as const
    await receiptOf(client.writeContract({ ...contract, account: SECOND, functionName: 'add', args: [9n] }))
    expect(await client.readContract({ ...contract, functionName: 'count' })).toBe(9n)
  })

  it('setCode with empty code removes a contract', async () => {
    const { address } = await deploy()

    await client.setCode({ address, bytecode: '0x' })

    expect(await client.getCode({ address })).toBeUndefined()
  })

  it('setNonce sets a nonce', async () => {
    await client.setNonce({ address: ACCOUNT, nonce: 33 })

    expect(await client.getTransactionCount({ address: ACCOUNT })).toBe(33)
  })

  it('a deployment uses the nonce that was set', async () => {
    await client.setNonce({ address: THIRD, nonce: 50 })

    const receipt = await receiptOf(client.deployContract({ ...Counter, account: THIRD }))

    expect(receipt.contractAddress).toBe(getContractAddress({ from: THIRD, nonce: 50n }).toLowerCase())
  })

  it('getStorageAt reads a slot', async () => {
    const { address } = await deploy()

    expect(await client.getStorageAt({ address, slot: toHex(0) })).toBe(word(5))
  })

  it('setStorageAt changes a slot', async () => {
    const contract = await deploy()

    await client.setStorageAt({ address: contract.address, index: 0, value: word(77) })

    expect(await client.readContract({ ...contract, functionName: 'count' })).toBe(77n)
  })

  it('setStorageAt gives an account tokens', async () => {
    const token = await deploy(Token)
    const parameters = [{ type: 'address' }, { type: 'uint256' }] as const
    const index = keccak256(encodeAbiParameters(parameters, [SECOND, 0n]))

    await client.setStorageAt({ address: token.address, index, value: word(123) })

    expect(await client.readContract({ ...token, functionName: 'balanceOf', args: [SECOND] })).toBe(123n)
  })

  it('overrides of a call change nothing', async () => {
    const contract = await deploy()

    const count = await client.readContract({
      ...contract,
      functionName: 'count',
      stateOverride: [{ address: contract.address, stateDiff: [{ slot: word(0), value: word(1) }] }],
    })

    expect(count).toBe(1n)
    expect(await client.readContract({ ...contract, functionName: 'count' })).toBe(5n)
  })

  it.skipIf(mode !== 'anvil')('dumpState and loadState restore accounts', async () => {
    const { address } = await deploy()
    const state = await client.dumpState()
    await reset()
    expect(await client.getCode({ address })).toBeUndefined()

    await client.loadState({ state })

    expect(await client.getCode({ address })).toBe(Counter.runtime)
  })
})
