/** Where what should not happen is written down. */
export interface RpcLog {
  error(details: object, message: string): void
}
