import { type Bytes, bytesToHex, hexToBytes } from '../../primitives/hex.ts'
import { keccakHash } from '../../primitives/keccak.ts'
import { codeTemplate } from '../../solidity/bytecode/code-template.ts'
import { type CodeMatch, matchCreationCode, matchRuntimeCode } from '../../solidity/bytecode/compare-code.ts'
import type { Compilation } from '../compiler/compile-messages.ts'
import { VerificationError } from '../source-error.ts'
import type { ComparedCode, Deployment, VerificationRequest, VerifiedSource } from '../store/verified-source.ts'
import { areConstructorArguments } from './constructor-arguments.ts'

/** The contract on the chain that compiled code is compared with. */
export interface DeployedContract {
  readonly code: Bytes
  /** `undefined`: it is not known how it was created. */
  readonly deployment: Deployment | undefined
}

const DIFFERENT: ComparedCode = { match: null, transformations: [], values: {} }

/**
 * Compares compiled code with a deployed contract.
 *
 * @throws VerificationError `no_match`
 */
export function verifySource(
  { address, input }: Pick<VerificationRequest, 'address' | 'input'>,
  { compilerVersion, contract }: Compilation,
  { code, deployment }: DeployedContract,
  verifiedAt: string,
): VerifiedSource {
  const runtimeTemplate = codeTemplate(contract.deployedBytecode)
  const creationTemplate = codeTemplate(contract.bytecode)
  const areArguments = (bytes: Bytes) => areConstructorArguments(contract.abi, bytes)
  const runtime = comparedCode(runtimeTemplate && matchRuntimeCode(runtimeTemplate, code))
  const creation = comparedCode(
    creationTemplate &&
      deployment &&
      matchCreationCode(creationTemplate, hexToBytes(deployment.creationCode), areArguments),
  )
  if (runtime.match === null && creation.match === null) {
    throw new VerificationError('no_match', differenceText(runtimeTemplate?.code, code))
  }
  const codeHash = keccakHash(code)
  const known = { format: 1, address, codeHash, verifiedAt, compilerVersion, input, contract } as const
  return { ...known, runtime, creation, ...(deployment && { deployment }) }
}

function comparedCode(match: CodeMatch | undefined): ComparedCode {
  return match ?? DIFFERENT
}

function differenceText(compiled: Bytes | undefined, deployed: Bytes): string {
  const advice = 'compare version, optimizer, EVM version and libraries of the compiler with those of the deployment'
  if (compiled === undefined) return 'the contract compiles to no code: it is abstract, or an interface'
  if (compiled.length !== deployed.length) {
    return `the compiled code has ${compiled.length} bytes, the deployed code ${deployed.length}: ${advice}`
  }
  const at = compiled.findIndex((byte, index) => byte !== deployed[index])
  const [one, other] = [compiled, deployed].map((code) => bytesToHex(code.subarray(at, at + 1)))
  return `the compiled code differs from the deployed code, first at byte ${at} (${one}, deployed ${other}): ${advice}`
}
