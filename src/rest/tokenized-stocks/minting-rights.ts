import { B20_FACTORY_ADDRESS } from '../../chain/b20/addresses.ts'
import type { Log } from '../../chain/receipt/log.ts'
import type { LogMatch, LogQuery } from '../../chain/receipt/log-query.ts'
import { type Address, type Hash, toAddress, toHash, ZERO_HASH } from '../../primitives/hex.ts'
import { bytesToBigint } from '../../primitives/quantity.ts'
import { TRANSFER_TOPIC } from '../../primitives/stocks/transfer-event.ts'

/** keccak-256 of the signatures. */
const EVENTS = {
  created: toHash('0xfd9bf2730513a1709722ff379a0844dfd8f997d600693c2bcc659e188bbdba0d'),
  roleGranted: toHash('0x2f8788117e7eff1d82e926ec794901d17c78024a50270940304540a733656f0d'),
  roleRevoked: toHash('0xf6391f5c32d9c69d2a47ea670b442974b53935d1edc7fd64eb21e047a839171b'),
  paused: toHash('0x3e849708b13f20dd0b87a503523c305e7604cd7e8f855e7a5ebe21397dfd7146'),
  unpaused: toHash('0x086a815e5123cf1af5cb7a82f8b052bf96c622204c98b2f4f9782bf77f753c57'),
  supplyCapUpdated: toHash('0x6d14f44808ce024f263432bc38d019a9951fbe674e9898b54844dbc8dc09c23a'),
  policyUpdated: toHash('0x8b4790f7ff717fc8f60f07ae099e47ef318dc04b37ae98056b50a22b79056626'),
  transfer: TRANSFER_TOPIC,
} as const

/** keccak-256 of `MINT_ROLE`, which a native token returns for `MINT_ROLE()`. */
export const MINT_ROLE = toHash('0x154c00819833dac601ee5ddded6fda79d9d8b506b911b3dbd54cdb95fe6c3686')
/** keccak-256 of `MINT_RECEIVER_POLICY`. */
const MINT_RECEIVER_POLICY = toHash('0xa0d5ae037e66a09119acf080a1d807abb9b6d03b6b9130eb19f7c1e6bdb8ffc8')
const MINT_FEATURE = 1n
/** Policies that admit no account: the built-in one, and the inversion (bit 63) of policy 0, which admits all. */
const POLICIES_FOR_NOBODY: readonly bigint[] = [(1n << 56n) | 1n, 1n << 63n]

/** Logs that change the minting rights of these tokens. */
export function rightsQuery(tokens: readonly Address[]): LogQuery {
  const { roleGranted, roleRevoked, paused, unpaused, supplyCapUpdated, policyUpdated } = EVENTS
  return {
    addresses: tokens,
    topics: [[roleGranted, roleRevoked, paused, unpaused, supplyCapUpdated, policyUpdated]],
  }
}

/** Logs with which the factory announces the creation of these tokens: topic 1 is the token. */
export function creationQuery(tokens: readonly Address[]): LogQuery {
  return { addresses: [B20_FACTORY_ADDRESS], topics: [[EVENTS.created], tokens.map(topicOf)] }
}

/** Logs that mint units of these tokens. */
export function mintQuery(tokens: readonly Address[]): LogQuery {
  return { addresses: tokens, topics: [[EVENTS.transfer], [ZERO_HASH]] }
}

/** The token of a log of `creationQuery`. */
export function createdToken({ log }: LogMatch): Address {
  return addressIn(log.topics[1]!)
}

/**
 * Whether some account can mint a native token (B20), as the token's events tell it: `mint` needs a caller with
 * MINT_ROLE, the feature MINT without pause, a receiver that MINT_RECEIVER_POLICY admits, and room below the supply cap
 * (contracts/stock/StockBalances.sol: `requireMinter`, `mintChecked`; Base specs: B20). A cap above 0 has room until
 * the first units are minted. Which accounts a policy of the PolicyRegistry admits is not followed.
 */
export class MintingRights {
  #minters = new Set<Address>()
  #isPaused = false
  #isCappedAtZero = false
  #admitsNobody = false
  #eventCount = 0

  copy(): MintingRights {
    const copy = new MintingRights()
    copy.#minters = new Set(this.#minters)
    copy.#isPaused = this.#isPaused
    copy.#isCappedAtZero = this.#isCappedAtZero
    copy.#admitsNobody = this.#admitsNobody
    copy.#eventCount = this.#eventCount
    return copy
  }

  /** Number of applied logs. */
  get eventCount(): number {
    return this.#eventCount
  }

  get isMintable(): boolean {
    return this.#minters.size > 0 && !this.#isPaused && !this.#isCappedAtZero && !this.#admitsNobody
  }

  /** Applies a log of `rightsQuery`. A log that lacks what the standard has changes nothing. */
  apply({ topics, data }: Log): void {
    this.#eventCount += 1
    const [event, first, second] = topics
    switch (event) {
      case EVENTS.roleGranted:
        if (first === MINT_ROLE && second !== undefined) this.#minters.add(addressIn(second))
        return
      case EVENTS.roleRevoked:
        if (first === MINT_ROLE && second !== undefined) this.#minters.delete(addressIn(second))
        return
      case EVENTS.paused:
      case EVENTS.unpaused:
        // `uint8[] features`: offset, length, features.
        if (wordsOf(data).slice(2).includes(MINT_FEATURE)) this.#isPaused = event === EVENTS.paused
        return
      case EVENTS.supplyCapUpdated:
        this.#isCappedAtZero = wordsOf(data)[1] === 0n
        return
      case EVENTS.policyUpdated: {
        const policy = wordsOf(data)[1]
        if (first === MINT_RECEIVER_POLICY && policy !== undefined) {
          this.#admitsNobody = POLICIES_FOR_NOBODY.includes(policy)
        }
      }
    }
  }
}

function wordsOf(data: Uint8Array): readonly bigint[] {
  return Array.from({ length: Math.floor(data.length / 32) }, (_, index) =>
    bytesToBigint(data.subarray(index * 32, index * 32 + 32)),
  )
}

function topicOf(address: Address): Hash {
  return toHash(`0x${address.slice(2).padStart(64, '0')}`)
}

function addressIn(topic: Hash): Address {
  return toAddress(`0x${topic.slice(-40)}`)
}
