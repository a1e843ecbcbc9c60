import { expect, test } from 'vitest'
import { FORKS } from '../forks/forks.ts'
import { lineageOf, UPGRADES, upgradeAt } from '../forks/upgrades.ts'
import { KNOWN_NETWORKS, knownNetwork } from './known-networks.ts'

test('each chain id names one network', () => {
  expect(new Set(KNOWN_NETWORKS.map(({ chainId }) => chainId)).size).toBe(KNOWN_NETWORKS.length)
  expect(KNOWN_NETWORKS.length).toBeGreaterThan(50)
  expect(knownNetwork(31_337n)).toBeUndefined()
})

test.each(KNOWN_NETWORKS)('$name schedules upgrades and forks of one lineage in their order', (network) => {
  const { upgradeTimes = {}, forkTimes = {} } = network
  const scheduled = UPGRADES.filter((name) => upgradeTimes[name] !== undefined)
  const times = [...scheduled.map((name) => upgradeTimes[name]!), ...FORKS.flatMap((fork) => forkTimes[fork] ?? [])]

  expect(Object.keys(upgradeTimes)).toHaveLength(scheduled.length)
  expect(times).toEqual([...times].sort((one, other) => (one < other ? -1 : 1)))
  expect(new Set(scheduled.flatMap((name) => lineageOf(name) ?? [])).size).toBeLessThanOrEqual(1)
})

test('Base Sepolia has its own elasticity before Holocene', () => {
  expect(knownNetwork(84_532n)?.feeParameters).toEqual({ elasticity: 10, denominator: 250 })
})

test.each([
  [10n, 1_783_526_400n, 'jovian'],
  [10n, 1_783_526_401n, 'karst'],
  [130n, 1_795_880_000n, 'karst'],
  [480n, 1_789_991_999n, 'jovian'],
  [480n, 1_789_992_000n, 'karst'],
  [4801n, 1_788_868_800n, 'karst'],
  [11_155_420n, 1_781_712_001n, 'karst'],
  [8_453n, 1_793_901_599n, 'cobalt'],
  [8_453n, 1_793_901_600n, 'denim'],
  [84_532n, 1_792_605_600n, 'denim'],
  [252n, 1_795_880_000n, 'granite'],
])('chain %s at %s has the upgrade %s', (chainId, timestamp, upgrade) => {
  expect(upgradeAt(knownNetwork(chainId)!.upgradeTimes!, timestamp)).toBe(upgrade)
})
