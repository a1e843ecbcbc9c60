import { readFileSync } from 'node:fs'
import { getAddress, type Hex, numberToHex, parseSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import stockFactory from '../../src/chain/predeploys/stock-factory.json' with { type: 'json' }
import stockProxy from '../../src/chain/predeploys/stock-proxy.json' with { type: 'json' }
import stockToken from '../../src/chain/predeploys/stock-token.json' with { type: 'json' }
import { bytesToHex } from '../../src/primitives/hex.ts'
import {
  ADMIN,
  ALICE,
  assetParams,
  BOB,
  CAROL,
  encodeCall,
  FACTORY,
  idOf,
  START,
  type StockChain,
  startStockChain,
} from '../support/stock-chain.ts'
import { STOCK_ROLES } from '../support/stock-deployment.ts'

const ONE = 10n ** 18n
const MEMO = numberToHex(1, { size: 32 })
const RECIPIENTS = Array.from({ length: 10 }, (_, index) => getAddress(numberToHex(0x1000 + index, { size: 20 })))

type Operation = readonly [label: string, from: Hex, functionName: string, args: readonly unknown[], to?: Hex]

function operations(permit: readonly unknown[]): readonly Operation[] {
  const setUp = [
    ...STOCK_ROLES.map((role) => encodeCall('grantRole', [role, ADMIN])),
    encodeCall('updateExtraMetadata', ['isin', 'ZZ0000HLCYN8']),
    encodeCall('mint', [ADMIN, ONE]),
  ]
  return [
    ['transfer, to a new holder', ALICE, 'transfer', [BOB, ONE]],
    ['transfer, to a holder', ALICE, 'transfer', [BOB, ONE]],
    ['transferWithMemo, to a holder', ALICE, 'transferWithMemo', [BOB, ONE, MEMO]],
    ['approve, the first time', ALICE, 'approve', [CAROL, 2n * ONE]],
    ['transferFrom, to a holder', CAROL, 'transferFrom', [ALICE, BOB, ONE]],
    ['permit, the first time', CAROL, 'permit', permit],
    ['mint, to a holder', ADMIN, 'mint', [BOB, ONE]],
    ['batchMint, to 10 new holders', ADMIN, 'batchMint', [RECIPIENTS, RECIPIENTS.map(() => ONE)]],
    ['burn', ADMIN, 'burn', [ONE]],
    ['pause of one feature', ADMIN, 'pause', [[2]]],
    ['updateUIMultiplier', ADMIN, 'updateUIMultiplier', [2n * ONE, START + 1_000n]],
    ['updateMultiplier', ADMIN, 'updateMultiplier', [2n * ONE]],
    ['announce, with a mint in it', ADMIN, 'announce', [[encodeCall('mint', [BOB, ONE])], 'a', 'b', 'c']],
    ['balanceOf', ALICE, 'balanceOf', [BOB]],
    ['totalSupply', ALICE, 'totalSupply', []],
    ['multiplier', ALICE, 'multiplier', []],
    ['createB20, nothing more', CAROL, 'createB20', [0, idOf('plain'), assetParams(), []], FACTORY],
    ['createB20, 8 roles, an ISIN and a mint', CAROL, 'createB20', [0, idOf('full'), assetParams(), setUp], FACTORY],
  ]
}

async function signedPermit(chain: StockChain): Promise<readonly unknown[]> {
  const message = { owner: ALICE, spender: BOB, value: ONE, nonce: 0n, deadline: START + 60n }
  const types = { Permit: ['owner', 'spender', 'value', 'nonce', 'deadline'].map(typed) }
  const domain = { name: 'Test Stock', version: '1', chainId: 31_337n, verifyingContract: chain.stock }
  const account = privateKeyToAccount(bytesToHex(DEVELOPMENT_ACCOUNTS[1]!.privateKey))
  const signature = await account.signTypedData({ domain, types, primaryType: 'Permit', message })
  const { r, s, v } = parseSignature(signature)
  return [ALICE, BOB, message.value, message.deadline, Number(v), r, s]
}

function typed(name: string) {
  return { name, type: name === 'owner' || name === 'spender' ? 'address' : 'uint256' }
}

test('docs/stocks.md states the measured gas of the operations and the sizes of the contracts', async () => {
  const chain = await startStockChain()
  for (const holder of [ADMIN, ALICE]) await chain.send(ADMIN, 'mint', [holder, 100n * ONE])
  const lines = ['| operation | gas |', '|---|---|']
  for (const [label, from, functionName, args, to] of operations(await signedPermit(chain))) {
    // Each operation runs in a block of its own, so that no access is warm.
    chain.moveTo(chain.time + 1n)
    const { gasUsed } = await chain.send(from, functionName, args, to === undefined ? {} : { to })
    lines.push(`| ${label} | ${gasUsed.toLocaleString('en')} |`)
  }
  chain.close()
  lines.push('', '| contract | bytes of code |', '|---|---|')
  for (const { name, deployedBytecode } of [stockToken, stockFactory, stockProxy]) {
    lines.push(`| ${name} | ${((deployedBytecode.length - 2) / 2).toLocaleString('en')} |`)
  }
  const document = readFileSync(new URL('../../docs/stocks.md', import.meta.url), 'utf8')
  expect(document).toContain(lines.join('\n'))
})
