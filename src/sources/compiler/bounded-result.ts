import { VerificationError } from '../source-error.ts'
import type { ContractOutput } from './standard-json.ts'

/** The node compares and stores the result on the thread that makes blocks. */
const MAX_RESULT_BYTES = 8 * 2 ** 20

/**
 * A contract as a program sends it to the node: without syntax trees, if it would be too large with them. A debugger
 * can show less then, but the contract is verified all the same.
 *
 * @param message what is sent
 * @throws VerificationError `compiler_error` if it is too large all the same
 */
export function boundedResult(contract: ContractOutput, message: (contract: ContractOutput) => object): ContractOutput {
  const bytesOf = (output: ContractOutput) => Buffer.byteLength(JSON.stringify(message(output)))
  if (bytesOf(contract) <= MAX_RESULT_BYTES) return contract
  const { trees: _, ...others } = contract
  const leftOut = `syntax trees: the result of the compiler has more than ${MAX_RESULT_BYTES} bytes with them`
  const small = { ...others, leftOut }
  const bytes = bytesOf(small)
  if (bytes <= MAX_RESULT_BYTES) return small
  const problem = `the result of the compiler has ${bytes} bytes, at most ${MAX_RESULT_BYTES} are allowed`
  throw new VerificationError('compiler_error', problem)
}
