import { getAbiItem, parseAbi } from 'viem'
import { DEVELOPMENT_ACCOUNTS } from '../../src/chain/accounts/development-accounts.ts'
import { bytesToHex } from '../../src/primitives/hex.ts'
import ledger from './contracts/ledger.json' with { type: 'json' }

/** ABI with types for viem; the compiled contract has the same entries. */
export const LEDGER_ABI = parseAbi([
  'constructor(uint256 opening)',
  'function total() view returns (uint256)',
  'function record(uint256 amount, string note) returns (uint256)',
  'function withdraw(uint256 amount)',
  'event Recorded(address indexed by, uint256 indexed amount, string note)',
  'error AmountAboveLimit(address by, uint256 amount, uint256 limit)',
])
export const RECORDED = getAbiItem({ abi: LEDGER_ABI, name: 'Recorded' })
export const ABOVE_LIMIT = getAbiItem({ abi: LEDGER_ABI, name: 'AmountAboveLimit' })
export const LEDGER_BYTECODE = ledger.bytecode as `0x${string}`
export const SENDER_KEY = bytesToHex(DEVELOPMENT_ACCOUNTS[0]!.privateKey)
/** Polling interval of the libraries in milliseconds. */
export const POLLING = 50
