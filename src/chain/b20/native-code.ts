import { selectorOf } from '../../primitives/abi/abi-signature.ts'
import { type Address, type Bytes, bytesToHex, type Hash, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { hasNativeTokens, type Upgrade } from '../forks/upgrades.ts'
import activationRegistry from './activation-registry.json' with { type: 'json' }
import {
  ACTIVATION_REGISTRY_ADDRESS,
  B20_FACTORY_ADDRESS,
  type B20Variant,
  POLICY_REGISTRY_ADDRESS,
} from './addresses.ts'
import b20Asset from './b20-asset.json' with { type: 'json' }
import b20Factory from './b20-factory.json' with { type: 'json' }
import b20Stablecoin from './b20-stablecoin.json' with { type: 'json' }
import { functionsAfter } from './introduced-functions.ts'
import policyRegistry from './policy-registry.json' with { type: 'json' }

/** Code that the node runs for accounts whose own code is empty or the marker of a native token. */
export interface NativeCode {
  readonly bytes: Bytes
  readonly hash: Hash
}

/** The code of Base's native tokens (B20) in one upgrade. */
export interface NativeTokenCode {
  /** By address; runs whatever the code of the account is, like a precompile. */
  readonly singletons: ReadonlyMap<Address, NativeCode>
  /** Runs for token addresses at which the factory placed the marker. */
  readonly tokens: Readonly<Record<B20Variant, NativeCode>>
}

/** Compiled from contracts/b20. */
interface Artifact {
  readonly deployedBytecode: string
  /** Places of the words that hold the upgrade. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[]
}

/** How the contracts count upgrades (contracts/b20/NativeTokens.sol). */
const UPGRADE_NUMBERS = { beryl: 1, cobalt: 2, denim: 3 } as const satisfies Partial<Record<Upgrade, number>>
type TokenUpgrade = keyof typeof UPGRADE_NUMBERS

const CODES = new Map<TokenUpgrade, NativeTokenCode>()

/** The code of an upgrade; `undefined` before Beryl. */
export function nativeTokenCode(upgrade: Upgrade | undefined): NativeTokenCode | undefined {
  if (!hasNativeTokens(upgrade)) return undefined
  const key = upgrade as TokenUpgrade
  let code = CODES.get(key)
  if (code === undefined) {
    code = buildCode(key)
    CODES.set(key, code)
  }
  return code
}

function buildCode(upgrade: TokenUpgrade): NativeTokenCode {
  const singleton = (address: Address, artifact: Artifact) =>
    [address, link(artifact, upgrade, isAccount(address))] as const
  return {
    singletons: new Map([
      singleton(B20_FACTORY_ADDRESS, b20Factory),
      singleton(ACTIVATION_REGISTRY_ADDRESS, activationRegistry),
      singleton(POLICY_REGISTRY_ADDRESS, policyRegistry),
    ]),
    tokens: { asset: link(b20Asset, upgrade, HAS_PREFIX), stablecoin: link(b20Stablecoin, upgrade, HAS_PREFIX) },
  }
}

/** ADDRESS, shifted by ten bytes, is 0xb2 and nine zeros. */
const HAS_PREFIX = '3060501c60b260481b14'
const isAccount = (address: Address): string => `3073${address.slice(2)}14`

/** Solidity's first instructions, which set the free memory pointer. */
const SETUP = '6080604052'

/**
 * Sets the upgrade, and lets the code begin with checks that precede the dispatch of functions, where Solidity has no
 * place for them.
 *
 * @param isOwnContext instructions that push whether the frame is that of the contract itself
 */
function link({ deployedBytecode, immutables }: Artifact, upgrade: TokenUpgrade, isOwnContext: string): NativeCode {
  const code = hexToBytes(deployedBytecode)
  for (const { start, length } of immutables) code[start + length - 1] = UPGRADE_NUMBERS[upgrade]
  const hex = bytesToHex(code).slice(2)
  if (!hex.startsWith(SETUP)) throw new Error('the compiled code begins with other instructions: adapt native-code.ts')
  const start = code.length + PADDING.length / 2
  // PUSH2 JUMP JUMPDEST in place of the setup, which the checks end with.
  const entry = `61${uint16(start)}565b`
  const bytes = hexToBytes(`0x${entry}${hex.slice(SETUP.length)}${PADDING}${checks(start, upgrade, isOwnContext)}`)
  return { bytes, hash: keccakHash(bytes) }
}

/** The compiled code may end with data that reads as a PUSH, whose operand would hide the JUMPDEST behind it. */
const PADDING = '00'.repeat(32)
const JUMPDEST = '5b'
/** JUMPDEST in `entry` of `link`. */
const DISPATCH = '6004'

/** @param at offset of the checks in the code */
function checks(at: number, upgrade: TokenUpgrade, isOwnContext: string): string {
  let code = JUMPDEST
  const skipUnless = (condition: string, body: string) => {
    // PUSH2 and JUMPI behind the condition.
    const end = at + (code.length + condition.length + body.length) / 2 + 4
    code += `${condition}61${uint16(end)}57${body}${JUMPDEST}`
  }
  skipUnless(isOwnContext, revertWith('DelegateCallNotAllowed()'))
  // CALLVALUE ISZERO
  skipUnless('3415', revertWith('NonPayable()'))
  for (const selector of functionsAfter(upgrade)) {
    // The selector of the calldata, compared, inverted; rejected functions revert with their selector.
    skipUnless(`5f3560e01c63${selector.slice(2)}1415`, `63${selector.slice(2)}${REVERT_SELECTOR}`)
  }
  return `${code}${SETUP}${DISPATCH}56`
}

/** Reverts with the last four bytes of the word on the stack: PUSH0 MSTORE, then REVERT of 4 bytes at 28. */
const REVERT_SELECTOR = '5f526004601cfd'

function revertWith(error: string): string {
  return `63${selectorOf(error).slice(2)}${REVERT_SELECTOR}`
}

function uint16(value: number): string {
  return value.toString(16).padStart(4, '0')
}
