import type { Block } from '../../chain/block/block.ts'
import { invalidTransactionMessage } from '../../chain/transaction/refusal-text.ts'
import { type Bytes, bytesToHex } from '../../primitives/hex.ts'
import type { StateReader } from '../../state/state-reader.ts'
import { openStateTrie, type StateTrie } from '../../state/trie/state-trie.ts'
import { type Engine, ExecutionStoppedError, type MayContinue } from '../types.ts'
import { blockEnv } from './block-env.ts'
import { closingMembers } from './closing-members.ts'
import { type BlockExecution, executeBlock } from './execute-block.ts'
import { RecordingState } from './recording-state.ts'
import { requestsFaultMessage } from './requests.ts'

/** The part of the state before a block that its execution needs. Lists are sorted by bytes, without duplicates. */
export interface ExecutionWitness {
  /** RLP of nodes of the account trie and of storage tries, also those that removals of keys need. */
  readonly state: readonly Bytes[]
  /** Codes that the state before the block has. */
  readonly codes: readonly Bytes[]
  /** Addresses and slots that were read or written: the preimages of the keys of the tries. */
  readonly keys: readonly Bytes[]
  /** The lowest block whose hash the execution needs, at most the parent. */
  readonly oldestBlock: number
}

/** The block is not what its execution gives: one of many empty ones that a development node mined at once. */
export class NoWitnessError extends Error {
  override readonly name = 'NoWitnessError'
  readonly code = 'NO_WITNESS'
}

export interface WitnessOptions {
  readonly mayContinue: MayContinue
  /** Called with the bytes of each node, code and key of the witness. It may throw to end the work. */
  readonly onBytes: (bytes: number) => void
}

/**
 * Executes a block, and records the nodes, codes and headers that a stateless execution of it needs.
 *
 * @param parent state and trie after the parent
 * @param engine a new one: others have codes of earlier sessions in memory and do not read them
 * @throws NoWitnessError, ExecutionStoppedError and errors of the readers
 * @example await executionWitness(block, { state, trie }, createEngine({ config }), { mayContinue, onBytes })
 */
export async function executionWitness(
  block: Block,
  parent: { readonly state: StateReader; readonly trie: StateTrie },
  engine: Engine,
  { mayContinue, onBytes }: WitnessOptions,
): Promise<ExecutionWitness> {
  const { number, stateRoot } = block.header
  const nodes = new Map<string, Bytes>()
  const record = (key: Bytes) => {
    const node = parent.trie.node(key)
    if (node !== undefined && !nodes.has(bytesToHex(node))) {
      nodes.set(bytesToHex(node), node)
      onBytes(node.length)
    }
    return node
  }
  // Updates read through it as well: the siblings of removed keys are on no proof.
  const trie = openStateTrie(parent.trie.root, { node: record })
  const state = new RecordingState(parent.state, { onCode: ({ length }) => onBytes(length) })
  const executed = await executeBlock(block, { state, trie }, engine, { mayContinue })
  if (executed.kind !== 'executed') throw noWitness(number, failureOf(executed))
  const { root } = executed.trie
  if (root !== stateRoot) throw noWitness(number, `gives the state root ${root}, its header has ${stateRoot}`)
  // Reads the storage root that a layer-2 header has (OP-stack specs: Isthmus).
  closingMembers(blockEnv(block.header, engine.config), { ...executed, withdrawals: block.withdrawals })
  state.recordDeployed(executed.diff.code.keys())
  for (const [address, slots] of state.reads) {
    if (!(await mayContinue())) throw tooSlow(number)
    trie.accountProof(address)
    for (const slot of slots) {
      if (!(await mayContinue())) throw tooSlow(number)
      trie.storageProof(address, slot)
    }
  }
  const keys = state.keys()
  for (const { length } of keys) onBytes(length)
  return {
    state: sorted(nodes.values()),
    codes: sorted(state.codes.values()),
    keys: sorted(keys),
    oldestBlock: Math.min(number - 1, state.oldestBlock),
  }
}

function tooSlow(number: number): ExecutionStoppedError {
  return new ExecutionStoppedError(`the witness of block ${number} took longer than it may: allow more time`)
}

function failureOf(execution: Exclude<BlockExecution, { readonly kind: 'executed' }>): string {
  if (execution.kind === 'failed') return `fails: ${requestsFaultMessage(execution.fault)}`
  return `refuses transaction ${execution.index}: ${invalidTransactionMessage(execution.error)}`
}

/** @param contradiction completes a sentence about the execution of the block */
function noWitness(number: number, contradiction: string): NoWitnessError {
  return new NoWitnessError(
    `block ${number} has no witness: executing it on its parent ${contradiction}. It was mined without its system calls`,
  )
}

function sorted(values: Iterable<Bytes>): readonly Bytes[] {
  return [...values].sort(Buffer.compare)
}
