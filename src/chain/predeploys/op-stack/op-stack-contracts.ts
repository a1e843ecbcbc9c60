import type { Address, Bytes } from '../../../primitives/hex.ts'
import { hexToBytes } from '../../../primitives/hex.ts'
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

/** Compiled from contracts/op-stack; interface and storage are those of the OP stack's own contracts. */
export const OP_STACK_CONTRACTS: readonly OpStackContract[] = [
  contract('L1Block', 0x15, l1Block.deployedBytecode),
  contract('GasPriceOracle', 0x0f, gasPriceOracle.deployedBytecode),
  contract('BaseTime', 0x30, baseTime.deployedBytecode),
]

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
