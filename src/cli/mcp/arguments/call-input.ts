import { parseAbi } from 'micro-eth-signer/abi.js'
import { type Address, type Bytes, bytesToHex, type Hex } from '../../../primitives/hex.ts'
import { toQuantity } from '../../../primitives/quantity.ts'
import { address, data } from '../../../rpc/codecs/bytes.ts'
import { InvalidValueError } from '../../../rpc/codecs/codec.ts'
import { flexibleQuantity, flexibleQuantity64 } from '../../../rpc/codecs/quantity.ts'
import { text } from '../../../rpc/codecs/text.ts'
import type { Json } from '../../../rpc/protocol/json.ts'
import type { AbiItem } from '../../terminal/abi-library.ts'
import { encodeArguments } from '../names/abi-values.ts'
import type { NamedContracts } from '../names/contracts.ts'
import type { Interfaces } from '../names/interfaces.ts'
import { callArguments, described } from './input.ts'

/** A transaction or a call that has not been executed. */
export interface CallInput {
  readonly from?: Address
  readonly to?: Address
  readonly value?: bigint
  readonly gas?: bigint
  readonly data?: Bytes
  readonly function?: string
  readonly args?: readonly NonNullable<Json>[]
}

/** Members of inputs that describe a call. */
export const CALL_MEMBERS = {
  from: described(address, 'sender'),
  to: described(address, 'recipient or contract; absent: data creates a contract'),
  value: described(flexibleQuantity, 'wei as a decimal or hex string; default 0'),
  gas: described(flexibleQuantity64, 'gas limit; default: what is needed'),
  data: described(data, 'calldata in hex; instead of function and args'),
  function: described(
    text,
    'function to call: a signature, as in "balanceOf(address) returns (uint256)", or a name like "balanceOf" if the ' +
      'server knows the ABI of the contract (verified source, --abi, stocks, predeploys)',
  ),
  args: callArguments,
}

/** A call object of JSON-RPC. */
export interface CallParameter {
  readonly from?: Address
  readonly to?: Address
  readonly value?: Hex
  readonly gas?: Hex
  readonly input?: Hex
}

/**
 * The call of an input. A function with a result that is declared here is added to the interfaces.
 *
 * @throws InvalidValueError
 */
export function wireCallOf(input: CallInput, contracts: NamedContracts): CallParameter {
  const { from, to, value, gas } = input
  const calldata = calldataOf(input, contracts)
  if (to === undefined && calldata === undefined)
    throw new InvalidValueError('is required, unless data creates a contract', 'to')
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(value !== undefined && { value: toQuantity(value) as Hex }),
    ...(gas !== undefined && { gas: toQuantity(gas) as Hex }),
    ...(calldata !== undefined && { input: calldata }),
  }
}

function calldataOf(input: CallInput, { interfaces }: NamedContracts): Hex | undefined {
  const { to, data: bytes, function: name, args = [] } = input
  if (name === undefined) {
    if (args.length > 0) throw new InvalidValueError('is required with args', 'function')
    return bytes === undefined ? undefined : bytesToHex(bytes)
  }
  if (bytes !== undefined) throw new InvalidValueError('cannot be combined with function', 'data')
  if (to === undefined) throw new InvalidValueError('is required with function', 'to')
  return bytesToHex(encodeArguments(functionOf(name, args.length, interfaces), args))
}

/** A function by name or signature; of overloads, the first that takes this number of arguments. */
function functionOf(given: string, count: number, interfaces: Interfaces): AbiItem {
  const known = interfaces.functionsNamed(given.replaceAll(' ', ''))
  const best = known.find(({ inputs = [] }) => inputs.length === count) ?? known[0]
  if (best !== undefined) return best
  const item = parsedFunction(given)
  interfaces.add([item])
  return item
}

function parsedFunction(given: string): AbiItem {
  const problem = 'unknown function: give a signature with its types, as in "balanceOf(address) returns (uint256)"'
  try {
    const [item] = parseAbi([
      given.startsWith('function ') ? given : `function ${given}`,
    ] as never) as readonly AbiItem[]
    if (item?.type === 'function') return item
  } catch {
    throw new InvalidValueError(problem, 'function')
  }
  throw new InvalidValueError(problem, 'function')
}
