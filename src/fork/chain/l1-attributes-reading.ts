import { L1_BLOCK_ADDRESS } from '../../chain/constants.ts'
import {
  DEPOSITOR_ADDRESS,
  decodeL1Attributes,
  type L1Attributes,
  type L1AttributesLayout,
} from '../../chain/system-transactions/l1-attributes.ts'
import { DEPOSIT_TYPE } from '../../chain/transaction/transaction.ts'
import type { ForkSource } from '../source/cached-source.ts'
import { ForkError } from '../source/fork-error.ts'
import { ReplyObject } from '../source/reply-fields.ts'
import { isNotOffered } from './forked-chain.ts'

/** The values of layer 1 in a block of the forked chain. */
export interface ForkedL1Attributes {
  readonly layout: L1AttributesLayout
  readonly attributes: L1Attributes
}

/** Members that older layouts lack. */
const ABSENT = { operatorFeeScalar: 0n, operatorFeeConstant: 0n, daFootprintGasScalar: 0n }

/**
 * The values that a transaction sets; undefined if it sets none, and if the upstream or the cache does not have it.
 *
 * @throws ForkError
 */
export async function readL1Attributes(source: ForkSource, hash: string): Promise<ForkedL1Attributes | undefined> {
  const result = await unlessRefused(source.fixed('eth_getTransactionByHash', [hash]))
  if (result === undefined || result === null) return undefined
  const reply = new ReplyObject(result, `transaction ${hash}`)
  const isDeposit = reply.optionalNumber('type') === DEPOSIT_TYPE
  if (!isDeposit || reply.address('from') !== DEPOSITOR_ADDRESS || reply.optionalAddress('to') !== L1_BLOCK_ADDRESS) {
    return undefined
  }
  const decoded = decodeL1Attributes(reply.bytes('input'))
  return decoded && { layout: decoded.layout, attributes: { ...ABSENT, ...decoded.attributes } }
}

async function unlessRefused(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    if (error instanceof ForkError && isNotOffered(error)) return undefined
    throw error
  }
}
