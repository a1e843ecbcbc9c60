import type { PoolTransaction } from '../../chain/transaction/transaction.ts'
import type { SubmitResult } from '../../node/core/results.ts'
import type { Development } from '../../node/development/development.ts'
import type { NodeConventions } from '../compat/node-conventions.ts'
import type { SendContext } from '../context/sending.ts'
import { submitError } from '../protocol/errors.ts'

/** Dependencies of sending transactions on a development node. */
export interface Sending {
  readonly conventions: NodeConventions
  readonly context: SendContext
  readonly development: Development
}

/** @throws RpcError when it was refused */
export function accepted(result: SubmitResult, { options }: Pick<SendContext, 'options'>): PoolTransaction {
  if (result.kind === 'refused') throw submitError(result.refusal, options.dialect)
  return result.transaction
}
