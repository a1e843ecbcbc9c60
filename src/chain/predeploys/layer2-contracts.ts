import { MESSAGE_PASSER_ADDRESS } from '../constants.ts'
import { contractStorage } from './contract-storage.ts'
import messagePasser from './l2-to-l1-message-passer.json' with { type: 'json' }
import { type Predeploy, predeploy } from './predeploy.ts'
import weth9 from './weth9.json' with { type: 'json' }

// Addresses: spec-facts 7.8. The code is compiled from contracts/ by scripts/compile-contracts.mjs.

/**
 * The outbox to layer 1. The root of its storage is the header's `withdrawalsRoot` (Isthmus, spec-facts 7.2); the first
 * nonce is 1, so that this is never the root of the empty trie, which would read as "no withdrawals".
 */
export const MESSAGE_PASSER: Predeploy = predeploy(
  'L2ToL1MessagePasser',
  MESSAGE_PASSER_ADDRESS,
  messagePasser.deployedBytecode,
  contractStorage(messagePasser.storageLayout, { nextNonce: 1n }),
)

/** Ether as an ERC-20. */
export const WETH9: Predeploy = predeploy('WETH9', '0x4200000000000000000000000000000000000006', weth9.deployedBytecode)
