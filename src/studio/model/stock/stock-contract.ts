import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'

/** The part of a tokenized stock (`contracts/stock`) that the page reads, calls and follows. */
export const STOCK_ABI = parseAbi([
  'function symbol() view returns (string)',
  'function name() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function supplyCap() view returns (uint256)',
  'function multiplier() view returns (uint256)',
  'function newUIMultiplier() view returns (uint256)',
  'function effectiveAt() view returns (uint256)',
  'function pausedFeatures() view returns (uint8[])',
  'function extraMetadata(string key) view returns (string)',
  'function balanceOf(address account) view returns (uint256)',
  'function hasRole(bytes32 role, address account) view returns (bool)',
  'function policyId(bytes32 policyScope) view returns (uint64)',
  'function updatePolicy(bytes32 policyScope, uint64 newPolicyId)',
  'function isAnnouncementIdUsed(string id) view returns (bool)',
  'function seizeWithMemo(address from, address to, uint256 amount, bytes32 memo)',
  'function updateExtraMetadata(string key, string value)',
  'function updateSupplyCap(uint256 newSupplyCap)',
  'function grantRole(bytes32 role, address account)',
  'function revokeRole(bytes32 role, address account)',
  'function mint(address to, uint256 amount)',
  'function burn(uint256 amount)',
  'function pause(uint8[] features)',
  'function unpause(uint8[] features)',
  'function updateMultiplier(uint256 newMultiplier)',
  'function updateUIMultiplier(uint256 newMultiplier, uint256 newEffectiveAt)',
  'function cancelUIMultiplierUpdate()',
  'function announce(bytes[] internalCalls, string id, string description, string uri)',
  'event Transfer(address indexed from, address indexed to, uint256 amount)',
  'event Paused(address indexed updater, uint8[] features)',
  'event Unpaused(address indexed updater, uint8[] features)',
  'event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAt)',
  'event UIMultiplierUpdateCancelled(uint256 cancelledMultiplier, uint256 cancelledEffectiveAt)',
  'event MultiplierUpdated(uint256 multiplier)',
  'event Announcement(address indexed caller, string id, string description, string uri)',
])

/** The factory of stocks (`contracts/stock/StockFactory.sol`). */
const FACTORY_ABI = parseAbi([
  'function createB20(uint8 variant, bytes32 salt, bytes params, bytes[] initCalls) payable returns (address)',
  'function getB20Address(uint8 variant, address sender, bytes32 salt) view returns (address)',
])

/** Pauses price feeds (`contracts/stock/OracleRegistry.sol`). */
const REGISTRY_ABI = parseAbi([
  'function getOracleParams(address token) view returns (uint256 multiplier, bool paused)',
  'function hasRole(bytes32 role, address account) view returns (bool)',
  'function setOraclePaused(address token, bool paused)',
])

const ABIS = { stock: STOCK_ABI, factory: FACTORY_ABI, registry: REGISTRY_ABI }
export type StockContract = keyof typeof ABIS

/** Role of the oracle registry that freezes and resumes price feeds: keccak-256 of its name. */
export const PAUSER_ROLE = '0x65d7a28e3265b37a6474929f336521b332c1681b933f6cb9f3376673440d862a'

/** Scopes of the policies of a stock, as the command line names them: keccak-256 of their names in the contract. */
export const POLICY_SCOPE_IDS = {
  'transfer-sender': '0xb81736c875ab819dd97f59f2a6542cfb731ad52b4ae15a6f24df2fb02b0327f5',
  'transfer-receiver': '0x8a4b3fa2d8b921852bc0089c6ef0958aa6961897be36fd731330fe2cd23f8363',
  'transfer-executor': '0x10be5173aff2a44e748bd9acd8b19fe34689581398a9db7ba2fb671e786ff7d8',
  'mint-receiver': '0xa0d5ae037e66a09119acf080a1d807abb9b6d03b6b9130eb19f7c1e6bdb8ffc8',
  'seize-exempt': '0xedb5da348cfb67af08746d3afd1be81034b50d5c8576f31aff688f39dfd540ed',
  'seize-receiver': '0xbf15b19caf5c77422c038bc25f26b8b815c3a14f6d04c6616076b81bcfe07b3d',
} as const

/** Policies that every chain has (`contracts/stock/StockAccess.sol`). */
export const FIXED_POLICIES: Readonly<Record<string, bigint>> = { allow: 0n, block: (1n << 56n) | 1n }

/** Cap of a stock without one. */
export const NO_CAP = 2n ** 128n - 1n

/** Features that can be paused, by ordinal. */
export const PAUSABLE_FEATURES = ['transfer', 'mint', 'burn', 'seize'] as const

/** Input of a call. */
export function stockInput(
  functionName: string,
  args: readonly unknown[] = [],
  contract: StockContract = 'stock',
): `0x${string}` {
  return encodeFunctionData({ abi: ABIS[contract], functionName, args } as never)
}

/** Result of a read; `undefined` if the output is none, as that of another contract. */
export function stockOutput(functionName: string, output: unknown, contract: StockContract = 'stock'): unknown {
  try {
    return decodeFunctionResult({ abi: ABIS[contract], functionName, data: output } as never)
  } catch {
    return undefined
  }
}

export function pausableName(ordinal: unknown): string {
  return PAUSABLE_FEATURES[Number(ordinal)] ?? `feature ${String(ordinal)}`
}
