import type { ReadyJson } from './memoized/encoded-json.ts'

/** Requests about what another process of the node keeps. */
export interface Elsewhere {
  /**
   * The answer of the other process; `undefined`: it is answered here.
   *
   * @throws RpcError what the method throws there
   */
  answer(method: string, params: readonly unknown[]): Promise<ReadyJson> | undefined
}
