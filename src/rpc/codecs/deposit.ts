import type { UserDeposit } from '../../chain/system-transactions/user-deposit.ts'
import { address, data } from './bytes.ts'
import { objectOf } from './object.ts'
import { quantity, quantity64 } from './quantity.ts'

/** Members of a deposit as a client names them. Without `to` it creates a contract. */
export interface DepositRequest extends Partial<Omit<UserDeposit, 'to' | 'gasLimit'>> {
  readonly to?: NonNullable<UserDeposit['to']>
  readonly gas?: bigint
}

export const depositRequest = objectOf<DepositRequest>({
  from: address,
  to: address,
  mint: quantity,
  value: quantity,
  gas: quantity64,
  data,
})
