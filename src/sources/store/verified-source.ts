import type { Address, Hash, Hex } from '../../primitives/hex.ts'
import type { Match, Transformation, TransformationValues } from '../../solidity/bytecode/compare-code.ts'
import type { ContractName, ContractOutput, StandardInput } from '../compiler/standard-json.ts'

/** How deployed code was obtained from compiled code. */
export interface ComparedCode {
  /** `null`: it differs, or could not be compared. */
  readonly match: Match | null
  readonly transformations: readonly Transformation[]
  readonly values: TransformationValues
}

/** The creation of a contract. */
export interface Deployment {
  readonly transactionHash: Hash
  /** The sender of the transaction. */
  readonly deployer: Address
  /** `null`: the transaction is not in a sealed block. */
  readonly blockNumber: number | null
  readonly transactionIndex: number | null
  /** Code of the constructor, with its arguments. */
  readonly creationCode: Hex
}

/** A contract whose sources compile to its code. */
export interface VerifiedSource {
  readonly format: 1
  readonly address: Address
  /** Hash of the code that was compared: an account may get other code later. */
  readonly codeHash: Hash
  /** As in RFC 3339, to the second. */
  readonly verifiedAt: string
  readonly compilerVersion: string
  readonly input: StandardInput
  readonly contract: ContractOutput
  readonly runtime: ComparedCode
  readonly creation: ComparedCode
  readonly deployment?: Deployment | undefined
}

/** Members of a source by which it is listed. */
export type SourceSummary = Pick<VerifiedSource, 'address' | 'codeHash' | 'verifiedAt'> & Matches

interface Matches {
  readonly runtime: Pick<ComparedCode, 'match'>
  readonly creation: Pick<ComparedCode, 'match'>
}

/** Sources that a client claims to be those of a contract. */
export interface VerificationRequest {
  readonly address: Address
  readonly input: StandardInput
  readonly contract: ContractName
  readonly compilerVersion: string
  /** Default: it is searched for. */
  readonly creationTransactionHash?: Hash | undefined
}

/** The better one of two comparisons. */
export function bestMatch({ runtime, creation }: Matches): Match | null {
  const matches = [runtime.match, creation.match]
  return matches.find((match) => match === 'exact_match') ?? matches.find((match) => match !== null) ?? null
}
