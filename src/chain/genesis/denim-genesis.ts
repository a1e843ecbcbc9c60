import { DENIM_SCALING, denimActivation } from '../forks/denim-schedule.ts'
import { ADMIN_SLOT, BASE_TIME, PROXY_ADMIN } from '../predeploys/op-stack/op-stack-contracts.ts'
import type { Genesis } from './genesis.ts'

const MAX_UINT32 = 0xffff_ffff

/** Why a chain that schedules Denim could not build its blocks; undefined if it can, and for other chains. */
export function denimGenesisFault({ config, alloc }: Pick<Genesis, 'config' | 'alloc'>): string | undefined {
  const { layer2 } = config
  if (layer2?.denim === undefined) return undefined
  const { address } = BASE_TIME
  const proxy = alloc.get(address)
  if (proxy === undefined || proxy.code.length === 0) {
    return `config.denimTime needs the contract BaseTime at ${address}: add its proxy to alloc`
  }
  if (denimActivation(config) === undefined) return undefined
  const highest = Math.floor(MAX_UINT32 / DENIM_SCALING)
  if (layer2.eip1559Denominator > highest) {
    return `the base fee change denominator ${layer2.eip1559Denominator} is above ${highest}: Denim multiplies it by 10`
  }
  // The activation installs the implementation only in a proxy of this admin (Base specs: Denim).
  const isReserved = proxy.storage.get(ADMIN_SLOT) === PROXY_ADMIN
  return isReserved
    ? undefined
    : `the activation of Denim needs ProxyAdmin in slot ${ADMIN_SLOT} of alloc.${address}: add it to its storage`
}
