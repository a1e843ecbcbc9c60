import type { Genesis } from '../../../src/chain/genesis/genesis.ts'
import { createNetwork } from '../../../src/chain/genesis/networks.ts'
import { hexToBytes } from '../../../src/primitives/hex.ts'
import { EMITTER_CODE } from '../../support/log-emitter.ts'
import { EMITTER, GENESIS_SENDERS } from '../clients/senders.ts'

/** Few accounts and one contract, so that a start takes little time. */
export function smallGenesis(): Genesis {
  const { genesis } = createNetwork()
  const senders = GENESIS_SENDERS.map(({ address }) => [address, genesis.alloc.get(address)!] as const)
  const emitter = { nonce: 1n, balance: 0n, code: hexToBytes(EMITTER_CODE), storage: new Map() }
  return { ...genesis, alloc: new Map([...senders, [EMITTER, emitter]]) }
}
