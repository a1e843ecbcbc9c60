import { parseAbi } from 'viem'
import type { AbiSource } from './abi-book.ts'

/** Interfaces whose functions can be called without an added ABI. */
export const SHIPPED_INTERFACES: readonly AbiSource[] = [
  {
    name: 'Token (ERC-20)',
    abi: parseAbi([
      'function name() view returns (string)',
      'function symbol() view returns (string)',
      'function decimals() view returns (uint8)',
      'function totalSupply() view returns (uint256)',
      'function balanceOf(address account) view returns (uint256)',
      'function allowance(address owner, address spender) view returns (uint256)',
      'function transfer(address to, uint256 amount) returns (bool)',
      'function approve(address spender, uint256 amount) returns (bool)',
      'function transferFrom(address from, address to, uint256 amount) returns (bool)',
    ]),
  },
  {
    name: 'Unique tokens (ERC-721)',
    abi: parseAbi([
      'function name() view returns (string)',
      'function symbol() view returns (string)',
      'function ownerOf(uint256 tokenId) view returns (address)',
      'function balanceOf(address owner) view returns (uint256)',
      'function tokenURI(uint256 tokenId) view returns (string)',
      'function safeTransferFrom(address from, address to, uint256 tokenId)',
      'function approve(address to, uint256 tokenId)',
    ]),
  },
]
