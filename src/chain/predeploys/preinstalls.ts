import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { type Predeploy, predeploy } from './predeploy.ts'
import code from './preinstalls.json' with { type: 'json' }

// Runtime code as on Ethereum and on every OP-stack chain (specs/protocol/preinstalls.md). The bytes are the constants
// of src/libraries/Preinstalls.sol in the npm package @eth-optimism/contracts-bedrock 0.17.3 (MIT).

/** Aggregates calls; viem and ethers batch reads with it. */
export const MULTICALL3: Predeploy = predeploy(
  'Multicall3',
  '0xcA11bde05977b3631167028862bE2a173976CA11',
  code.multicall3,
)

/** Arachnid's proxy: deploys with CREATE2 from a salt and initcode. */
export const DETERMINISTIC_DEPLOYMENT_PROXY: Predeploy = predeploy(
  'DeterministicDeploymentProxy',
  '0x4e59b44847b379578588920cA78FbF26c0B4956C',
  code.deterministicDeploymentProxy,
)

/** The same code as Arachnid's proxy, at the address that Safe's tools expect. */
export const SAFE_SINGLETON_FACTORY: Predeploy = predeploy(
  'SafeSingletonFactory',
  '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7',
  code.safeSingletonFactory,
)

/** Owned and pausable where it was deployed by transaction; here, as on OP-stack chains, it has no owner. */
export const CREATE2_DEPLOYER: Predeploy = predeploy(
  'Create2Deployer',
  '0x13b0D85CcB8bf860b6b79AF3029fCA081AE9beF2',
  code.create2Deployer,
)

// The code is that of Ethereum mainnet; the offsets of its immutables are those of `getPermit2Code` in Preinstalls.sol.
const PERMIT2_ADDRESS = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const PERMIT2_CHAIN_ID_OFFSET = 6945
const PERMIT2_DOMAIN_SEPARATOR_OFFSET = 6983

/**
 * Token allowances by signature. Its immutables, chain id and EIP-712 domain separator, are part of the code, so that
 * genesis states differ between chain ids.
 *
 * @example permit2(31337n).address // '0x000000000022d473030f116ddee9f6b43ac78ba3'
 */
export function permit2(chainId: bigint): Predeploy {
  const bytes = Uint8Array.from(hexToBytes(code.permit2))
  bytes.set(bigintToWord(chainId), PERMIT2_CHAIN_ID_OFFSET)
  bytes.set(permit2DomainSeparator(chainId), PERMIT2_DOMAIN_SEPARATOR_OFFSET)
  return predeploy('Permit2', PERMIT2_ADDRESS, bytes)
}

function permit2DomainSeparator(chainId: bigint): Bytes {
  const type = 'EIP712Domain(string name,uint256 chainId,address verifyingContract)'
  return keccak256(
    Buffer.concat([
      keccak256(Buffer.from(type)),
      keccak256(Buffer.from('Permit2')),
      bigintToWord(chainId),
      bigintToWord(BigInt(PERMIT2_ADDRESS)),
    ]),
  )
}
