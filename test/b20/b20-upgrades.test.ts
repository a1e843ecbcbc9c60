import { encodeFunctionData, type Hex, size, slice, toFunctionSelector } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import { ACTIVATION_REGISTRY_ADDRESS, POLICY_REGISTRY_ADDRESS } from '../../src/chain/b20/addresses.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import {
  ABI,
  ADMIN,
  ALICE,
  FACTORY,
  idOf,
  STOCK_UPGRADES,
  type StockChain,
  type StockUpgrade,
  startStockChain,
} from '../support/stock-chain.ts'

let chain: StockChain
afterEach(() => chain.close())

/** The functions that came after Beryl; the others exist in each of these upgrades. */
const SINCE: Readonly<Record<string, StockUpgrade>> = {
  seizeWithMemo: 'cobalt',
  SEIZE_ROLE: 'cobalt',
  SEIZE_EXEMPT_POLICY: 'cobalt',
  SEIZE_RECEIVER_POLICY: 'cobalt',
  updateUIMultiplier: 'cobalt',
  cancelUIMultiplierUpdate: 'cobalt',
  MAX_UI_MULTIPLIER: 'cobalt',
  uiMultiplier: 'cobalt',
  newUIMultiplier: 'cobalt',
  effectiveAt: 'cobalt',
  balanceOfUI: 'cobalt',
  totalSupplyUI: 'cobalt',
  toUIAmount: 'cobalt',
  fromUIAmount: 'cobalt',
  supportsInterface: 'cobalt',
  createCompositePolicy: 'cobalt',
  updateComposite: 'cobalt',
  compositePolicyChildIds: 'cobalt',
  MIN_COMPOSITE_CHILD_POLICIES: 'cobalt',
  MAX_COMPOSITE_CHILD_POLICIES: 'cobalt',
  invertedPolicyId: 'denim',
}
const POLICY_FUNCTIONS = /polic|composite|allowlist|blocklist|UpdateAdmin|renounceAdmin|isAuthorized/i
const TOKEN_POLICY_FUNCTIONS = /_POLICY$|^policyId$|^updatePolicy$/

describe.each(STOCK_UPGRADES)('in %s', (upgrade) => {
  test('each function exists from its upgrade on; others revert with their selector', async () => {
    chain = await startStockChain(upgrade)
    const functions = ABI.filter((item) => item.type === 'function')
    let unknown = 0
    for (const item of functions) {
      const { name, inputs } = item
      if (name === 'initialize' || name === 'currency' || name === 'implementation') continue
      const isPolicy = POLICY_FUNCTIONS.test(name) && !TOKEN_POLICY_FUNCTIONS.test(name)
      const isActivation = /^(admin|setAdmin|activate|deactivate|isActivated|checkActivated)$/.test(name)
      const isFactory = /B20|stockCount|stocksFrom/.test(name)
      const to = isPolicy
        ? POLICY_REGISTRY_ADDRESS
        : isActivation
          ? ACTIVATION_REGISTRY_ADDRESS
          : isFactory
            ? FACTORY
            : chain.stock
      const selector = toFunctionSelector(item)
      // Without its arguments a known function fails to decode them, and reverts without data.
      const { output, status } = await chain.raw(ALICE, selector, { to })
      const exists = STOCK_UPGRADES.indexOf(upgrade) >= STOCK_UPGRADES.indexOf(SINCE[name] ?? 'beryl')
      if (exists) {
        expect([name, inputs.length > 0 && size(bytesToHex(output)) > 0]).toEqual([name, false])
        if (inputs.length === 0 && item.stateMutability !== 'nonpayable')
          expect([name, status]).toEqual([name, 'success'])
      } else {
        expect([name, status, bytesToHex(output)]).toEqual([name, 'revert', selector])
        unknown += 1
      }
    }
    const later = Object.values(SINCE).filter(
      (since) => STOCK_UPGRADES.indexOf(since) > STOCK_UPGRADES.indexOf(upgrade),
    )
    expect(unknown).toBe(later.length)
  })

  test('a token has the marker as its code, and the address of its creator and salt', async () => {
    chain = await startStockChain(upgrade)
    expect(chain.codeSize(chain.stock)).toBe(1)
    expect(slice(chain.stock, 0, 11)).toBe('0xb200000000000000000000')
    expect(await chain.read('isB20Initialized', [chain.stock], FACTORY)).toBe(true)
    const other = await chain.read('getB20Address', [1, ADMIN, idOf('other')], FACTORY)
    expect(slice(other as Hex, 0, 11)).toBe('0xb200000000000000000001')
    expect(await chain.read('isB20', [other], FACTORY)).toBe(true)
    expect(await chain.read('isB20Initialized', [other], FACTORY)).toBe(false)
  })

  test('a reserved address without a token behaves like an account without code', async () => {
    chain = await startStockChain(upgrade)
    const free = (await chain.read('getB20Address', [0, ALICE, idOf('free')], FACTORY)) as Hex
    const data = encodeFunctionData({ abi: ABI, functionName: 'totalSupply' })
    expect(await chain.raw(ALICE, data, { to: free })).toMatchObject({ status: 'success', output: new Uint8Array(0) })
  })

  test('ether and calls in the context of another account are refused before anything else', async () => {
    chain = await startStockChain(upgrade)
    for (const to of [chain.stock, FACTORY, POLICY_REGISTRY_ADDRESS] as const) {
      const paid = await chain.raw(ADMIN, '0xdeadbeef', { to, value: 1n })
      expect([paid.status, bytesToHex(paid.output)]).toEqual(['revert', '0x6fb1b0e9'])
      const delegated = await chain.delegateCall(to, '0x18160ddd')
      expect([delegated.status, bytesToHex(delegated.output)]).toEqual(['revert', '0x0d89438e'])
    }
  })
})

test('pausing, burning and seizing follow the upgrade', async () => {
  chain = await startStockChain('beryl')
  expect(await chain.refusal(ADMIN, 'pause', [[3]])).toEqual([''])
  expect(await chain.refusal(ADMIN, 'policyId', [idOf('SEIZE_EXEMPT_POLICY')])).toEqual([
    'UnsupportedPolicyType',
    idOf('SEIZE_EXEMPT_POLICY'),
  ])
  const { events } = await chain.send(ADMIN, 'updateMultiplier', [2n ** 200n])
  expect(events).toEqual([['MultiplierUpdated', 2n ** 200n]])
  chain.close()
  chain = await startStockChain('cobalt')
  await chain.send(ADMIN, 'pause', [[3]])
  expect(await chain.refusal(ADMIN, 'updateMultiplier', [2n ** 200n])).toEqual(['InvalidMultiplier'])
})
