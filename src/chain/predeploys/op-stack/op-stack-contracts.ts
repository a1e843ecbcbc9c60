import { type Address, type Bytes, hexToBytes, type Slot } from '../../../primitives/hex.ts'
import { bigintToSlot } from '../../../primitives/quantity.ts'
import { includesUpgrade, type Upgrade } from '../../forks/upgrades.ts'
import { contractStorage } from '../contract-storage.ts'
import { type Predeploy, predeploy } from '../predeploy.ts'
import baseTime from './base-time.json' with { type: 'json' }
import feeVault from './fee-vault.json' with { type: 'json' }
import gasPriceOracle from './gas-price-oracle.json' with { type: 'json' }
import l1Block from './l1-block.json' with { type: 'json' }
import l1BlockNumber from './l1-block-number.json' with { type: 'json' }
import messenger from './l2-cross-domain-messenger.json' with { type: 'json' }
import bridge from './l2-standard-bridge.json' with { type: 'json' }
import messagePasser from './l2-to-l1-message-passer.json' with { type: 'json' }
import operatorFeeVault from './operator-fee-vault.json' with { type: 'json' }
import predeployProxy from './predeploy-proxy.json' with { type: 'json' }
import proxyAdmin from './proxy-admin.json' with { type: 'json' }
import sequencerFeeVault from './sequencer-fee-vault.json' with { type: 'json' }
import weth from './weth.json' with { type: 'json' }

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
  contract('L2CrossDomainMessenger', 0x07, messenger.deployedBytecode),
  contract('L2StandardBridge', 0x10, bridge.deployedBytecode),
  contract('L2ToL1MessagePasser', 0x16, messagePasser.deployedBytecode),
  contract('SequencerFeeVault', 0x11, sequencerFeeVault.deployedBytecode),
  contract('L1BlockNumber', 0x13, l1BlockNumber.deployedBytecode),
  contract('ProxyAdmin', 0x18, proxyAdmin.deployedBytecode),
  contract('BaseFeeVault', 0x19, feeVault.deployedBytecode),
  contract('L1FeeVault', 0x1a, feeVault.deployedBytecode),
  contract('OperatorFeeVault', 0x1b, operatorFeeVault.deployedBytecode),
  BASE_TIME,
]

/** Ether as an ERC-20: the only predeploy without a proxy. */
const OP_STACK_WETH: Predeploy = predeploy('WETH9', addressAt(0x06), weth.deployedBytecode)

/** Contracts that came with a later upgrade than Ecotone. */
const SINCE: Readonly<Record<string, Upgrade>> = { OperatorFeeVault: 'isthmus', BaseTime: 'denim' }

/** EIP-1967: slots of a proxy. */
export const IMPLEMENTATION_SLOT = bigintToSlot(0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn)
export const ADMIN_SLOT = bigintToSlot(0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103n)
export const PROXY_ADMIN = 0x4200000000000000000000000000000000000018n
/** The other sides of messenger and bridge. There is no contract: an address for tests that make their deposits. */
export const L1_MESSENGER_ADDRESS = '0x1000000000000000000000000000000000000007' as Address
export const L1_BRIDGE_ADDRESS = '0x1000000000000000000000000000000000000010' as Address
/** The sender that contracts read while no message is relayed. */
const NO_MESSAGE_SENDER = 0xdeadn
/** Where version 5 of OpenZeppelin's Initializable keeps its version. */
const INITIALIZED_SLOT = bigintToSlot(0xf0c57e16840df040f15088dc2f81fe391c3923bec73e23a9662efc9c229c6a00n)
const LAYER_2 = 1n
const MIN_WITHDRAWAL = 10n * 10n ** 18n

/** The upgrades that GasPriceOracle has to know of, with the variables of its storage. */
const ORACLE_FLAGS = [
  ['isEcotone', 'ecotone'],
  ['isFjord', 'fjord'],
  ['isIsthmus', 'isthmus'],
  ['isJovian', 'jovian'],
] as const satisfies readonly (readonly [string, Upgrade])[]

export interface OpStackOptions {
  /** Denim comes later: its activation installs the implementation of BaseTime. */
  readonly reservesBaseTime: boolean
  /** May upgrade the predeploys, and receives the fees. */
  readonly owner: Address
}

/** Proxies and implementations in block 0 of a chain that begins with an upgrade. */
export function opStackPredeploys(upgrade: Upgrade, { reservesBaseTime, owner }: OpStackOptions): readonly Predeploy[] {
  const contracts = OP_STACK_CONTRACTS.filter(({ name }) => includesUpgrade(upgrade, SINCE[name] ?? 'bedrock'))
  const proxied = contracts.flatMap((found) => {
    const { name, address, implementation, code } = found
    if (found === BASE_TIME && reservesBaseTime) {
      return [predeploy(name, address, PREDEPLOY_PROXY_CODE, new Map([[ADMIN_SLOT, PROXY_ADMIN]]))]
    }
    return [
      predeploy(name, address, PREDEPLOY_PROXY_CODE, proxyStorage(found, upgrade, owner)),
      predeploy(`${name} implementation`, implementation, code, implementationStorage(name)),
    ]
  })
  return [OP_STACK_WETH, ...proxied]
}

function proxyStorage(
  { name, implementation }: OpStackContract,
  upgrade: Upgrade,
  owner: Address,
): ReadonlyMap<Slot, bigint> {
  return new Map([
    [IMPLEMENTATION_SLOT, BigInt(implementation)],
    [ADMIN_SLOT, PROXY_ADMIN],
    ...ownStorage(name, upgrade, BigInt(owner)),
  ])
}

/** Storage that a contract itself uses in its proxy. */
function ownStorage(name: string, upgrade: Upgrade, owner: bigint): ReadonlyMap<Slot, bigint> {
  switch (name) {
    case 'GasPriceOracle': {
      const flags = ORACLE_FLAGS.filter(([, since]) => includesUpgrade(upgrade, since)).map(([label]) => [label, 1n])
      return contractStorage(gasPriceOracle.storageLayout, Object.fromEntries(flags))
    }
    case 'L2CrossDomainMessenger':
      return contractStorage(messenger.storageLayout, {
        initialized: 1n,
        messageSender: NO_MESSAGE_SENDER,
        otherMessenger: BigInt(L1_MESSENGER_ADDRESS),
      })
    case 'L2StandardBridge':
      return contractStorage(bridge.storageLayout, {
        initialized: 1n,
        messenger: BigInt(addressAt(0x07)),
        otherBridge: BigInt(L1_BRIDGE_ADDRESS),
      })
    case 'ProxyAdmin':
      return contractStorage(proxyAdmin.storageLayout, { owner })
    case 'SequencerFeeVault':
    case 'BaseFeeVault':
    case 'L1FeeVault':
    case 'OperatorFeeVault': {
      const settings = { minWithdrawalAmount: MIN_WITHDRAWAL, recipient: owner, withdrawalNetwork: LAYER_2 }
      return new Map([[INITIALIZED_SLOT, 1n], ...contractStorage(feeVault.storageLayout, settings)])
    }
    default:
      return new Map()
  }
}

/** The contract behind a proxy is initialized, too, so that no other account can initialize it. */
function implementationStorage(name: string): ReadonlyMap<Slot, bigint> {
  if (name.endsWith('FeeVault')) return new Map([[INITIALIZED_SLOT, 1n]])
  if (name === 'L2CrossDomainMessenger') return contractStorage(messenger.storageLayout, { initialized: 1n })
  if (name === 'L2StandardBridge') return contractStorage(bridge.storageLayout, { initialized: 1n })
  return new Map()
}

/** @param number last byte of the address */
function addressAt(number: number): Address {
  return `0x420000000000000000000000000000000000${number.toString(16).padStart(4, '0')}` as Address
}

/** @param number last byte of the address */
function contract(name: string, number: number, code: string): OpStackContract {
  const suffix = number.toString(16).padStart(4, '0')
  return {
    name,
    address: addressAt(number),
    implementation: `0xc0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3c0d3${suffix}` as Address,
    code: hexToBytes(code),
  }
}
