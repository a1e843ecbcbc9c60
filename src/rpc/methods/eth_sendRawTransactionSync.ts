import type { Bytes } from '../../primitives/hex.ts'
import { toQuantity } from '../../primitives/quantity.ts'
import { data } from '../codecs/bytes.ts'
import { milliseconds } from '../codecs/small-numbers.ts'
import type { WriteContext } from '../context.ts'
import { RPC_CODES, RpcError, submitError } from '../errors.ts'
import { EXAMPLE_RAW_TRANSACTION, EXAMPLE_SENT_RECEIPT } from '../examples.ts'
import { awaitInclusion } from '../inclusion.ts'
import { defineWritingMethod, optional, required } from '../method.ts'
import type { ReadyJson } from '../ready/ready-json.ts'
import { RECEIPT_SCHEMA } from '../schemas.ts'

export const eth_sendRawTransactionSync = defineWritingMethod({
  name: 'eth_sendRawTransactionSync',
  summary: 'Sends a signed transaction and answers its receipt as soon as a flashblock has it (EIP-7966).',
  params: [required('data', data), optional('timeout', milliseconds)],
  result: RECEIPT_SCHEMA,
  cost: 20,
  example: {
    params: [EXAMPLE_RAW_TRANSACTION, 6000],
    result: EXAMPLE_SENT_RECEIPT,
  },
  handle: ([raw, timeout], context) => context.waits.run(() => sendAndWait(raw, timeout, context)),
})

async function sendAndWait(
  raw: Bytes,
  timeout: number | undefined,
  { node, clock, ready, options }: WriteContext,
): Promise<ReadyJson> {
  const sent = await node.submit(raw)
  if (sent.kind === 'refused') throw submitError(sent.refusal, options.dialect)
  const { transaction } = sent
  // No await since the transaction was accepted: whatever happens to it from here on is heard.
  const wait = Math.min(timeout || options.syncTimeout.default, options.syncTimeout.max)
  const outcome = await awaitInclusion(transaction, wait, { node, clock })
  switch (outcome.kind) {
    case 'included': {
      const receipt = ready.receipt(outcome.found.block, outcome.found.index)
      // What the client is told of it finds wherever it asks next.
      await node.shownEverywhere?.(node.view().head.sequence)
      return receipt
    }
    case 'gapped':
      throw new RpcError(
        RPC_CODES.notReady,
        `The transaction was added to the transaction pool but cannot run yet: expected nonce ${outcome.expected}, tx nonce ${transaction.nonce}`,
        toQuantity(outcome.expected),
      )
    case 'dropped':
      throw new RpcError(
        RPC_CODES.server,
        'The transaction was added to the transaction pool but left it without being processed',
        transaction.hash,
      )
    case 'timeout':
      throw new RpcError(
        RPC_CODES.timeout,
        `The transaction was added to the transaction pool but wasn't processed in ${wait / 1000}s`,
        transaction.hash,
      )
  }
}
