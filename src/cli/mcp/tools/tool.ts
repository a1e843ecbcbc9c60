import type { Address } from '../../../primitives/hex.ts'
import type { Codec } from '../../../rpc/codecs/codec.ts'
import type { JsonRecord, JsonSchema } from '../../../rpc/protocol/json.ts'
import type { SolidityContract } from '../../../solidity/compiled/solidity-contract.ts'
import type { JsonRpc } from '../../stock/chain/json-rpc.ts'
import type { NamedContracts } from '../names/contracts.ts'

/** The contracts at addresses, as far as they are known. */
export interface ContractLookup {
  /** @throws StockError `NODE_UNREACHABLE` */
  at(addresses: readonly Address[]): Promise<NamedContracts>
}

/** The parts of the server that tools use. */
export interface ToolContext {
  readonly rpcUrl: string
  readonly requestTimeoutMs: number
  readonly rpc: JsonRpc
  readonly contracts: ContractLookup
  /**
   * Contracts of the project of `--abi` with their sources, if it has build information.
   *
   * @throws StockError `INVALID_INPUT` if it cannot be read
   */
  readonly built: () => Promise<readonly SolidityContract[]>
  /** Milliseconds. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<void>
}

/** `read` changes nothing, `write` adds to the chain, `destructive` replaces or removes what was there. */
export type ToolEffect = 'read' | 'write' | 'destructive'

/** `truncated` names the parts that are missing. */
export type ToolAnswer = JsonRecord & { readonly truncated?: readonly string[] }

/** A tool for agents. */
export interface Tool {
  readonly name: string
  readonly title: string
  /** For agents: the effect of the tool, its units and defaults. */
  readonly description: string
  readonly effect: ToolEffect
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  /**
   * @param args as the client sent them
   * @throws InvalidValueError for arguments; StockError, with a message of the node or about it
   */
  run(context: ToolContext, args: unknown): Promise<ToolAnswer>
}

interface ToolDefinition<Input> extends Omit<Tool, 'inputSchema' | 'run' | 'outputSchema'> {
  readonly input: Codec<Input>
  /** Members of the output that are always there, and others. */
  readonly output: { readonly required: Properties; readonly optional?: Properties }
  readonly run: (context: ToolContext, input: Input) => Promise<ToolAnswer>
}

type Properties = Readonly<Record<string, JsonSchema>>

export function defineTool<Input>({ input, output, run, ...rest }: ToolDefinition<Input>): Tool {
  const { required, optional = {} } = output
  return {
    ...rest,
    inputSchema: input.schema,
    outputSchema: {
      type: 'object',
      properties: { ...required, ...optional, truncated: TRUNCATED, notes: NOTES },
      required: Object.keys(required),
    },
    run: async (context, args) => run(context, input.decode(args ?? {})),
  }
}

/** Where `bounded` cut an answer. */
const TRUNCATED: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'where the answer was cut; absent: it is complete',
}

const NOTES: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  description: 'names or sources that could not be read, and why; absent: all were read',
}

/** Schemas of members of outputs, with descriptions. */
export const out = {
  text: (description: string): JsonSchema => ({ type: 'string', description }),
  number: (description: string): JsonSchema => ({ type: 'integer', description }),
  flag: (description: string): JsonSchema => ({ type: 'boolean', description }),
  object: (description: string): JsonSchema => ({ type: 'object', description }),
  list: (description: string): JsonSchema => ({ type: 'array', items: { type: 'object' }, description }),
  any: (description: string): JsonSchema => ({ description }),
}
