import { type Fork, includesFork } from '../../src/chain/forks/forks.ts'
import { signAuthorization } from '../../src/chain/transaction/authorization.ts'
import type { AccessList, Authorization } from '../../src/chain/transaction/transaction.ts'
import { precompilesOf } from '../../src/engine/precompiles/registry.ts'
import { type Address, bytesToHex, toHash, ZERO_ADDRESS } from '../../src/primitives/hex.ts'
import { bigintToHash, bigintToSlot } from '../../src/primitives/quantity.ts'
import { privateKeyToAddress } from '../../src/primitives/secp256k1/secp256k1.ts'
import { address, LAYER_2 } from '../support/engine-fixture.ts'
import { seededRandom } from '../support/seeded-random.ts'
import type { FuzzAccount, FuzzCall, FuzzProgram } from './fuzz-program.ts'
import { type Random, randomStatements, type SharedContext } from './random-statements.ts'

export const CONTRACTS = [address(0xa1), address(0xb1), address(0xc1)] as const
/** An absent account, one with ether, one with only a nonce. */
const PLAIN_ACCOUNTS = [address(0xdead), address(0xbeef), address(0xcafe)]
/** Accounts that may sign authorizations (EIP-7702); the last one has a delegation from the start. */
const AUTHORITY_KEYS = [2, 3, 4].map((byte) => new Uint8Array(32).fill(byte))
const AUTHORITIES = AUTHORITY_KEYS.map(privateKeyToAddress)
const CALLS = 3

/**
 * A random state and random calls between three contracts.
 *
 * @param seed determines the program
 */
export function randomProgram(seed: number, fork: Fork): FuzzProgram {
  const random = seededRandom(seed)
  const accounts = [...CONTRACTS, ...PLAIN_ACCOUNTS, ...AUTHORITIES, address(2), address(4)]
  const around: SharedContext = { accounts, precompiles: [...precompilesOf(fork).keys()] }
  const length = 2 + Math.floor(random() * 14)
  const contracts = CONTRACTS.map((contract) => [contract, randomContract(random, around, length)] as const)
  return {
    fork,
    accounts: new Map([...contracts, ...otherAccounts(random, fork)]),
    calls: Array.from({ length: CALLS }, (_, index) => randomCall(random, around, fork, index)),
  }
}

function randomContract(random: Random, around: SharedContext, length: number): FuzzAccount {
  const noise = Array.from({ length: 1 + Math.floor(random() * 40) }, () => byte(random))
  return {
    nonce: random() < 0.02 ? 2n ** 64n - 1n : 1n,
    balance: random() < 0.3 ? 0n : 1_000n,
    code: random() < 0.03 ? noise : randomStatements(random, around, length),
    // A slot to clear and to restore.
    storage: new Map([0n, 1n, 2n, 3n].map((slot) => [bigintToSlot(slot), random() < 0.3 ? 0n : 1n + (slot & 1n)])),
  }
}

function otherAccounts(random: Random, fork: Fork): readonly (readonly [Address, FuzzAccount])[] {
  const plain = { nonce: 0n, balance: 7n, code: [], storage: new Map() }
  const delegation = [`ef0100${delegate(random).slice(2)}`]
  return [
    [address(0xbeef), plain],
    [address(0xcafe), { ...plain, nonce: 3n, balance: 0n }],
    [AUTHORITIES[1]!, { ...plain, nonce: 1n }],
    [AUTHORITIES[2]!, { ...plain, nonce: 1n, code: includesFork(fork, 'prague') ? delegation : [] }],
  ]
}

function randomCall(random: Random, around: SharedContext, fork: Fork, index: number): FuzzCall {
  const creates = random() < 0.15
  const data = Array.from({ length: Math.floor(random() * 80) }, () => byte(random))
  // Later calls see the storage of the first ones.
  const to = creates ? null : random() < 0.1 ? pick(random, around.accounts) : CONTRACTS[index % CONTRACTS.length]!
  return {
    to,
    data: creates ? randomStatements(random, around, 5) : data,
    value: random() < 0.5 ? 0n : 1_000n,
    // Often enough gas, often not.
    gasLimit: BigInt(Math.floor(random() < 0.4 ? 60_000 + random() * 60_000 : 100_000 + random() * 400_000)),
    accessList: includesFork(fork, 'berlin') && random() < 0.3 ? randomAccessList(random, around) : [],
    ...(!creates &&
      includesFork(fork, 'prague') &&
      random() < 0.3 && { authorizationList: randomAuthorizations(random) }),
    ...(!creates &&
      includesFork(fork, 'cancun') &&
      random() < 0.1 && { blobVersionedHashes: [toHash(`0x01${'ab'.repeat(31)}`)] }),
  }
}

function randomAccessList(random: Random, { accounts }: SharedContext): AccessList {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => ({
    address: pick(random, accounts),
    storageKeys: Array.from({ length: Math.floor(random() * 3) }, () => bigintToHash(BigInt(Math.floor(random() * 4)))),
  }))
}

function randomAuthorizations(random: Random): readonly Authorization[] {
  return Array.from({ length: 1 + Math.floor(random() * 3) }, () => {
    const chainId = pick(random, [0n, LAYER_2.chainId, LAYER_2.chainId, 5n])
    const nonce = pick(random, [0n, 1n, 1n, 2n])
    return signAuthorization({ chainId, address: delegate(random), nonce }, pick(random, AUTHORITY_KEYS))
  })
}

/** Delegation targets: a contract, a precompile, an absent account, a delegated account. */
function delegate(random: Random): Address {
  return pick(random, [...CONTRACTS, ...CONTRACTS, address(2), ZERO_ADDRESS, address(0xdead), ...AUTHORITIES])
}

function byte(random: Random): string {
  return bytesToHex(Uint8Array.of(Math.floor(random() * 256))).slice(2)
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)]!
}
