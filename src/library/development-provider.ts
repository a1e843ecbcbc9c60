import { toQuantity } from '../primitives/quantity.ts'
import { NodeError } from './node-error.ts'
import { Provider } from './provider.ts'

/** `0x` and hex digits. */
export type HexText = `0x${string}`

/** A whole number that is not negative. */
export type Quantity = bigint | number

/** The block on which a fork begins after a reset. */
export interface ForkingOptions {
  /** Default: the present node. */
  readonly jsonRpcUrl?: string | undefined
  readonly blockNumber?: Quantity | undefined
}

/** A provider with typed methods for what development nodes offer. */
export class DevelopmentProvider extends Provider {
  /**
   * Mines blocks with the executable transactions of the pool.
   *
   * @param blocks default: 1
   * @param intervalSeconds seconds between their timestamps
   */
  async mine(blocks: Quantity = 1, { intervalSeconds }: { readonly intervalSeconds?: Quantity } = {}): Promise<void> {
    const interval = intervalSeconds === undefined ? [] : [hexOf(intervalSeconds)]
    await this.request({ method: 'anvil_mine', params: [hexOf(blocks), ...interval] })
  }

  /** Takes a snapshot of the chain and returns its id. */
  async snapshot(): Promise<HexText> {
    return (await this.request({ method: 'evm_snapshot' })) as HexText
  }

  /**
   * Returns to a snapshot and discards it and later ones.
   *
   * @throws NodeError `UNKNOWN_SNAPSHOT`
   */
  async revert(id: HexText): Promise<void> {
    if ((await this.request({ method: 'evm_revert', params: [id] })) === true) return
    throw new NodeError(
      'UNKNOWN_SNAPSHOT',
      `there is no snapshot ${id}: revert discards a snapshot and later ones, so take another with snapshot()`,
    )
  }

  /**
   * Returns to block 0, or a fork to its fork block, with an empty pool, and discards all snapshots.
   *
   * @param options.forking of a fork: begins on another block, by default on the newest one where a URL is given
   * @example await node.reset({ forking: { blockNumber: 19_000_000 } })
   */
  async reset(options?: { readonly forking?: ForkingOptions | undefined }): Promise<void> {
    const { jsonRpcUrl, blockNumber } = options?.forking ?? {}
    const forking = {
      ...(jsonRpcUrl !== undefined && { jsonRpcUrl }),
      ...(blockNumber !== undefined && { blockNumber: hexOf(blockNumber) }),
    }
    await this.request({ method: 'anvil_reset', params: options?.forking === undefined ? [] : [{ forking }] })
  }

  /** Lets transactions be sent from an address without its key. */
  async impersonate(address: HexText): Promise<void> {
    await this.request({ method: 'anvil_impersonateAccount', params: [address] })
  }

  async stopImpersonating(address: HexText): Promise<void> {
    await this.request({ method: 'anvil_stopImpersonatingAccount', params: [address] })
  }

  /** @param wei the new balance */
  async setBalance(address: HexText, wei: Quantity): Promise<void> {
    await this.request({ method: 'anvil_setBalance', params: [address, hexOf(wei)] })
  }

  async setNonce(address: HexText, nonce: Quantity): Promise<void> {
    await this.request({ method: 'anvil_setNonce', params: [address, hexOf(nonce)] })
  }

  /** Sets the code of an account, without running a constructor. */
  async setCode(address: HexText, code: HexText): Promise<void> {
    await this.request({ method: 'anvil_setCode', params: [address, code] })
  }

  /** @param value 32 bytes */
  async setStorageAt(address: HexText, slot: Quantity, value: HexText): Promise<void> {
    await this.request({ method: 'anvil_setStorageAt', params: [address, hexOf(slot), value] })
  }

  /** Moves chain time forward. */
  async increaseTime(seconds: Quantity): Promise<void> {
    await this.request({ method: 'evm_increaseTime', params: [hexOf(seconds)] })
  }

  /** Sets the timestamp of the next block; chain time continues from it. @param seconds Unix time */
  async setNextBlockTimestamp(seconds: Quantity): Promise<void> {
    await this.request({ method: 'evm_setNextBlockTimestamp', params: [hexOf(seconds)] })
  }

  /** @param wei base fee of the next block */
  async setNextBlockBaseFee(wei: Quantity): Promise<void> {
    await this.request({ method: 'anvil_setNextBlockBaseFeePerGas', params: [hexOf(wei)] })
  }

  /** Switches on or off that each transaction is mined before it is answered. */
  async setAutomine(isOn: boolean): Promise<void> {
    await this.request({ method: 'evm_setAutomine', params: [isOn] })
  }

  /** Drops a transaction from the pool. */
  async dropTransaction(hash: HexText): Promise<void> {
    await this.request({ method: 'anvil_dropTransaction', params: [hash] })
  }

  /** The state as the text of Anvil's state files. */
  async dumpState(): Promise<HexText> {
    return (await this.request({ method: 'anvil_dumpState' })) as HexText
  }

  /** Adds the state of `dumpState`, of this node or of Anvil. */
  async loadState(state: HexText): Promise<void> {
    await this.request({ method: 'anvil_loadState', params: [state] })
  }
}

/** JSON-RPC refuses what is no whole number. */
function hexOf(value: Quantity): string | number {
  // A number of JSON, so that the error is the same for -5n and -5.
  if (typeof value === 'bigint') return value < 0n ? Number(value) : toQuantity(value)
  return Number.isSafeInteger(value) && value >= 0 ? toQuantity(value) : value
}
