import { selectorOf } from '../../primitives/abi/abi-signature.ts'
import type { Hex } from '../../primitives/hex.ts'
import { includesUpgrade, type Upgrade } from '../forks/upgrades.ts'

/** Functions of native tokens and of the policy registry that a later upgrade than Beryl introduced. */
const INTRODUCED_BY: Readonly<Partial<Record<Upgrade, readonly string[]>>> = {
  cobalt: [
    'seizeWithMemo(address,address,uint256,bytes32)',
    'SEIZE_ROLE()',
    'SEIZE_EXEMPT_POLICY()',
    'SEIZE_RECEIVER_POLICY()',
    'updateUIMultiplier(uint256,uint256)',
    'cancelUIMultiplierUpdate()',
    'MAX_UI_MULTIPLIER()',
    'uiMultiplier()',
    'newUIMultiplier()',
    'effectiveAt()',
    'balanceOfUI(address)',
    'totalSupplyUI()',
    'toUIAmount(uint256)',
    'fromUIAmount(uint256)',
    'supportsInterface(bytes4)',
    'createCompositePolicy(address,uint8,uint64[])',
    'updateComposite(uint64,uint64[])',
    'compositePolicyChildIds(uint64)',
    'MIN_COMPOSITE_CHILD_POLICIES()',
    'MAX_COMPOSITE_CHILD_POLICIES()',
  ],
  denim: ['invertedPolicyId(uint64)'],
}

/** Selectors of the functions that do not exist yet in an upgrade. */
export function functionsAfter(upgrade: Upgrade): readonly Hex[] {
  return Object.entries(INTRODUCED_BY)
    .filter(([since]) => !includesUpgrade(upgrade, since as Upgrade))
    .flatMap(([, signatures]) => signatures.map(selectorOf))
}
