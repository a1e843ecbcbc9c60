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

/** Features that can be paused, by ordinal. */
export const PAUSABLE_FEATURES = ['transfer', 'mint', 'burn', 'seize'] as const

/** Input of a call of the stock. */
export function stockInput(functionName: string, args: readonly unknown[] = []): `0x${string}` {
  return encodeFunctionData({ abi: STOCK_ABI, functionName, args } as never)
}

/** Result of a read of the stock; `undefined` if the output is none, as that of another contract. */
export function stockOutput(functionName: string, output: unknown): unknown {
  try {
    return decodeFunctionResult({ abi: STOCK_ABI, functionName, data: output } as never)
  } catch {
    return undefined
  }
}

export function pausableName(ordinal: unknown): string {
  return PAUSABLE_FEATURES[Number(ordinal)] ?? `feature ${String(ordinal)}`
}
