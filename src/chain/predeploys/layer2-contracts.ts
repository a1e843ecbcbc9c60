import { MESSAGE_PASSER_ADDRESS } from '../constants.ts'
import { contractStorage } from './contract-storage.ts'
import messagePasser from './l2-to-l1-message-passer.json' with { type: 'json' }
import { type Predeploy, predeploy } from './predeploy.ts'
import weth9 from './weth9.json' with { type: 'json' }

// Simplified predeploys of the OP stack, without proxies, for chains without its system transactions. The code is
// compiled from contracts/ by scripts/compile-contracts.mjs. `op-stack/` has those of OP-stack chains.

/**
 * The outbox to layer 1. Its storage root is the header's `withdrawalsRoot` (Isthmus). The first nonce is 1, so that
 * this is never the root of the empty trie, which would mean "no withdrawals".
 */
export const MESSAGE_PASSER: Predeploy = predeploy(
  'L2ToL1MessagePasser',
  MESSAGE_PASSER_ADDRESS,
  messagePasser.deployedBytecode,
  contractStorage(messagePasser.storageLayout, { nextNonce: 1n }),
)

/** Ether as an ERC-20. */
export const WETH9: Predeploy = predeploy('WETH9', '0x4200000000000000000000000000000000000006', weth9.deployedBytecode)
