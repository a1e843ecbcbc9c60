import type { Method } from '../method.ts'
import { eth_getRawTransactionByHash } from './eth_getRawTransactionByHash.ts'

/** go-ethereum has both, with one meaning. */
export const debug_getRawTransaction: Method = { ...eth_getRawTransactionByHash, name: 'debug_getRawTransaction' }
