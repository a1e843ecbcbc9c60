import type { Development } from '../../node/development/development.ts'
import { developmentOf } from '../../node/roles/node-handle.ts'
import type { MaybePromise } from '../../primitives/maybe-promise.ts'
import { compatOf } from '../compat/compat.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import { conventionsOf } from '../compat/reproduced-nodes.ts'
import type { WriteContext } from '../context/writing.ts'
import type { MethodResult } from '../protocol/encoded-json.ts'
import { RPC_CODES, RpcError, unknownAccount } from '../protocol/errors.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { namespaceOf } from '../protocol/namespaces.ts'
import {
  type Definition,
  type DevelopmentTraits,
  type Method,
  type MethodParameter,
  readParameters,
  type Values,
} from './method.ts'

/** What a development method is called with, beside its parameters. */
export interface DevelopmentCall {
  /** The node whose responses are expected; `undefined`: go-ethereum. */
  readonly conventions: NodeConventions
  readonly context: WriteContext
  /**
   * Operations of the node.
   *
   * @throws RpcError on a node that does not lead
   */
  readonly development: Development
}

interface DevelopmentDefinition<P extends readonly MethodParameter<unknown>[]>
  extends Omit<Definition<P, never>, 'handle'> {
  /** Default: 'chain'. */
  readonly effect?: 'none'
  /** Other names of the method, of any namespace. */
  readonly aliases?: readonly string[]
  /** Its name exists on every node. Aliases exist on development nodes only. */
  readonly isOnEveryNode?: boolean
  /** Parameters in place of `params` where Hardhat's are stricter. They decode to the same types. */
  readonly hardhatParams?: P
  handle(params: Values<P>, call: DevelopmentCall): MaybePromise<MethodResult>
}

/**
 * Defines a method of development nodes: an entry of the registry for its name and for each alias. They exist on
 * loopback, and beyond it with `--expose-dev`; replicas and RPC workers forward them to the leader.
 *
 * @example
 * export const anvil_setBalance = defineDevelopmentMethod({
 *   name: 'anvil_setBalance', aliases: ['hardhat_setBalance', 'tenderly_setBalance'],
 *   handle: async ([address, wei], { conventions, context }) => …, …
 * })
 */
export function defineDevelopmentMethod<const P extends readonly MethodParameter<unknown>[]>(
  definition: DevelopmentDefinition<P>,
): readonly Method[] {
  const { aliases = [], hardhatParams = definition.params, handle, isOnEveryNode = false, ...rest } = definition
  const { effect = 'chain', ...description } = rest
  const traits = (name: string): DevelopmentTraits =>
    name === definition.name
      ? { conventions: conventionsOf(compatOf(namespaceOf(name))), aliasOf: undefined, isOnEveryNode }
      : { conventions: conventionsOf(compatOf(namespaceOf(name))), aliasOf: definition.name }
  return [definition.name, ...aliases].map((name): Method => {
    const development = traits(name)
    const own = development.conventions
    return {
      ...description,
      name,
      params: own.control.takesHardhatParams ? hardhatParams : definition.params,
      writes: true,
      effect,
      development,
      call(values, context) {
        const conventions = context.conventions.isReproduced ? context.conventions : own
        const params = conventions.control.takesHardhatParams ? hardhatParams : definition.params
        // Hardhat's stricter parameters are no numbers of JSON in place of quantities.
        const isStrict = params !== definition.params
        const decoding = isStrict ? { options: context.options, conventions: WITHOUT_JSON_NUMBERS } : context
        return handle(readParameters(params, values, decoding), new Call(conventions, context))
      },
    }
  })
}

const WITHOUT_JSON_NUMBERS = { isReproduced: true, jsonNumbers: 'none' } as const

class Call implements DevelopmentCall {
  readonly conventions: NodeConventions
  readonly context: WriteContext

  constructor(conventions: NodeConventions, context: WriteContext) {
    this.conventions = conventions
    this.context = context
  }

  get development(): Development {
    const { node, options } = this.context
    const development = developmentOf(node)
    if (development !== undefined) return development
    // Where they are disabled, only methods that need a key exist.
    if (!options.development) throw unknownAccount()
    const reason =
      node.role === 'failover'
        ? 'nodes with --failover have no development methods, the leader included: use a node without --failover'
        : 'this node does not build blocks: send the request to the leader'
    throw new RpcError(RPC_CODES.server, reason)
  }
}

/** Schema of what `done` returns, and of Hardhat's answers whether something was changed. */
export const SETTER_RESULT: JsonSchema = { oneOf: [{ type: 'null' }, { type: 'boolean' }] }
