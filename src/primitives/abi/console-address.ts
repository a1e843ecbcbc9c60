import type { Address } from '../hex.ts'

/** "console.log" in ASCII: the account that contracts call to print (hardhat/console.sol, forge-std/console.sol). */
export const CONSOLE_ADDRESS = '0x000000000000000000636f6e736f6c652e6c6f67' as Address
