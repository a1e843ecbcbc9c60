import { type Address, type Bytes, hexToBytes, type Slot } from '../../../primitives/hex.ts'
import { bigintToSlot } from '../../../primitives/quantity.ts'
import { includesUpgrade, type Upgrade } from '../../forks/upgrades.ts'
import { contractStorage } from '../contract-storage.ts'
import { type Predeploy, predeploy } from '../predeploy.ts'
import baseTime from './base-time.json' with { type: 'json' }
import gasPriceOracle from './gas-price-oracle.json' with { type: 'json' }
import l1Block from './l1-block.json' with { type: 'json' }
import predeployProxy from './predeploy-proxy.json' with { type: 'json' }

/** A predeploy of OP-stack chains: a proxy at its address, with the code at another one. */
export interface OpStackContract {
  readonly name: string
  readonly address: Address
  readonly implementation: Address
  readonly code: Bytes
}

/** The proxy at the address of every predeploy. */
export const PREDEPLOY_PROXY_CODE: Bytes = hexToBytes(predeployProxy.deployedBytecode)

export const BASE_TIME: OpStackContract = contract('BaseTime', 0x30, baseTime.deployedBytecode)

/** Compiled from contracts/op-stack; interface and storage are those of the OP stack's own contracts. */
export const OP_STACK_CONTRACTS: readonly OpStackContract[] = [
  contract('L1Block', 0x15, l1Block.deployedBytecode),
  contract('GasPriceOracle', 0x0f, gasPriceOracle.deployedBytecode),
  BASE_TIME,
]

/** EIP-1967: slots of a proxy. */
export const IMPLEMENTATION_SLOT = bigintToSlot(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn)
export const ADMIN_SLOT = bigintToSlot(0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103n)
/** ProxyAdmin, of which the chain has no code: nobody can upgrade a predeploy. */
export const PROXY_ADMIN = 0x4200000000000000000000000000000000000018n

/** The upgrades that GasPriceOracle has to know of, with the variables of its storage. */
const ORACLE_FLAGS = [
  ['isEcotone', 'ecotone'],
  ['isFjord', 'fjord'],
  ['isIsthmus', 'isthmus'],
  ['isJovian', 'jovian'],
] as const satisfies readonly (readonly [string, Upgrade])[]

/**
 * Proxies and implementations in block 0 of a chain that begins with an upgrade.
 *
 * @param options.reservesBaseTime Denim comes later: its activation installs the implementation of BaseTime
 */
export function opStackPredeploys(
  upgrade: Upgrade,
  { reservesBaseTime = false }: { readonly reservesBaseTime?: boolean } = {},
): readonly Predeploy[] {
  const contracts = OP_STACK_CONTRACTS.filter((found) => found !== BASE_TIME || includesUpgrade(upgrade, 'denim'))
  return contracts.flatMap((found) => {
    const { name, address, implementation, code } = found
    if (found === BASE_TIME && reservesBaseTime) {
      return [predeploy(name, address, PREDEPLOY_PROXY_CODE, new Map([[ADMIN_SLOT, PROXY_ADMIN]]))]
    }
    return [
      predeploy(name, address, PREDEPLOY_PROXY_CODE, proxyStorage(name, implementation, upgrade)),
      predeploy(`${name} implementation`, implementation, code),
    ]
  })
}

function proxyStorage(name: string, implementation: Address, upgrade: Upgrade): ReadonlyMap<Slot, bigint> {
  const flags = ORACLE_FLAGS.filter(([, since]) => includesUpgrade(upgrade, since)).map(([label]) => [label, 1n])
  const own = name === 'GasPriceOracle' && flags.length > 0
  return new Map([
    [IMPLEMENTATION_SLOT, BigInt(implementation)],
    [ADMIN_SLOT, PROXY_ADMIN],
    ...(own ? contractStorage(gasPriceOracle.storageLayout, Object.fromEntries(flags)) : []),
  ])
}

/** @param number last byte of the address */
function contract(name: string, number: number, code: string): OpStackContract {
  const suffix = number.toString(16).padStart(4, '0')
  return {
    name,
    address: `0x420000000000000000000000000000000000${suffix}` as Address,
    implementation: `0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3${suffix}` as Address,
    code: hexToBytes(code),
  }
}
