import { readFileSync } from 'node:fs'
import solc from 'solc'
import { encodeDeployData, parseAbi, toFunctionSelector } from 'viem'
import { describe, expect, onTestFinished, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { createAddress } from '../../src/chain/transaction/contract-address.ts'
import { bytesToHex, hexToBytes } from '../../src/primitives/hex.ts'
import { type RpcNode, startRpcNode } from '../support/rpc-node.ts'
import { startNode } from '../support/running-node.ts'
import { signTransfer } from '../support/transfers.ts'
import { byHeight, denim, denimClient } from './client.ts'

const GUIDE = readFileSync(new URL('../../docs/guides/denim.md', import.meta.url), 'utf8')
const EXAMPLES = ['BlockVesting.sol', 'TimeVesting.sol', 'client.ts'] as const
const CONSTRUCTOR = parseAbi(['constructor(uint256 total, uint256 duration)'])
const START = 1_767_225_600n
/** Block 4 is the first of Denim, eight seconds after block 0. */
const FIRST = 4
const TOTAL = 6_000n
/** Thirty blocks of two seconds. */
const DURATION_S = 60n

function sourceOf(name: (typeof EXAMPLES)[number]): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
}

function compiled(name: 'BlockVesting' | 'TimeVesting'): `0x${string}` {
  const input = {
    language: 'Solidity',
    sources: { [name]: { content: sourceOf(`${name}.sol`) } },
    settings: { outputSelection: { '*': { '*': ['evm.bytecode.object'] } } },
  }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)))
  expect(errors).toEqual([])
  return `0x${contracts[name][name].evm.bytecode.object}`
}

test.each(EXAMPLES)('the guide shows %s', (name) => {
  expect(GUIDE).toContain(`\n${sourceOf(name)}\`\`\`\n`)
})

describe('the vesting contracts of the guide', () => {
  async function deployed(): Promise<{
    readonly node: RpcNode
    readonly vested: () => Promise<readonly bigint[]>
    readonly sealUpTo: (height: number) => Promise<void>
  }> {
    const network = { upgrade: 'denim', timestamp: START, denimAfter: 8n } as const
    const node = await startRpcNode({}, { network })
    onTestFinished(() => node.stop())
    const { address } = DEVELOPMENT_ACCOUNTS[0]!
    const contracts = (['BlockVesting', 'TimeVesting'] as const).map((name, index) => {
      const args = [TOTAL, DURATION_S] as const
      const data = hexToBytes(encodeDeployData({ abi: CONSTRUCTOR, bytecode: compiled(name), args }))
      const { raw } = signTransfer({ nonce: BigInt(index), to: null, value: 0n, gasLimit: 1_000_000n, data })
      return { raw: bytesToHex(raw), to: createAddress(address, BigInt(index)) }
    })
    for (const { raw } of contracts) await node.result('eth_sendRawTransaction', raw)
    const data = toFunctionSelector('vested()')
    return {
      node,
      vested: () =>
        Promise.all(
          contracts.map(async ({ to }) => BigInt(String(await node.result('eth_call', { to, data }, 'latest')))),
        ),
      async sealUpTo(height) {
        while (Number(await node.result('eth_blockNumber')) < height) await node.nextBlock()
      },
    }
  }

  test('agree before Denim, and the one that counts blocks vests ten times as fast afterwards', async () => {
    const { vested, sealUpTo } = await deployed()

    await sealUpTo(FIRST - 1)
    // Block 1 deployed them: four seconds ago.
    expect(await vested()).toEqual([(TOTAL * 2n) / 30n, (TOTAL * 4n) / 60n])

    await sealUpTo(FIRST + 10)
    // Two seconds later, ten blocks later.
    expect(await vested()).toEqual([(TOTAL * 13n) / 30n, (TOTAL * 8n) / 60n])

    await sealUpTo(FIRST + 27)
    expect(await vested()).toEqual([TOTAL, (TOTAL * 11_400n) / 60_000n])
  })
})

test('the client of the guide reads milliseconds, polls every 100 ms, and orders blocks of one second', async () => {
  const node = await startNode({ profile: 'denim', timestamp: BigInt(Math.floor(Date.now() / 1_000)) })
  onTestFinished(() => node.close())
  const client = denimClient(node.urls.rpc)
  const { raw } = signTransfer({ nonce: 0n })

  const receipt = await client.sendRawTransactionSync({ serializedTransaction: bytesToHex(raw) })

  const block = await client.getBlock({ blockHash: receipt.blockHash })
  expect(block.timestampMs! / 1_000n).toBe(block.timestamp)
  expect(block.timestampMs! % 200n).toBe(0n)
  expect(client.pollingInterval).toBe(100)
  expect(client.chain.blockTime).toBe(denim.blockTime)
  const first = (block.number / 5n) * 5n
  const numbers = [3n, 1n, 4n, 0n, 2n].map((offset) => first + offset)
  await expect.poll(() => client.getBlockNumber({ cacheTime: 0 })).toBeGreaterThanOrEqual(first + 4n)
  const blocks = await Promise.all(numbers.map((blockNumber) => client.getBlock({ blockNumber })))
  expect(new Set(blocks.map(({ timestamp }) => timestamp)).size).toBe(1)
  expect(blocks.sort(byHeight).map(({ number }) => number)).toEqual(
    [0n, 1n, 2n, 3n, 4n].map((offset) => first + offset),
  )
})
