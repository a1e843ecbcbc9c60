import type { ChainConfig } from './chain-config.ts'
import { includesUpgrade, UPGRADES, type Upgrade, upgradeAt } from './upgrades.ts'

/** The rules of OP-stack chains that depend on the upgrade, and the upgrade that introduced each. */
const INTRODUCED_IN = {
  /** Receipts of deposits commit to the sender's nonce and a version. */
  hasDepositReceiptVersion: 'canyon',
  /** The L1 fee counts the L1 blob base fee; before, an overhead and one scalar. */
  hasBlobPricedL1Fee: 'ecotone',
  /** The L1 fee counts an estimate of the compressed size. */
  hasCompressedL1Fee: 'fjord',
  /** RIP-7212: P256VERIFY, before EIP-7951 gives it to Ethereum. */
  hasP256Verify: 'fjord',
  /** Input limit of the alt_bn128 pairing. */
  hasPairingLimit: 'granite',
  /** `extraData` of a header holds the EIP-1559 parameters for its child. */
  hasHeaderFeeParameters: 'holocene',
  /** `withdrawalsRoot` of a header is the storage root of the message passer. */
  hasMessagePasserRoot: 'isthmus',
  /** Input limits of the BLS12-381 precompiles. */
  hasBlsLimits: 'isthmus',
  hasOperatorFee: 'isthmus',
  /** The EIP-1559 parameters in `extraData` include a minimum base fee. */
  hasMinBaseFee: 'jovian',
  /** `blobGasUsed` of a header is the DA footprint of the block. */
  hasDataFootprint: 'jovian',
  /** The operator fee counts 100 times the gas; before, a millionth. */
  hasHigherOperatorFee: 'jovian',
  /** Lower input limits of the pairing precompiles. */
  hasLowerPrecompileLimits: 'jovian',
  /** Still lower input limit of the alt_bn128 pairing. */
  hasLowestPairingLimit: 'karst',
  /** op-node reports no cross-unsafe head any more. */
  hasNoCrossUnsafeHead: 'karst',
} as const satisfies Readonly<Record<string, Upgrade>>

type RuleName = keyof typeof INTRODUCED_IN

/** One predicate for each rule; one object for each upgrade. */
export interface Layer2Rules extends Readonly<Record<RuleName, boolean>> {
  /** Absent on a chain that schedules none (`Layer2Config.upgradeTimes`). */
  readonly upgrade?: Upgrade
  /** Whether transactions pay the L1 fee and the operator fee, by the values in the L1Block contract. */
  readonly hasL1Fee: boolean
}

const RULES = new Map<Upgrade, Layer2Rules>(
  UPGRADES.map((upgrade) => [upgrade, Object.freeze({ upgrade, hasL1Fee: true, ...rulesIn(upgrade) })]),
)

/** The header and receipts of Jovian, with the precompiles of Ethereum and without fees for layer 1. */
const UNSCHEDULED: Layer2Rules = Object.freeze({
  ...rulesIn('jovian'),
  hasL1Fee: false,
  hasOperatorFee: false,
  hasP256Verify: false,
  hasPairingLimit: false,
  hasBlsLimits: false,
  hasLowerPrecompileLimits: false,
})

export function layer2RulesOf(upgrade: Upgrade): Layer2Rules {
  return RULES.get(upgrade)!
}

/**
 * The rules of a block; undefined on layer 1.
 *
 * @param timestamp Unix seconds
 * @example layer2RulesAt(config, header.timestamp)?.hasOperatorFee
 */
export function layer2RulesAt({ layer2 }: ChainConfig, timestamp: bigint): Layer2Rules | undefined {
  if (layer2?.upgradeTimes === undefined) return layer2 && UNSCHEDULED
  return layer2RulesOf(upgradeAt(layer2.upgradeTimes, timestamp))
}

function rulesIn(upgrade: Upgrade): Readonly<Record<RuleName, boolean>> {
  const rules = Object.entries(INTRODUCED_IN).map(([rule, since]) => [rule, includesUpgrade(upgrade, since)])
  return Object.fromEntries(rules) as Record<RuleName, boolean>
}
