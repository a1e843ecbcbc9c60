import type { Header } from '../block/header.ts'
import type { ChainConfig } from '../forks/chain-config.ts'
import { forkAt } from '../forks/fork-schedule.ts'
import { FORKS } from '../forks/forks.ts'
import { UPGRADES, upgradeAt } from '../forks/upgrades.ts'
import { NETWORK_FORKS, NETWORK_UPGRADES } from './networks.ts'

/**
 * The fork schedule of a chain as text, which nodes compare because block 0 can be equal under different forks: the
 * fork and the upgrade of block 0, then later ones with their activation, a block number (`#`) or a time (`@`).
 *
 * @example forkActivations(config) // 'prague jovian osaka@1800000000 azul@1800000000'
 */
export function forkActivations(config: ChainConfig): string {
  const { forkBlocks, forkTimes, layer2 } = config
  const times = layer2?.upgradeTimes
  const blocks = FORKS.map((name) => [name, '#', BigInt(forkBlocks[name] ?? 0)] as const)
  const seconds = FORKS.map((name) => [name, '@', forkTimes[name] ?? 0n] as const)
  const upgrades = UPGRADES.map((name) => [name, '@', times?.[name] ?? 0n] as const)
  const later = [...blocks, ...seconds, ...upgrades].filter(([, , at]) => at > 0n)
  return [
    forkAt(config, 0, 0n),
    ...(times === undefined ? [] : [upgradeAt(times, 0n)]),
    ...later.map((parts) => parts.join('')),
  ].join(' ')
}

/** The part of a schedule that has an effect up to a block: only later activations may be changed. */
export function activationsUntil(
  activations: string,
  { number, timestamp }: Pick<Header, 'number' | 'timestamp'>,
): string {
  const isActive = (activation: string) => {
    const [, unit, at] = /([#@])(\d+)$/.exec(activation) ?? []
    return at === undefined || BigInt(at) <= (unit === '#' ? BigInt(number) : timestamp)
  }
  return activations.split(' ').filter(isActive).join(' ')
}

/** The flag that gives a chain the schedule. */
export function flagOfActivations(activations: string): string {
  const newest = activations.split(' ').at(-1)
  if (newest === 'denim') return '--profile denim'
  const isNamed = [...NETWORK_FORKS, ...NETWORK_UPGRADES].some((name) => name === newest)
  return isNamed ? `--hardfork ${newest}, or the same genesis file` : 'the same genesis file'
}
