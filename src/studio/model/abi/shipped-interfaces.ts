import { type Abi, parseAbi } from 'viem'
import contractAbis from '../../../live/names/contract-abis.json' with { type: 'json' }
import { KNOWN_SIGNATURES } from './known-signatures.ts'

const CONTRACTS: Readonly<Record<string, readonly string[]>> = contractAbis

/** The complete ABIs of contracts/, then interfaces that most chains have. */
export const SHIPPED_SIGNATURES: readonly string[] = [
  ...new Set([...Object.values(CONTRACTS).flat(), ...KNOWN_SIGNATURES]),
]

const TOKEN = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address account) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferFrom(address from, address to, uint256 amount) returns (bool)',
]

const UNIQUE_TOKENS = [
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function balanceOf(address owner) view returns (uint256)',
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function approve(address to, uint256 tokenId)',
]

const INTERFACES: Readonly<Record<string, readonly string[]>> = {
  'Token (ERC-20)': TOKEN,
  'Unique tokens (ERC-721)': UNIQUE_TOKENS,
  ...CONTRACTS,
}

/** Names of the interfaces whose functions can be called without an added ABI. */
export const SHIPPED_NAMES: readonly string[] = Object.keys(INTERFACES)

/** @param name one of `SHIPPED_NAMES`; any other has no items */
export function shippedAbi(name: string): Abi {
  return parseAbi((INTERFACES[name] ?? []) as readonly string[] as never)
}
