import { FORKS, type Fork, includesFork } from './forks.ts'

/**
 * The rules that depend on the fork, outside of the bytecode interpreter, and the fork that introduced each. Rules of
 * single instructions are in `engine/evm/assembly`, precompiles with their forks in `engine/precompiles/registry.ts`.
 */
const INTRODUCED_IN = {
  /** EIP-2: a creation transaction costs 32,000 gas more. */
  hasCreationGas: 'homestead',
  /** EIP-2: difficulty adjusts in proportion to the block time. */
  hasProportionalDifficulty: 'homestead',
  /** EIP-161: touched empty accounts are removed, and a fee of zero creates none. */
  removesEmptyAccounts: 'spuriousDragon',
  /** EIP-658: receipts hold a status instead of a state root. */
  hasReceiptStatus: 'byzantium',
  /** EIP-100: difficulty counts the uncles of the parent. */
  hasUncleDifficulty: 'byzantium',
  /** EIP-649: block reward of 3 ether. */
  hasByzantiumReward: 'byzantium',
  /** EIP-1234: block reward of 2 ether. */
  hasConstantinopleReward: 'constantinople',
  /** EIP-2028: 16 gas for a non-zero byte of calldata. */
  hasCheaperCalldata: 'istanbul',
  /** EIP-1108: lower gas of the alt_bn128 precompiles. */
  hasCheaperBn254: 'istanbul',
  /** EIP-2929 and EIP-2930: warm and cold access, access lists. */
  hasAccessLists: 'berlin',
  /** EIP-2565: lower gas of MODEXP. */
  hasCheaperModexp: 'berlin',
  /** EIP-1559: base fee and dynamic-fee transactions. */
  hasBaseFee: 'london',
  /** EIP-3529: refunds of at most a fifth of the gas used. */
  hasReducedRefunds: 'london',
  /** EIP-3675 and EIP-4399: no proof of work, no uncles, no block reward; PREVRANDAO. */
  isProofOfStake: 'paris',
  /** EIP-4895: withdrawals. */
  hasWithdrawals: 'shanghai',
  /** EIP-3651: the coinbase is warm from the start. */
  hasWarmCoinbase: 'shanghai',
  /** EIP-3860: limit on and gas for initcode. */
  hasInitcodeLimit: 'shanghai',
  /** EIP-4844: blob transactions, blob gas, blob base fee. */
  hasBlobFee: 'cancun',
  /** EIP-4788: parent beacon block root. */
  hasBeaconRoot: 'cancun',
  /** EIP-2935: the history contract is written at the start of each block. */
  hasHistoryContract: 'prague',
  /** EIP-7623: floor on the gas of calldata. */
  hasCalldataFloor: 'prague',
  /** EIP-7685: requests to the consensus layer. */
  hasRequests: 'prague',
  /** EIP-7825: cap on the gas limit of a transaction. */
  hasTransactionGasCap: 'osaka',
  /** EIP-7594: cell proofs, and at most six blobs a transaction. */
  hasCellProofs: 'osaka',
  /** EIP-7918: blob base fee bounded by execution cost. */
  hasBlobReservePrice: 'osaka',
  /** EIP-7934: limit on the RLP size of a block. */
  hasBlockSizeLimit: 'osaka',
  /** EIP-7823 and EIP-7883: bounds on the input of MODEXP, and its higher gas. */
  hasBoundedModexp: 'osaka',
} as const satisfies Readonly<Record<string, Fork>>

/** One predicate for each rule, as in go-ethereum's `params.Rules`. */
export type Rules = Readonly<Record<keyof typeof INTRODUCED_IN, boolean>>

const RULES = new Map<Fork, Rules>(FORKS.map((fork) => [fork, Object.freeze(rulesIn(fork))]))

/** @example rulesOf(env.fork).hasBaseFee */
export function rulesOf(fork: Fork): Rules {
  return RULES.get(fork)!
}

function rulesIn(fork: Fork): Rules {
  const rules = Object.entries(INTRODUCED_IN).map(([rule, since]) => [rule, includesFork(fork, since)])
  return Object.fromEntries(rules) as Rules
}
