import { isDeepStrictEqual } from 'node:util'
import type { Header } from '../../chain/block/header.ts'
import { decodeHeader, hashHeader } from '../../chain/block/header-codec.ts'
import type { ChainConfig } from '../../chain/forks/chain-config.ts'
import { FORKS } from '../../chain/forks/forks.ts'
import { UPGRADES } from '../../chain/forks/upgrades.ts'
import { newBlockEnv } from '../../engine/block/block-env.ts'
import { createEngine } from '../../engine/session/create-engine.ts'
import type { Engine } from '../../engine/types.ts'
import { provenState } from '../../node/tools/read-proof/proven-state.ts'
import type { AccountProof } from '../../node/tools/read-proof/recorded-state.ts'
import { WitnessMembers } from '../../node/tools/witness/witness-members.ts'
import { CodedError } from '../../primitives/coded-error.ts'
import type { Address, Bytes } from '../../primitives/hex.ts'
import { type BlockReads, type BlockRules, PROOF_LIMITS } from '../tokenized-stocks/chain-source.ts'
import { sessionReads } from '../tokenized-stocks/session-reads.ts'
import { readSupplyAndMultiplier } from '../tokenized-stocks/token-reads.ts'
import { supplyProof } from './supply-proof.ts'

/** Why a supply proof does not verify; `code` of `SupplyProofError`. */
export type SupplyProofErrorCode =
  /** The document has another form. */
  | 'INVALID_SUPPLY_PROOF'
  /** The header is not that of the trusted block. */
  | 'WRONG_BLOCK'
  /** The contract runs by rules other than the expected ones. */
  | 'WRONG_RULES'
  /** The proofs do not show what the calls read, or the calls return other values than the document says. */
  | 'NOT_PROVEN'

/** A supply proof that does not verify; the message says what to do. */
export class SupplyProofError extends CodedError<SupplyProofErrorCode> {
  override readonly name = 'SupplyProofError'
}

/** A supply that the hash of its block implies. Decimals with all digits. */
export interface VerifiedSupply {
  readonly contractAddress: `0x${string}`
  /** Token units. */
  readonly totalSupply: string
  readonly decimals: number
  /** Shares per token. */
  readonly multiplier: string
  readonly blockNumber: number
  readonly blockHash: `0x${string}`
  /** The header does not prove these: compare them with what you know of the chain, or pass `rules`. */
  readonly rules: { readonly chainId: bigint; readonly fork: string; readonly upgrade?: string }
}

/** Options of `verifySupply`: the trusted block, and the rules that its chain must have. */
export interface VerifySupplyOptions {
  /** Hash of the block, from a source that you trust. */
  readonly trustedHash: string
  /** Expected rules. Default: those that the document names. */
  readonly rules?: Partial<VerifiedSupply['rules']> | undefined
}

/**
 * Recomputes a supply from its proof: executes the calls of the token on the proven part of the state and compares
 * the whole document. Trusts nothing but the hash of the block.
 *
 * @param document response of `/v1/tokenized-stocks/{token}/supply-proof`, parsed
 * @throws SupplyProofError
 * @example
 * const proof = await (await fetch(`${url}/v1/tokenized-stocks/HLCYNd/supply-proof?block=${trustedHash}`)).json()
 * const { totalSupply } = await verifySupply(proof, { trustedHash })
 */
export async function verifySupply(document: unknown, options: VerifySupplyOptions): Promise<VerifiedSupply> {
  const { token, header, rules, accounts } = readProof(document)
  const hash = hashHeader(header)
  if (hash !== options.trustedHash.toLowerCase()) {
    throw new SupplyProofError(
      'WRONG_BLOCK',
      `the proof is for block ${header.number} ${hash}, not ${options.trustedHash}: ` +
        'ask for the proof of the trusted block, with ?block= and its hash in the URL',
    )
  }
  checkRules(rules, options.rules)
  const made = await madeAgain(token, header, rules, accounts)
  if (!isDeepStrictEqual(made, document)) {
    throw new SupplyProofError('NOT_PROVEN', 'the document is not what the block proves: it was changed')
  }
  return {
    contractAddress: made.contract_address,
    totalSupply: made.total_supply_exact,
    decimals: made.decimals,
    multiplier: made.multiplier_exact,
    blockNumber: made.block.number,
    blockHash: hash,
    rules: { chainId: rules.chainId, fork: rules.fork, ...(rules.upgrade !== undefined && { upgrade: rules.upgrade }) },
  }
}

/** The document that the proven part of the state gives. */
async function madeAgain(token: Address, header: Header, rules: BlockRules, accounts: readonly AccountProof[]) {
  try {
    const { state, trie } = provenState(header, accounts)
    const engine = engineOf(rules)
    const session = engine.open(newBlockEnv(header, engine.config), state, { withoutLogs: true })
    const code = (address: Address): Bytes => {
      const account = state.account(address)
      return account === undefined ? new Uint8Array(0) : state.code(account.codeHash)
    }
    const reads: BlockReads = sessionReads(PROOF_LIMITS, {
      session: () => session,
      code,
      beginRead: () => Promise.resolve(),
      close: () => session.close(),
    })
    const value = await readSupplyAndMultiplier(reads, token).finally(() => reads.close())
    if (value.kind === 'token') return supplyProof(token, { value, header, rules, accounts: state.proofs(trie) })
  } catch (error) {
    // Whatever fails on proofs of others, they do not prove the supply.
    throw new SupplyProofError('NOT_PROVEN', `the proofs do not show what the calls read: ${textOf(error)}`)
  }
  throw new SupplyProofError('NOT_PROVEN', `${token} is no token in this block, or it refuses the calls`)
}

function checkRules(rules: BlockRules, expected: VerifySupplyOptions['rules'] = {}): void {
  const names = Object.keys(expected) as (keyof BlockRules)[]
  if (names.every((name) => expected[name] === rules[name])) return
  const { chainId, fork, upgrade = 'none' } = rules
  throw new SupplyProofError('WRONG_RULES', `the proof is for chain ${chainId}, fork ${fork}, upgrade ${upgrade}`)
}

/** Engines by rules: each compiles its interpreter once. */
const engines = new Map<string, Engine>()
const MAX_ENGINES = 8

function engineOf(rules: BlockRules): Engine {
  const key = `${rules.chainId} ${rules.fork} ${rules.upgrade}`
  const engine = engines.get(key) ?? createEngine({ config: configOf(rules) })
  engines.delete(key)
  engines.set(key, engine)
  const [oldest] = engines.keys()
  if (engines.size > MAX_ENGINES && oldest !== undefined) engines.delete(oldest)
  return engine
}

/** A chain that has these rules from its first block on. Calls pay no fees: the fee parameters have no effect. */
function configOf({ chainId, fork, upgrade }: BlockRules): ChainConfig {
  const config = { chainId, forkBlocks: { [fork]: 0 }, forkTimes: {}, blobSchedule: {} }
  if (upgrade === undefined) return config
  const noFees = { eip1559Elasticity: 1, eip1559Denominator: 1, minBaseFee: 0n, daFootprintGasScalar: 0 }
  return { ...config, layer2: { ...noFees, upgradeTimes: { [upgrade]: 0n } } }
}

/** @throws SupplyProofError INVALID_SUPPLY_PROOF */
function readProof(document: unknown) {
  try {
    const proof = new WitnessMembers(document, 'the proof')
    return {
      token: proof.address('contract_address'),
      header: decodeHeader(proof.object('block').bytes('header')),
      rules: readRules(proof.object('rules')),
      accounts: proof.objects('accounts').map(readAccount),
    }
  } catch (error) {
    if (error instanceof SupplyProofError) throw error
    throw new SupplyProofError('INVALID_SUPPLY_PROOF', `this is no supply proof: ${textOf(error)}`)
  }
}

function readRules(rules: WitnessMembers): BlockRules {
  const name = rules.text('fork')
  const fork = FORKS.find((known) => known === name)
  const upgradeName = rules.has('upgrade') ? rules.text('upgrade') : undefined
  const upgrade = UPGRADES.find((known) => known === upgradeName)
  const id = rules.text('chain_id')
  if (fork === undefined || upgrade !== upgradeName || !/^[0-9]{1,20}$/.test(id)) {
    throw new SupplyProofError(
      'INVALID_SUPPLY_PROOF',
      `the proof names rules that are not known here: ${name} ${upgradeName ?? ''}`,
    )
  }
  return { chainId: BigInt(id), fork, upgrade }
}

function readAccount(account: WitnessMembers): AccountProof {
  return {
    address: account.address('address'),
    proof: account.bytesList('proof'),
    code: account.bytes('code'),
    storage: account.objects('storage').map((slot) => ({
      slot: slot.slot('slot'),
      value: slot.integer('value'),
      proof: slot.bytesList('proof'),
    })),
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
