import { type Address, createWalletClient, defineChain, type Hex, http, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'

export const STOCK: Address = '0x5700000000000000000000000000000000000001'
export const STOCK_ABI = parseAbi([
  'function transfer(address to, uint256 value) returns (bool)',
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function symbol() view returns (string)',
  'function mint(address to, uint256 value)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'error InsufficientBalance(address sender, uint256 balance, uint256 needed)',
  'error AccessControlUnauthorizedAccount(address account, bytes32 neededRole)',
  'function initialize(string name, string symbol, uint8 decimals, address admin, bytes[] initCalls)',
])
export const ACCOUNTS = DEVELOPMENT_ACCOUNTS.map(({ privateKey }) => privateKeyToAccount(bytesToHex(privateKey)))
export const [OWNER, FRIEND] = ACCOUNTS as [(typeof ACCOUNTS)[0], (typeof ACCOUNTS)[0]]

export function chainAt(url: string, preconfirmationTime?: number) {
  return defineChain({
    id: 31337,
    name: 'Tickertape',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: '0xcA11bde05977b3631167028862bE2a173976CA11' } },
    blockTime: 2_000,
    ...(preconfirmationTime && { experimental_preconfirmationTime: preconfirmationTime }),
  })
}

export function walletOf(url: string, account = OWNER, preconfirmationTime?: number) {
  const chain = chainAt(url, preconfirmationTime)
  return createWalletClient({ account, chain, transport: http(url, { retryCount: 0 }) }).extend(publicActions)
}

export function signTransfer(wallet: ReturnType<typeof walletOf>, nonce: number): Promise<Hex> {
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 6n }
  return wallet.signTransaction({ to: FRIEND.address, value: 1n, nonce, ...fees })
}
