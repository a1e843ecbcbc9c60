import { type Bytes, hexToBytes } from '../../primitives/hex.ts'
import { keccak256 } from '../../primitives/keccak.ts'
import { bigintToWord } from '../../primitives/quantity.ts'
import { type Predeploy, predeploy } from './predeploy.ts'
import code from './preinstalls.json' with { type: 'json' }

// Runtime code as on Ethereum and on every OP-stack chain (specs/protocol/preinstalls.md). The bytes are the constants
// of src/libraries/Preinstalls.sol in the npm package @eth-optimism/contracts-bedrock 0.17.3 (MIT). That file lacks
// EntryPoint 0.7 with its SenderCreator, which is deployed from @account-abstraction/contracts 0.7.0 (GPL-3.0), and
// CreateX, from @nomicfoundation/ignition-core 3.1.9 (MIT): scripts/preinstalls.mjs.

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

/** Further contracts of OP-stack chains: Safe 1.3.0, CreateX, and the entry points of ERC-4337. */
export const OP_STACK_PREINSTALLS: readonly Predeploy[] = [
  predeploy('Safe', '0x69f4D1788e39c87893C980c06EdF4b7f686e2938', code.safe),
  predeploy('SafeL2', '0xfb1bffC9d739B8D520DaF37dF666da4C687191EA', code.safeL2),
  predeploy('MultiSend', '0x998739BFdAAdde7C933B942a68053933098f9EDa', code.multiSend),
  predeploy('MultiSendCallOnly', '0xA1dabEF33b3B82c7814B6D82A79e50F4AC44102B', code.multiSendCallOnly),
  predeploy('CreateX', '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed', code.createX),
  predeploy('EntryPoint 0.6', '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789', code.entryPoint06),
  predeploy('SenderCreator 0.6', '0x7fc98430eAEdbb6070B35B39D798725049088348', code.senderCreator06),
  predeploy('EntryPoint 0.7', '0x0000000071727De22E5E9d8BAf0edAc6f37da032', code.entryPoint07),
  predeploy('SenderCreator 0.7', '0xEFC2c1444eBCC4Db75e7613d20C6a62fF67A167C', code.senderCreator07),
]

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
