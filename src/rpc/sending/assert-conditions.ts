import type { Header } from '../../chain/block/header.ts'
import { LATEST } from '../../node/view/block-reference.ts'
import type { BlockView, View } from '../../node/view/view.ts'
import { bigintToHash } from '../../primitives/quantity.ts'
import { type ReadContext, requireBlockAndState } from '../context/reading.ts'
import { RPC_CODES, RpcError } from '../protocol/errors.ts'
import { type ConditionalOptions, type KnownAccount, rangeFault } from './conditional-options.ts'

/**
 * Checks the conditions of a transaction before it is submitted, as op-geth does (internal/sequencerapi/api.go): on the
 * newest sealed block, and its accounts on the parent as well, so that the method is no faster way to see a change than
 * `eth_sendRawTransaction`.
 *
 * @throws RpcError -32003
 */
export function assertConditions(options: ConditionalOptions, context: ReadContext): void {
  const { view } = context
  refuse('failed conditional validation', rangeFault(options))
  const { block } = requireBlockAndState(context, LATEST)
  const { header } = block.block
  refuse('failed header check', headerFault(options, header))
  refuse('failed state check', stateFault(options, block, view))
  const parent = header.number === 0 ? undefined : view.block({ kind: 'number', number: header.number - 1 })
  if (parent === undefined) return
  refuse(`failed parent block ${header.parentHash} state check`, stateFault(options, parent, view))
}

function refuse(check: string, fault: string | undefined): void {
  if (fault !== undefined) throw new RpcError(RPC_CODES.conditionFailed, `${check}: ${fault}`)
}

function headerFault(options: ConditionalOptions, { number, timestamp }: Header): string | undefined {
  const { blockNumberMin, blockNumberMax, timestampMin, timestampMax } = options
  const height = BigInt(number)
  if (blockNumberMin !== undefined && height < blockNumberMin) return 'failed block number minimum constraint'
  if (blockNumberMax !== undefined && height > blockNumberMax) return 'failed block number maximum constraint'
  if (timestampMin !== undefined && timestamp < timestampMin) return 'failed timestamp minimum constraint'
  if (timestampMax !== undefined && timestamp > timestampMax) return 'failed timestamp maximum constraint'
  return undefined
}

function stateFault({ knownAccounts }: ConditionalOptions, block: BlockView, view: View): string | undefined {
  for (const account of knownAccounts) {
    const fault = 'storageRoot' in account ? rootFault(account, block, view) : slotsFault(account, block, view)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Accepts a block without a trie, such as the parent of a fork block. */
function rootFault(
  { address, storageRoot }: Extract<KnownAccount, { storageRoot: unknown }>,
  block: BlockView,
  view: View,
): string | undefined {
  const found = view.trieOf(block)?.storageRoot(address)
  if (found === undefined || found === storageRoot) return undefined
  return `failed account storage root constraint. Got ${storageRoot}, Expected ${found}`
}

function slotsFault(
  { address, slots }: Extract<KnownAccount, { slots: unknown }>,
  block: BlockView,
  view: View,
): string | undefined {
  const state = view.stateOf(block)
  if (state === undefined) return undefined
  const slot = slots.find(([key, value]) => view.storage(state, address, key) !== value)
  if (slot === undefined) return undefined
  const [key, value] = slot
  const found = bigintToHash(view.storage(state, address, key))
  return `failed account storage slot key ${key} constraint. Got ${found}, Expected ${bigintToHash(value)}`
}
