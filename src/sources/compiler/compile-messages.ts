import type { ContractName, ContractOutput, StandardInput } from './standard-json.ts'

/** The one message to the compile process. */
export interface CompileRequest {
  /** Folder of the package `solc`. */
  readonly directory: string
  readonly input: StandardInput
  readonly contract: ContractName
  /** Beginning of the hash of the commit that the compiler must be built from. */
  readonly commit: string | undefined
  readonly maxMemoryBytes: number
}

/** A compiled contract, with the compiler that did it. */
export interface Compilation {
  /** @example '0.8.24+commit.e11b9ed9' */
  readonly compilerVersion: string
  readonly contract: ContractOutput
}

export type CompileReply =
  | { readonly kind: 'compiled'; readonly compilation: Compilation }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
