import { type Common, createCustomCommon, Mainnet } from '@ethereumjs/common'
import { getActivePrecompiles } from '@ethereumjs/evm'
import { FORKS, type Fork } from '../../src/chain/forks/forks.ts'
import type { Address } from '../../src/primitives/hex.ts'

const RENAMED: Partial<Record<Fork, string>> = { frontier: 'chainstart' }

/** The rules of one fork of one chain for `@ethereumjs/evm`. Expensive: create it once per fork. */
export function createCommon(chainId: bigint, fork: Fork): Common {
  return createCustomCommon({ chainId: chainId.toString() }, Mainnet, { hardfork: RENAMED[fork] ?? fork })
}

/** Addresses of the precompiles of every fork. */
export function precompilesByFork(): ReadonlyMap<Fork, ReadonlySet<Address>> {
  return new Map(
    FORKS.map((fork) => {
      const addresses = [...getActivePrecompiles(createCommon(1n, fork)).keys()]
      return [fork, new Set(addresses.map((address) => `0x${address}` as Address))]
    }),
  )
}
